// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of the engine as texts of the Studio.
#include <QTest>

#include "engine/base/problem.h"
#include "tests/support/charts/test_classes.h"
#include "ui/values/engine_texts.h"

using namespace meshreel;

class EngineTextsTest : public QObject {
    Q_OBJECT

  private slots:
    void textsBeginWithACapital_data();
    void textsBeginWithACapital();
    void aProblemWithoutASettingBeginsWithACapital();
};

void EngineTextsTest::textsBeginWithACapital_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("shown");
    const auto row = [](const char* words, const char* shown) {
        QTest::newRow(words) << QString::fromUtf8(words) << QString::fromUtf8(shown);
    };
    QTest::newRow("nothing") << QString() << QString();
    row("the run writes up to 3 GB", "The run writes up to 3 GB");
    row("im Ordner", "Im Ordner");
    row("écrire", "Écrire");
    row("它不存在", "它不存在");
    row("The disk is full", "The disk is full");
    // Names are as they are written.
    row("mag_ratios_file is missing", "mag_ratios_file is missing");
    row("clip.mp4 cannot be read", "clip.mp4 cannot be read");
    row("~/runs is full", "~/runs is full");
    row("i2v needs an image", "i2v needs an image");
}

void EngineTextsTest::textsBeginWithACapital() {
    QFETCH(const QString, words);
    QTEST(withCapital(words), "shown");
}

void EngineTextsTest::aProblemWithoutASettingBeginsWithACapital() {
    QCOMPARE(problemText({.message = "no space is left"}), QStringLiteral("No space is left"));
    QCOMPARE(problemText({.key = "width", .message = "no number"}), QStringLiteral("Width: no number"));
}

MESHREEL_TEST_CLASS(EngineTextsTest)
#include "engine_texts_test.moc"

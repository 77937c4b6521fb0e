// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLocale>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>

#include "ui/application.h"
#include "ui/models/key_texts.h"
#include "ui/models/run_texts.h"

using namespace meshreel;

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// What stands in the translation element that `xml` is at: one text, or one for each plural form.
QStringList textsOf(QXmlStreamReader& xml, bool plural) {
    if (!plural)
        return {xml.readElementText()};
    QStringList forms;
    while (xml.readNextStartElement())
        forms.append(xml.readElementText());
    return forms;
}

/// Whether a translation says something, with the source's placeholders and as many access keys. %n may be
/// left out, as a form for one thing names it in words.
bool fits(const QString& translation, const QString& source) {
    for (int place = 1; place <= 9; ++place) {
        const QString mark = QLatin1Char('%') + QString::number(place);
        if (source.contains(mark) != translation.contains(mark))
            return false;
    }
    static const QRegularExpression accessKey(QStringLiteral("&\\w(?!\\w*;)"));
    return !translation.isEmpty() && source.count(accessKey) == translation.count(accessKey);
}

/// Every message without a finished translation that fits.
QStringList faultsOf(const QByteArray& catalogue) {
    QStringList faults;
    QXmlStreamReader xml(catalogue);
    QString source;
    bool plural = false;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == QLatin1String("message")) {
            plural = xml.attributes().hasAttribute(QLatin1String("numerus"));
        } else if (xml.name() == QLatin1String("source")) {
            source = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            const bool finished = !xml.attributes().hasAttribute(QLatin1String("type"));
            const QStringList texts = textsOf(xml, plural);
            const bool allFit = !texts.isEmpty() && std::ranges::all_of(texts, [&](const QString& text) {
                return fits(text, source);
            });
            if (!finished || !allFit)
                faults.append(source);
        }
    }
    if (xml.hasError())
        faults.append(xml.errorString());
    return faults;
}

}  // namespace

class TranslationsTest : public QObject {
    Q_OBJECT

  private slots:
    void engineStringsAreListed();
    void everyStringIsTranslated_data();
    void everyStringIsTranslated();
    void applicationSpeaksTheLanguage_data();
    void applicationSpeaksTheLanguage();
};

void TranslationsTest::engineStringsAreListed() {
    QProcess list;
    list.start(QStringLiteral(LIST_ENGINE_STRINGS), QStringList());
    QVERIFY(list.waitForFinished());
    QVERIFY2(list.readAllStandardOutput() == contentOf(QStringLiteral(TRANSLATIONS "/engine_strings.h")),
             "The engine's words changed: build the target update_translations and translate what is new");
}

void TranslationsTest::everyStringIsTranslated_data() {
    QTest::addColumn<QString>("catalogue");
    QTest::addColumn<QStringList>("options");
    QTest::newRow("en") << QStringLiteral("meshreel_en.ts") << QStringList{QStringLiteral("-pluralonly")};
    for (const QString& language : QStringLiteral(LANGUAGES).split(QLatin1Char('|')))
        QTest::newRow(qPrintable(language))
            << QStringLiteral("meshreel_%1.ts").arg(language) << QStringList();
}

void TranslationsTest::everyStringIsTranslated() {
    QFETCH(QString, catalogue);
    QFETCH(QStringList, options);
    QTemporaryDir folder;
    const QString copy = folder.filePath(catalogue);
    QVERIFY(QFile::copy(QStringLiteral(TRANSLATIONS "/") + catalogue, copy));
    QProcess lupdate;
    lupdate.start(QStringLiteral(LUPDATE), QStringLiteral(LUPDATE_ARGUMENTS).split(QLatin1Char('|'))
                                               << options << QStringLiteral("-ts") << copy);
    QVERIFY(lupdate.waitForFinished());
    QCOMPARE(lupdate.exitCode(), 0);
    QCOMPARE(faultsOf(contentOf(copy)), QStringList());
}

void TranslationsTest::applicationSpeaksTheLanguage_data() {
    QTest::addColumn<QLocale>("locale");
    QTest::addColumn<QString>("done");
    QTest::addColumn<QString>("seed");
    QTest::newRow("German") << QLocale(QStringLiteral("de_DE")) << QStringLiteral("Fertig")
                            << QStringLiteral("Startwert");
    QTest::newRow("French") << QLocale(QStringLiteral("fr_FR")) << QStringLiteral("Terminée")
                            << QStringLiteral("Graine");
    QTest::newRow("Japanese") << QLocale(QStringLiteral("ja_JP")) << QStringLiteral("完了")
                              << QStringLiteral("シード");
    QTest::newRow("Chinese") << QLocale(QStringLiteral("zh_CN")) << QStringLiteral("已完成")
                             << QStringLiteral("随机种子");
}

void TranslationsTest::applicationSpeaksTheLanguage() {
    QFETCH(QLocale, locale);
    QFETCH(QString, done);
    QFETCH(QString, seed);
    installTranslations(*qApp, locale);
    QCOMPARE(statusTitle(RunStatus::Done), done);
    QCOMPARE(engineText("Seed"), seed);
}

QTEST_MAIN(TranslationsTest)
#include "translations_test.moc"

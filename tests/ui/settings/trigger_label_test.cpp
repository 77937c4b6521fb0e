// SPDX-License-Identifier: GPL-3.0-or-later
// The words of an adapter's file, below its line, and how they come into the prompt.
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <string>

#include "engine/base/files.h"
#include "engine/project/project_keys.h"
#include "engine/weights/trigger_words.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/studio/editor_test_case.h"
#include "ui/settings/adapter_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/trigger_label.h"

using namespace meshreel;
using namespace meshreel::testing;

class TriggerLabelTest : public EditorTestCase {
    Q_OBJECT

  private slots:
    void aWordGoesBehindThePromptOnce();
    void wordsOfAFileAreShownAndClicked();
    void nothingOfAFileIsReadAsMarkUp();
    void aFileWithoutWordsShowsNothing();

  private:
    QString adapter(const std::string& metadata) {
        const QString file = m_folder.filePath(QStringLiteral("a.safetensors"));
        const std::string header = R"({"__metadata__": )" + metadata +
                                   R"(, "a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})";
        writeFileAtomically(file.toStdString(), safetensorsBytes(header, "x"));
        return file;
    }
    AdapterField& field() { return dynamic_cast<AdapterField&>(rowOf(*m_editor, "lora").field()); }
};

void TriggerLabelTest::aWordGoesBehindThePromptOnce() {
    QCOMPARE(promptWithWord({}, QStringLiteral("sks")), QStringLiteral("sks"));
    QCOMPARE(promptWithWord(QStringLiteral("a ball "), QStringLiteral("sks")), QStringLiteral("a ball, sks"));
    QCOMPARE(promptWithWord(QStringLiteral("a ball,"), QStringLiteral("sks")), QStringLiteral("a ball, sks"));
    QCOMPARE(promptWithWord(QStringLiteral("two desks"), QStringLiteral("desk")),
             QStringLiteral("two desks, desk"));
    QCOMPARE(promptWithWord(QStringLiteral("a SKS ball"), QStringLiteral("sks")),
             QStringLiteral("a SKS ball"));
}

void TriggerLabelTest::wordsOfAFileAreShownAndClicked() {
    const ProjectKey& prompt = *findProjectKey("prompt");
    m_document->setText(prompt, QStringLiteral("a ball"));
    field().add(
        {adapter(R"({"trigger_words": "sks, red %1", "ss_tag_frequency": "{\"a\": {\"tag\": 3}}"})")});
    auto* label = field().findChild<TriggerLabel*>();
    QVERIFY(label != nullptr);
    QTRY_COMPARE(label->words(), (QStringList{QStringLiteral("sks"), QStringLiteral("red %1")}));
    QVERIFY(!label->isHidden());
    emit label->linkActivated(QStringLiteral("1"));
    QCOMPARE(m_document->text(prompt), QStringLiteral("a ball, red %1"));
    emit label->linkActivated(QStringLiteral("1"));
    QCOMPARE(m_document->text(prompt), QStringLiteral("a ball, red %1"));
    emit label->linkActivated(QStringLiteral("7"));  // no word has this number
    m_document->undoStack().undo();
    QCOMPARE(m_document->text(prompt), QStringLiteral("a ball"));
}

void TriggerLabelTest::nothingOfAFileIsReadAsMarkUp() {
    TriggerLabel label;
    label.showWords(
        {.stated = {{.text = "<img src=x><b>owned</b>", .count = 0}}, .frequent = {}, .trainedAs = {}});
    QVERIFY2(!label.text().contains(QLatin1String("<img")), qPrintable(label.text()));
    QVERIFY(label.accessibleName().contains(QLatin1String("<b>owned</b>")));
    const QSignalSpy taken(&label, &TriggerLabel::wordTaken);
    emit label.linkActivated(QStringLiteral("0"));
    QCOMPARE(taken.first().first().toString(), QStringLiteral("<img src=x><b>owned</b>"));
}

void TriggerLabelTest::aFileWithoutWordsShowsNothing() {
    TriggerLabel label;
    label.showWords(triggerWords({{"format", "pt"}}));
    QVERIFY(label.isHidden());
    label.showWords({.stated = {}, .frequent = {{.text = "tag", .count = 3}}, .trainedAs = {}});
    QCOMPARE(label.words(), QStringList{QStringLiteral("tag")});
    label.setAdapter(m_folder.filePath(QStringLiteral("gone.safetensors")));
    QVERIFY(label.isHidden());
}

MESHREEL_TEST_CLASS(TriggerLabelTest)

#include "trigger_label_test.moc"

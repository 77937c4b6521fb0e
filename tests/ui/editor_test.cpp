// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModel>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "engine/attention/attention_mode.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/project/project_keys.h"
#include "ui/models/project_document.h"
#include "ui/widgets/key_field.h"
#include "ui/widgets/key_row.h"
#include "ui/widgets/project_editor.h"

using namespace meshreel;

namespace {

KeyRow& rowOf(const ProjectEditor& editor, const char* name) {
    KeyRow* row = editor.row(QLatin1String(name));
    Q_ASSERT(row != nullptr);
    return *row;
}

/// Types into the field as a person does.
void type(const KeyRow& row, const QString& text) {
    auto* edit = row.field().findChild<QLineEdit*>();
    QVERIFY(edit != nullptr);
    edit->selectAll();
    QTest::keyClick(edit, Qt::Key_Delete);
    QTest::keyClicks(edit, text);
}

}  // namespace

class EditorTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void hasARowForEveryKey();
    void explainsIllegalValuesInPlace();
    void keepsWhatWasTyped();
    void doesNotScoldBeforeAnythingWasTyped();
    void explainsWhatKeysDemandOfEachOther();
    void undoesAcrossFields();
    void arrowsGoToLegalValues();
    void modesThatDoNotRunCannotBeChosen();
    void savesAndLoadsWithComments();
    void refusesABrokenFile();
    void tellsWhetherItIsModified();

  private:
    std::unique_ptr<ProjectDocument> m_document;
    std::unique_ptr<ProjectEditor> m_editor;
    QTemporaryDir m_folder;
};

void EditorTest::init() {
    m_editor.reset();
    m_document = std::make_unique<ProjectDocument>();
    Project project;
    project.prompt = "a red ball";
    m_document->adopt(project, QStringLiteral("test"));
    m_editor = std::make_unique<ProjectEditor>(*m_document);
    m_editor->setShowsAdvanced(true);
    m_editor->show();
}

void EditorTest::hasARowForEveryKey() {
    for (const ProjectKey& key : projectKeys()) {
        const KeyRow* row = m_editor->row(QString::fromStdString(std::string(key.name)));
        QVERIFY2(row != nullptr, std::string(key.name).c_str());
        QCOMPARE(row->field().text().toStdString(), valueText(m_document->project(), key));
        QVERIFY(!row->field().focusProxy()->accessibleName().isEmpty());
        QVERIFY(!row->field().toolTip().isEmpty());
    }
}

void EditorTest::explainsIllegalValuesInPlace() {
    KeyRow& height = rowOf(*m_editor, "height");
    QVERIFY(height.message().isEmpty());
    type(height, QStringLiteral("100"));
    QVERIFY(height.field().isInvalid());
    QVERIFY2(
        height.message().contains(QLatin1String("96")) || height.message().contains(QLatin1String("112")),
        qPrintable(height.message()));
    QVERIFY(m_document->hasErrors());
    type(height, QStringLiteral("96"));
    QVERIFY(!height.field().isInvalid());
    QVERIFY(height.message().isEmpty());
    QVERIFY(!m_document->hasErrors());
    QCOMPARE(m_document->project().height, 96);
}

void EditorTest::keepsWhatWasTyped() {
    KeyRow& frames = rowOf(*m_editor, "num_frames");
    type(frames, QStringLiteral("many"));
    QCOMPARE(frames.field().text(), QStringLiteral("many"));
    QVERIFY(frames.field().isInvalid());
    QCOMPARE(m_document->project().numFrames, Project().numFrames);
}

void EditorTest::doesNotScoldBeforeAnythingWasTyped() {
    m_document->startNew();
    KeyRow& prompt = rowOf(*m_editor, "prompt");
    QVERIFY(m_document->hasErrors());
    QVERIFY(!prompt.message().isEmpty());
    QVERIFY(!prompt.field().isInvalid());
    prompt.field().findChild<QPlainTextEdit*>()->setPlainText(QStringLiteral("a ball"));
    QVERIFY(prompt.message().isEmpty());
    QVERIFY(!m_document->hasErrors());
}

void EditorTest::explainsWhatKeysDemandOfEachOther() {
    type(rowOf(*m_editor, "flash_block_sizes.block_kv"), QStringLiteral("512"));
    type(rowOf(*m_editor, "flash_block_sizes.block_kv_compute"), QStringLiteral("300"));
    QVERIFY(m_document->hasErrors());
}

void EditorTest::undoesAcrossFields() {
    KeyRow& seed = rowOf(*m_editor, "seed");
    KeyRow& steps = rowOf(*m_editor, "num_inference_steps");
    const QString before = seed.field().text();
    type(seed, QStringLiteral("1234"));
    type(steps, QStringLiteral("7"));
    QCOMPARE(m_document->project().seed, 1234);
    m_document->undoStack().undo();
    QCOMPARE(m_document->project().numInferenceSteps, Project().numInferenceSteps);
    QCOMPARE(m_document->project().seed, 1234);
    m_document->undoStack().undo();
    QCOMPARE(seed.field().text(), before);
    QVERIFY(!m_document->isModified());
    m_document->undoStack().redo();
    QCOMPARE(seed.field().text(), QStringLiteral("1234"));
}

void EditorTest::arrowsGoToLegalValues() {
    KeyRow& width = rowOf(*m_editor, "width");
    type(width, QStringLiteral("100"));
    QTest::keyClick(width.field().focusProxy(), Qt::Key_Up);
    QCOMPARE(width.field().text(), QStringLiteral("112"));
    QTest::keyClick(width.field().focusProxy(), Qt::Key_Down);
    QCOMPARE(width.field().text(), QStringLiteral("96"));
}

void EditorTest::modesThatDoNotRunCannotBeChosen() {
    const auto* combo = rowOf(*m_editor, "attention").field().findChild<QComboBox*>();
    QVERIFY(combo != nullptr);
    QCOMPARE(combo->count(), static_cast<int>(attentionModes().size()));
    bool anyRefused = false;
    for (int i = 0; i < combo->count(); ++i) {
        const AttentionMode* mode = findAttentionMode(combo->itemText(i).toStdString());
        QVERIFY(mode != nullptr);
        const bool enabled = combo->model()->flags(combo->model()->index(i, 0)).testFlag(Qt::ItemIsEnabled);
        QCOMPARE(enabled, mode->runs);
        const std::string_view reason = mode->runs ? mode->help : mode->instead;
        QCOMPARE(combo->itemData(i, Qt::ToolTipRole).toString().toStdString(), std::string(reason));
        anyRefused = anyRefused || !enabled;
    }
    QVERIFY(anyRefused);
}

void EditorTest::savesAndLoadsWithComments() {
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("ball.yaml")).toStdString();
    writeFileAtomically(file, "version: 1\n# what it shows\nprompt: a red ball\nseed: 5  # lucky\n");
    m_document->load(file);
    QCOMPARE(rowOf(*m_editor, "prompt").field().text(), QStringLiteral("a red ball"));
    type(rowOf(*m_editor, "height"), QStringLiteral("96"));
    QVERIFY(m_document->isModified());
    m_document->save(file);
    QVERIFY(!m_document->isModified());
    const std::string text = readFile(file);
    QVERIFY(text.find("# what it shows") != std::string::npos);
    QVERIFY(text.find("seed: 5  # lucky") != std::string::npos);

    ProjectDocument again;
    again.load(file);
    QCOMPARE(again.project(), m_document->project());
}

void EditorTest::refusesABrokenFile() {
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("broken.yaml")).toStdString();
    writeFileAtomically(file, "version: 1\nprompt: a ball\nheight: 100\n");
    type(rowOf(*m_editor, "seed"), QStringLiteral("77"));
    QVERIFY_EXCEPTION_THROWN(m_document->load(file), Error);
    QCOMPARE(m_document->project().seed, 77);
}

void EditorTest::tellsWhetherItIsModified() {
    QSignalSpy modified(m_document.get(), &ProjectDocument::modifiedChanged);
    type(rowOf(*m_editor, "seed"), QStringLiteral("9"));
    QVERIFY(m_document->isModified());
    QCOMPARE(modified.count(), 1);
    m_document->startNew();
    QVERIFY(!m_document->isModified());
    QCOMPARE(rowOf(*m_editor, "seed").field().text(), QStringLiteral("0"));
}

QTEST_MAIN(EditorTest)
#include "editor_test.moc"

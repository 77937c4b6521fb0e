// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModel>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUrl>
#include <algorithm>
#include <map>

#include "engine/attention/attention_mode.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/models/families/model_family.h"
#include "engine/planning/model/model_library.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "tests/support/random_adapter.h"
#include "ui/controller/plan_watch.h"
#include "ui/models/cures.h"
#include "ui/models/key_texts.h"
#include "ui/models/project_document.h"
#include "ui/widgets/adapter_field.h"
#include "ui/widgets/key_field.h"
#include "ui/widgets/key_help.h"
#include "ui/widgets/key_row.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/problem_panel.h"
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
    void clicksAreStepsOfTheirOwn();
    void typingThatEndsWhereItBeganIsNoStep();
    void undoingKeepsTheCursorInThePrompt();
    void undoingLeadsBackToTheFileSavedLast();
    void takingOverAProjectCanBeUndone();
    void presetsBringTheirValuesAndTakeThemBack();
    void findsInputsBesideTheProject();
    void filesAreDroppedIntoTheirFields();
    void adaptersAreLines();
    void arrowsGoToLegalValues();
    void modesThatDoNotRunCannotBeChosen();
    void savesAndLoadsWithComments();
    void opensABrokenFileToMendIt();
    void tellsWhetherItIsModified();
    void searchFindsSettings();
    void searchedWordsMayStandApart();
    void whatWasGoneToIsNotFoundForEver();
    void fieldsBesideOthersHaveTitles();
    void aNarrowFormScrolls();
    void resetsAndCountsChanges();
    void inputsOfOtherTasksAreOutOfSight();
    void goesToHiddenSettings();
    void curesEndProblems_data();
    void curesEndProblems();
    void blocksAreSmallerBeforeTheLimitIsLarger_data();
    void blocksAreSmallerBeforeTheLimitIsLarger();
    void tooLittleMemoryIsMendedWithOneClick();
    void problemPanelMendsWithOneClick();
    void whatThePlanWarnsOfIsAProblem();
    void aMissingModelIsAProblem();
    void aReleasedModelIsPlannedBeforeItIsThere();
    void whatAdaptersChangeIsNoted();
    void yamlIsTheProject();

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

void EditorTest::findsInputsBesideTheProject() {
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("cat.yaml")).toStdString();
    writeFileAtomically(file, "version: 1\nprompt: a cat\nimage: cat.png\n");
    m_document->load(file);
    QCOMPARE(m_document->project().image, std::string("cat.png"));
    QCOMPARE(m_document->runnableProject().image, (file.parent_path() / "cat.png").string());
}

void EditorTest::filesAreDroppedIntoTheirFields() {
    const auto drop = [](QWidget& target, const QStringList& files) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& file : files)
            urls += QUrl::fromLocalFile(file);
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(4, 4), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&target, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(4, 4), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&target, &event);
    };
    const auto lineOf = [this](const char* key) {
        return rowOf(*m_editor, key).field().findChild<QLineEdit*>();
    };
    drop(*lineOf("image"), {QStringLiteral("/pictures/a.png"), QStringLiteral("/pictures/b.png")});
    QCOMPARE(m_document->project().image, std::string("/pictures/a.png"));
    drop(*lineOf("reference_images"), {QStringLiteral("/pictures/a.png"), QStringLiteral("/pictures/b.png")});
    drop(*lineOf("reference_images"), {QStringLiteral("/pictures/c.png")});
    QCOMPARE(m_document->project().referenceImages,
             std::string("/pictures/a.png, /pictures/b.png, /pictures/c.png"));
    drop(*lineOf("parts.vae"), {QDir::homePath() + QStringLiteral("/vae.safetensors")});
    QCOMPARE(m_document->text(*findProjectKey("parts.vae")), QStringLiteral("~/vae.safetensors"));
    drop(*lineOf("pretrained_model_name_or_path"), {QStringLiteral("/models/wan")});
    QCOMPARE(m_document->project().model, std::string("/models/wan"));
    m_document->undoStack().undo();
    QVERIFY(m_document->project().model != "/models/wan");
}

void EditorTest::adaptersAreLines() {
    auto* field = dynamic_cast<AdapterField*>(&rowOf(*m_editor, "lora").field());
    QVERIFY(field != nullptr);
    field->add({QStringLiteral("/loras/a.safetensors"), QStringLiteral("/loras/b.safetensors")});
    QCOMPARE(m_document->project().lora.size(), 2U);
    QCOMPARE(m_document->project().lora[1].file, std::string("/loras/b.safetensors"));
    auto* strength = field->findChildren<NumberEdit*>().first();
    strength->findChild<QLineEdit*>()->selectAll();
    QTest::keyClicks(strength->findChild<QLineEdit*>(), QStringLiteral("0.7"));
    QCOMPARE(m_document->project().lora[0].strength, 0.7);
    auto* expert = field->findChildren<QComboBox*>().first();
    expert->setCurrentIndex(1);
    emit expert->activated(1);
    QCOMPARE(m_document->project().lora[0].expert, ExpertChoice::High);
    QTest::mouseClick(field->findChildren<QToolButton*>().first(), Qt::LeftButton);
    QCOMPARE(m_document->project().lora.size(), 1U);
    QCOMPARE(m_document->project().lora[0].file, std::string("/loras/b.safetensors"));
    m_document->setText(*findProjectKey("lora"), QStringLiteral("[]"));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(field->findChildren<NumberEdit*>().isEmpty());
}

void EditorTest::takingOverAProjectCanBeUndone() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("mine.yaml")).toStdString();
    m_document->setText(*findProjectKey("seed"), QStringLiteral("5"));
    m_document->save(file);
    const Project mine = m_document->project();
    Project other;
    other.prompt = "a cube";
    m_document->adopt(other, QStringLiteral("another"));
    QCOMPARE(m_document->project(), other);
    QVERIFY(m_document->file().empty());
    QVERIFY(!m_document->isModified());
    QVERIFY(m_document->displayName().contains(QLatin1String("another")));
    m_document->undoStack().undo();
    QCOMPARE(m_document->project(), mine);
    QVERIFY(m_document->file() == file);
    m_document->undoStack().redo();
    QCOMPARE(m_document->project(), other);
    QVERIFY(m_document->file().empty());
}

void EditorTest::presetsBringTheirValuesAndTakeThemBack() {
    const ProjectKey& preset = *findProjectKey("preset");
    const ProjectKey& guidance = *findProjectKey("guidance_scale");
    m_document->setText(guidance, QStringLiteral("1.0"));  // as the preset has it, and written by hand
    const Project before = m_document->project();
    const int edits = m_document->undoStack().index();
    const auto resetTip = [this] {
        const QList<QToolButton*> buttons = m_editor->findChildren<QToolButton*>();
        const auto found = std::ranges::find_if(buttons, [](const QToolButton* button) {
            return button->accessibleName() == QLatin1String("Reset Guidance");
        });
        return found == buttons.end() ? QString() : (*found)->toolTip();
    };
    const QString ownDefault = QString::fromStdString(defaultText(guidance));
    m_editor->goTo(QStringLiteral("guidance_scale"));
    const auto* help = m_editor->findChild<KeyHelp*>();
    QVERIFY(help->text().contains(QStringLiteral("default ") + ownDefault));
    QCOMPARE(resetTip(), QStringLiteral("Back to the default: ") + ownDefault);
    m_document->setText(preset, QStringLiteral("distilled-model-4"));
    QCOMPARE(rowOf(*m_editor, "num_inference_steps").field().text(), QStringLiteral("4"));
    QVERIFY(m_document->isDefault(*findProjectKey("flow_shift")));
    const QString presets = QString::fromStdString(defaultText(guidance, m_document->project()));
    QVERIFY(presets != ownDefault);
    QVERIFY2(help->text().contains(QStringLiteral("default ") + presets), qPrintable(help->text()));
    QCOMPARE(resetTip(), QStringLiteral("Back to the default: ") + presets);
    m_document->setText(guidance, QStringLiteral("2.0"));
    m_document->resetKey(guidance);
    QCOMPARE(m_document->text(guidance), QStringLiteral("1.0"));
    while (m_document->undoStack().index() > edits)
        m_document->undoStack().undo();
    QVERIFY(m_document->project() == before);
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

void EditorTest::clicksAreStepsOfTheirOwn() {
    KeyRow& seed = rowOf(*m_editor, "seed");
    auto* dice = seed.field().findChild<QToolButton*>();
    dice->click();
    const std::int64_t first = m_document->project().seed;
    dice->click();
    m_document->undoStack().undo();
    QCOMPARE(m_document->project().seed, first);
    m_document->undoStack().undo();
    QCOMPARE(m_document->project().seed, Project().seed);

    auto* modes = rowOf(*m_editor, "attention").field().findChild<QComboBox*>();
    for (const char* mode : {"ulysses", "ring"}) {
        modes->setCurrentText(QLatin1String(mode));
        emit modes->textActivated(QLatin1String(mode));
    }
    QCOMPARE(m_document->project().attention, std::string("ring"));
    m_document->undoStack().undo();
    QCOMPARE(m_document->project().attention, std::string("ulysses"));
}

void EditorTest::typingThatEndsWhereItBeganIsNoStep() {
    const int steps = m_document->undoStack().count();
    auto* prompt = rowOf(*m_editor, "prompt").field().findChild<QPlainTextEdit*>();
    prompt->moveCursor(QTextCursor::End);
    QTest::keyClicks(prompt, QStringLiteral("x"));
    QVERIFY(m_document->isModified());
    QTest::keyClick(prompt, Qt::Key_Backspace);
    QVERIFY(!m_document->isModified());
    QCOMPARE(m_document->undoStack().count(), steps);
}

void EditorTest::undoingKeepsTheCursorInThePrompt() {
    auto* prompt = rowOf(*m_editor, "prompt").field().findChild<QPlainTextEdit*>();
    prompt->moveCursor(QTextCursor::End);
    QTest::keyClicks(prompt, QStringLiteral(" slowly"));
    m_document->undoStack().undo();
    QCOMPARE(prompt->toPlainText(), QStringLiteral("a red ball"));
    QTest::keyClicks(prompt, QStringLiteral(" fast"));
    QCOMPARE(m_document->project().prompt, std::string("a red ball fast"));
}

void EditorTest::undoingLeadsBackToTheFileSavedLast() {
    const QTemporaryDir folder;
    const std::filesystem::path first = folder.filePath(QStringLiteral("a.yaml")).toStdString();
    const std::filesystem::path second = folder.filePath(QStringLiteral("b.yaml")).toStdString();
    m_document->save(first);
    Project other;
    other.prompt = "a cube";
    m_document->adopt(other, QStringLiteral("a run"));
    m_document->save(second);
    m_document->undoStack().undo();
    QVERIFY(m_document->file() == first);
    QSignalSpy moved(m_document.get(), &ProjectDocument::fileChanged);
    m_document->undoStack().redo();
    QCOMPARE(moved.count(), 1);
    QVERIFY(m_document->file() == second);
    QCOMPARE(m_document->displayName(), QStringLiteral("b.yaml"));
    QVERIFY(!m_document->isModified());
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

void EditorTest::opensABrokenFileToMendIt() {
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("broken.yaml")).toStdString();
    writeFileAtomically(file, "version: 1\nprompt: a ball\nheight: 100\n");
    type(rowOf(*m_editor, "seed"), QStringLiteral("77"));
    m_document->load(file);
    QCOMPARE(m_document->project().prompt, std::string("a ball"));
    QVERIFY(rowOf(*m_editor, "height").field().isInvalid());
    QCOMPARE(rowOf(*m_editor, "height").field().text(), QStringLiteral("100"));
    writeFileAtomically(file, "a letter\n");
    QVERIFY_THROWS_EXCEPTION(Error, m_document->load(file));
    QCOMPARE(m_document->project().prompt, std::string("a ball"));
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

void EditorTest::searchFindsSettings() {
    const KeyRow& limit = rowOf(*m_editor, "flash_block_sizes.vmem_limit_bytes");
    const KeyRow& height = rowOf(*m_editor, "height");
    m_editor->setShowsAdvanced(false);
    QVERIFY(!limit.isVisible());
    QTest::keyClicks(&m_editor->search(), QStringLiteral("scratch"));
    QVERIFY(limit.isVisible());
    QVERIFY(!height.isVisible());
    m_editor->search().setText(QStringLiteral("ULYSSES_RING"));  // a choice of the attention key
    QVERIFY(rowOf(*m_editor, "attention").isVisible());
    m_editor->search().setText(QStringLiteral("no such setting"));
    QVERIFY(std::ranges::none_of(projectKeys(), [this](const ProjectKey& key) {
        return m_editor->row(QString::fromStdString(std::string(key.name)))->isVisible();
    }));
    m_editor->search().clear();
    QVERIFY(height.isVisible());
}

void EditorTest::searchedWordsMayStandApart() {
    const std::map<const char*, const char*> searches{
        {"shift flow", "flow_shift"}, {"guidance scale", "guidance_scale"}, {"frames length", "num_frames"}};
    for (const auto& [words, key] : searches) {
        m_editor->search().setText(QLatin1String(words));
        QVERIFY2(rowOf(*m_editor, key).isVisible(), words);
        QVERIFY2(!rowOf(*m_editor, "seed").isVisible(), words);
    }
    m_editor->search().setText(QStringLiteral("flow zzzqqq"));
    QVERIFY(!rowOf(*m_editor, "flow_shift").isVisible());
}

void EditorTest::whatWasGoneToIsNotFoundForEver() {
    const KeyRow& height = rowOf(*m_editor, "height");
    m_editor->search().setText(QStringLiteral("seed"));
    m_editor->goTo(QStringLiteral("height"));
    QVERIFY(height.isVisible());
    m_document->setText(*findProjectKey("seed"), QStringLiteral("5"));
    QVERIFY(height.isVisible());  // while nothing else is asked for
    m_editor->search().setText(QStringLiteral("zzzqqq"));
    QVERIFY(!height.isVisible());
    QVERIFY(std::ranges::any_of(m_editor->findChildren<QLabel*>(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QLatin1String("zzzqqq"));
    }));
}

void EditorTest::fieldsBesideOthersHaveTitles() {
    for (const ProjectKey& key : projectKeys()) {
        const KeyRow* row = m_editor->row(QString::fromStdString(std::string(key.name)));
        if (row->field().extent() != KeyField::Extent::Paragraph)
            QVERIFY2(row->leastTitleWidth() > 0, std::string(key.name).c_str());
    }
}

void EditorTest::aNarrowFormScrolls() {
    const auto* form = m_editor->findChild<QScrollArea*>();
    constexpr int narrow = 220;
    m_editor->resize(narrow, m_editor->height());
    QCoreApplication::processEvents();
    QVERIFY(form->viewport()->width() < form->widget()->width());
    QVERIFY(form->horizontalScrollBar()->isVisible());
    QCOMPARE(form->horizontalScrollBar()->maximum(), form->widget()->width() - form->viewport()->width());
}

void EditorTest::resetsAndCountsChanges() {
    const int before = m_document->changedKeys();
    KeyRow& seed = rowOf(*m_editor, "seed");
    type(seed, QStringLiteral("99"));
    QVERIFY(seed.isChanged());
    QCOMPARE(m_document->changedKeys(), before + 1);
    emit seed.resetRequested();
    QVERIFY(!seed.isChanged());
    QCOMPARE(seed.field().text(), QStringLiteral("0"));
    m_document->undoStack().undo();
    QCOMPARE(seed.field().text(), QStringLiteral("99"));
}

void EditorTest::inputsOfOtherTasksAreOutOfSight() {
    KeyRow& image = rowOf(*m_editor, "image");
    const KeyRow& strength = rowOf(*m_editor, "strength");
    QVERIFY(!image.isVisible());  // as the model is not known yet
    m_editor->setFamily(familyOfArchitecture("wan2.1-t2v-1.3b"));
    QVERIFY(!image.isVisible());
    QVERIFY(strength.isVisible());
    m_editor->search().setText(QStringLiteral("First image"));
    QVERIFY(image.isVisible());
    m_editor->search().clear();
    m_document->setText(*findProjectKey("task"), QStringLiteral("i2v"));
    QVERIFY(image.isVisible());
    QVERIFY(!strength.isVisible());
    m_document->undoStack().undo();
    QVERIFY(!image.isVisible());
    m_editor->setFamily(familyOfArchitecture("wan2.2-i2v-a14b"));
    QVERIFY(image.isVisible());
    m_editor->setFamily(familyOfArchitecture("wan2.1-t2v-1.3b"));
    type(image, QStringLiteral("cat.png"));
    QVERIFY(image.isVisible());
    m_document->undoStack().undo();
    m_editor->setFamily(nullptr);  // a model that cannot be read
    QVERIFY(image.isVisible() && strength.isVisible());
}

void EditorTest::goesToHiddenSettings() {
    m_editor->setShowsAdvanced(false);
    KeyRow& workers = rowOf(*m_editor, "workers");
    QVERIFY(!workers.isVisible());
    m_editor->goTo(QStringLiteral("workers"));
    QVERIFY(workers.isVisible());
    QVERIFY(workers.field().isVisible());
}

void EditorTest::curesEndProblems_data() {
    struct Row {
        const char* name;
        const char* yaml;
        const char* key;
        const char* typed;
        std::vector<const char*> labels;
    };
    QTest::addColumn<QString>("yaml");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QStringList>("labels");
    for (const Row& row :
         {Row{"frames", "", "num_frames", "19", {"Set Frames to 17", "Set Frames to 21"}},
          Row{"width", "", "width", "5000", {"Set Width to 4096"}},
          Row{"ulysses",
              "devices: 4\nattention: ulysses_ring\nulysses_shards: 1\n",
              "ulysses_shards",
              "3",
              {"Set Ulysses shards to 2", "Set Ulysses shards to 4"}},
          Row{"block",
              "flash_block_sizes: {block_kv: 512}\n",
              "flash_block_sizes.block_kv_compute",
              "300",
              {}},
          Row{"picture for a model of texts", "", "image", PICTURE, {"Set Model to tiny-wan-i2v"}},
          Row{"scratch",
              "attention: ulysses_custom\n",
              "flash_block_sizes.vmem_limit_bytes",
              "300000",
              {}}}) {
        QStringList labels;
        for (const char* label : row.labels)
            labels += QLatin1String(label);
        QTest::newRow(row.name) << QString::fromLatin1(row.yaml) << QString::fromLatin1(row.key)
                                << QString::fromLatin1(row.typed) << labels;
    }
}

void EditorTest::curesEndProblems() {
    QFETCH(QString, yaml);
    QFETCH(QString, key);
    QFETCH(QString, typed);
    QFETCH(QStringList, labels);
    m_document->setYaml(QStringLiteral("version: 1\nprompt: a ball\n") + yaml);
    m_document->setText(*findProjectKey(key.toStdString()), typed);
    const ProjectForecast forecast = forecastOf(m_document->project());
    const std::vector<Diagnosis> diagnoses = diagnose(*m_document, forecast.problems, forecast.model.get());
    const auto found = std::ranges::find_if(
        diagnoses, [&](const Diagnosis& diagnosis) { return diagnosis.problem.key == key.toStdString(); });
    QVERIFY(found != diagnoses.end());
    QVERIFY(!found->cures.empty());
    QStringList offered;
    for (const Cure& cure : found->cures)
        offered += cureLabel(cure);
    for (const QString& label : labels)
        QVERIFY2(offered.contains(label), qPrintable(offered.join(QLatin1Char('|'))));
    if (key.endsWith(QLatin1String("vmem_limit_bytes")))
        QVERIFY2(std::ranges::any_of(found->cures,
                                     [](const Cure& cure) {
                                         return cure.changes.front().key->name.starts_with(
                                             "flash_block_sizes.block");
                                     }),
                 "no smaller blocks are offered, only more scratch");
    for (const Cure& cure : found->cures) {
        m_document->setTexts(cureLabel(cure), cure.changes);
        QVERIFY2(!m_document->hasErrors(), qPrintable(cureLabel(cure)));
        QVERIFY(forecastOf(m_document->project()).plan != nullptr);
        m_document->undoStack().undo();
        QVERIFY(m_document->text(*findProjectKey(key.toStdString())) == typed);
    }
}

void EditorTest::blocksAreSmallerBeforeTheLimitIsLarger_data() {
    QTest::addColumn<QString>("blocks");
    QTest::addColumn<qsizetype>("changes");
    QTest::newRow("one block") << QStringLiteral("{block_q: 8192, vmem_limit_bytes: 1000000}")
                               << qsizetype{1};
    QTest::newRow("two blocks") << QStringLiteral(
                                       "{block_q: 4096, block_kv: 4096, vmem_limit_bytes: 1000000}")
                                << qsizetype{2};
}

void EditorTest::blocksAreSmallerBeforeTheLimitIsLarger() {
    QFETCH(QString, blocks);
    QFETCH(qsizetype, changes);
    m_document->setYaml(QStringLiteral("version: 1\nprompt: a ball\nattention: tokamax_ring_custom\n"
                                       "flash_block_sizes: %1\n")
                            .arg(blocks));
    const ProjectForecast forecast = forecastOf(m_document->project());
    const std::vector<Diagnosis> diagnoses = diagnose(*m_document, forecast.problems, forecast.model.get());
    const auto found = std::ranges::find_if(diagnoses, [](const Diagnosis& diagnosis) {
        return diagnosis.problem.key == "flash_block_sizes.vmem_limit_bytes";
    });
    QVERIFY(found != diagnoses.end());
    QVERIFY(found->cures.size() >= 2);
    const auto limit = std::ranges::find_if(found->cures, [](const Cure& cure) {
        return cure.changes.front().key->name == "flash_block_sizes.vmem_limit_bytes";
    });
    QVERIFY2(limit == found->cures.end() || limit == found->cures.end() - 1, "a larger limit comes last");
    QCOMPARE(static_cast<qsizetype>(found->cures.front().changes.size()), changes);
    for (const Cure& cure : found->cures) {
        m_document->setTexts(cureLabel(cure), cure.changes);
        QVERIFY2(forecastOf(m_document->project()).plan != nullptr, qPrintable(cureLabel(cure)));
        m_document->undoStack().undo();
    }
}

void EditorTest::tooLittleMemoryIsMendedWithOneClick() {
    m_document->setYaml(
        QStringLiteral("version: 1\nprompt: a ball\nwidth: 4096\nheight: 4096\nnum_frames: 1001\n"));
    const ProjectForecast forecast = forecastOf(m_document->project());
    QVERIFY2(forecast.plan != nullptr, "what it would be is told all the same");
    const std::vector<Diagnosis> diagnoses = diagnose(*m_document, forecast.problems, forecast.model.get());
    const auto found = std::ranges::find_if(
        diagnoses, [](const Diagnosis& diagnosis) { return isShortOfMemory(diagnosis.problem); });
    QVERIFY(found != diagnoses.end());
    QVERIFY(!found->cures.empty());
    const auto smaller = std::ranges::find_if(
        found->cures, [](const Cure& cure) { return cure.changes.front().key->name == "height"; });
    if (smaller != found->cures.end())
        QVERIFY2(cureLabel(*smaller).startsWith(QLatin1String("Set Height to ")) &&
                     cureLabel(*smaller).contains(QLatin1String(", Width to ")),
                 qPrintable(cureLabel(*smaller)));
    for (const Cure& cure : found->cures) {
        m_document->setTexts(cureLabel(cure), cure.changes);
        const std::vector<ProjectProblem> left = forecastOf(m_document->project()).problems;
        QVERIFY2(std::ranges::none_of(left, isShortOfMemory), qPrintable(cureLabel(cure)));
        m_document->undoStack().undo();
    }
}

void EditorTest::problemPanelMendsWithOneClick() {
    m_document->setText(*findProjectKey("num_frames"), QStringLiteral("18"));
    ProblemPanel panel;
    panel.showFindings(diagnose(*m_document, {}, nullptr));
    connect(&panel, &ProblemPanel::cureRequested, this,
            [this](const Cure& cure) { m_document->setTexts(cureLabel(cure), cure.changes); });
    QSignalSpy goTo(&panel, &ProblemPanel::goToRequested);
    const QList<QPushButton*> buttons = panel.findChildren<QPushButton*>();
    QVERIFY(buttons.size() >= 2);
    buttons.last()->click();
    QCOMPARE(goTo.takeFirst().first().toString(), QStringLiteral("num_frames"));
    buttons.first()->click();
    QCOMPARE(m_document->project().numFrames, 17);
    QVERIFY(!m_document->hasErrors());
}

void EditorTest::whatThePlanWarnsOfIsAProblem() {
    m_document->setYaml(QStringLiteral("version: 1\nprompt: a ball\nworkers: 1000\n"));
    const ProjectForecast forecast = forecastOf(m_document->project());
    QVERIFY(forecast.plan != nullptr);
    const std::vector<Diagnosis> diagnoses = diagnose(*m_document, forecast.problems, forecast.model.get());
    const auto found = std::ranges::find_if(
        diagnoses, [](const Diagnosis& diagnosis) { return diagnosis.problem.key == "workers"; });
    QVERIFY(found != diagnoses.end());
    QCOMPARE(found->problem.severity, Severity::Warning);
    QVERIFY(found->cures.empty());  // none can be tried without this machine
}

void EditorTest::aMissingModelIsAProblem() {
    const std::string key = "pretrained_model_name_or_path";
    const QString installed = m_document->text(*findProjectKey(key));
    m_document->setText(*findProjectKey(key), QStringLiteral("no-such-model"));
    const ProjectForecast forecast = forecastOf(m_document->project());
    QVERIFY(forecast.trouble.has_value());
    const std::vector<Diagnosis> diagnoses = diagnose(*m_document, forecast.problems, forecast.model.get());
    const auto found = std::ranges::find_if(
        diagnoses, [&key](const Diagnosis& diagnosis) { return diagnosis.problem.key == key; });
    QVERIFY(found != diagnoses.end());
    QCOMPARE(sentenceText(found->problem.message), forecast.trouble->message);
    QVERIFY(std::ranges::any_of(found->cures,
                                [&](const Cure& cure) { return cure.changes.front().text == installed; }));
}

void EditorTest::aReleasedModelIsPlannedBeforeItIsThere() {
    m_document->setYaml(
        QStringLiteral("version: 1\nprompt: a ball\nwidth: 1280\nheight: 720\n"
                       "pretrained_model_name_or_path: Wan-AI/Wan2.1-T2V-14B-Diffusers\n"
                       "attention: ulysses_custom\nici_context_parallelism: 8\n"));
    const ProjectForecast forecast = forecastOf(m_document->project());
    QVERIFY(forecast.plan != nullptr);
    QCOMPARE(forecast.plan->layout.devices(), 8);
    QVERIFY(forecast.plan->tokens > 10'000);
    const auto missing = std::ranges::find(forecast.problems, std::string("pretrained_model_name_or_path"),
                                           &ProjectProblem::key);
    QVERIFY(missing != forecast.problems.end());
    QCOMPARE(missing->severity, Severity::Error);
    QVERIFY(!missing->cures.empty());
    // The project asks for a video of a text, which the other embedded model does not make.
    QCOMPARE(missing->cures.front().front().value, std::string("tiny-wan-t2v"));
}

void EditorTest::whatAdaptersChangeIsNoted() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("half.safetensors"));
    testing::writeRandomAdapter(file.toStdString(),
                                Checkpoint::open(findModel(m_document->project().model) / "transformer"));
    m_document->setText(*findProjectKey("lora"), file);
    const std::vector<ProjectProblem> found = forecastOf(m_document->project()).problems;
    const auto half = std::ranges::find(found, "lora", &ProjectProblem::key);
    QVERIFY(half != found.end());
    QCOMPARE(half->severity, Severity::Warning);
    QVERIFY2(half->hint.text().find("fits nothing") != std::string::npos, half->hint.text().c_str());

    m_document->setText(*findProjectKey("lora"), QStringLiteral("[]"));
    m_document->setText(*findProjectKey("preset"), QStringLiteral("distill-4"));
    const ProjectForecast distilled = forecastOf(m_document->project());
    QCOMPARE(distilled.notes.size(), 1U);
    QCOMPARE(distilled.notes.front().key, std::string("preset"));
    ProblemPanel panel;
    panel.showFindings({}, distilled.notes);
    panel.show();
    const QString told = QString::fromStdString(distilled.notes.front().message);
    QVERIFY(std::ranges::any_of(panel.findChildren<QLabel*>(), [&](const QLabel* label) {
        return label->isVisible() && label->text().contains(told);
    }));
    QSignalSpy goTo(&panel, &ProblemPanel::goToRequested);
    panel.findChild<QPushButton*>()->click();
    QCOMPARE(goTo.takeFirst().first().toString(), QStringLiteral("preset"));

    m_document->resetKey(*findProjectKey("preset"));
    m_document->setText(*findProjectKey("lora"), folder.filePath(QStringLiteral("gone.safetensors")));
    const std::vector<ProjectProblem> gone = forecastOf(m_document->project()).problems;
    const auto missing = std::ranges::find(gone, "lora", &ProjectProblem::key);
    QVERIFY(missing != gone.end());
    QCOMPARE(missing->severity, Severity::Error);
}

void EditorTest::yamlIsTheProject() {
    QVERIFY(m_document->yaml().contains(QLatin1String("prompt: a red ball")));
    const Project before = m_document->project();
    m_document->setYaml(QStringLiteral("version: 1\n# why\nprompt: a cube\nseed: 7\n"));
    QVERIFY(m_document->problems().empty());
    QCOMPARE(m_document->project().seed, 7);
    QCOMPARE(rowOf(*m_editor, "seed").field().text(), QStringLiteral("7"));
    // What the form changes keeps the text's comments.
    type(rowOf(*m_editor, "seed"), QStringLiteral("8"));
    QVERIFY(m_document->yaml().contains(QLatin1String("# why")));
    QVERIFY(m_document->yaml().contains(QLatin1String("seed: 8")));
    // A value that cannot be kept is told and keeps no other out.
    m_document->setYaml(QStringLiteral("version: 1\nprompt: a cube\nheight: 100\nseed: 9\n"));
    QCOMPARE(m_document->problems().size(), 1U);
    QCOMPARE(m_document->problems().front().key, std::string("height"));
    QCOMPARE(m_document->project().height, before.height);
    QCOMPARE(m_document->project().seed, 9);
    m_document->undoStack().undo();
    QCOMPARE(m_document->project().seed, 8);
    m_document->undoStack().undo();
    m_document->undoStack().undo();
    QCOMPARE(m_document->project(), before);
}

QTEST_MAIN(EditorTest)
#include "editor_test.moc"

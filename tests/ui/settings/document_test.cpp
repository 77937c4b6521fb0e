// SPDX-License-Identifier: GPL-3.0-or-later
// The project behind the form: steps of undo, its file and its text.
#include <QComboBox>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/editor_test_case.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/edits.h"

using namespace meshreel;
using namespace meshreel::testing;

class DocumentTest : public EditorTestCase {
    Q_OBJECT

  private slots:
    void undoesAcrossFields();
    void clicksAreStepsOfTheirOwn();
    void picksAreStepsOfTheirOwn();
    void typingThatEndsWhereItBeganIsNoStep();
    void seedsHave64BitsOrAreRandom();
    void aTextThatAFileCannotHoldIsAProblem();
    void undoingKeepsTheCursorInThePrompt();
    void undoingLeadsBackToTheFileSavedLast();
    void takingOverAProjectCanBeUndone();
    void presetsBringTheirValuesAndTakeThemBack();
    void findsInputsBesideTheProject();
    void savesAndLoadsWithComments();
    void opensABrokenFileToMendIt();
    void tellsWhetherItIsModified();
    void yamlIsTheProject();
};

void DocumentTest::undoesAcrossFields() {
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

void DocumentTest::seedsHave64BitsOrAreRandom() {
    KeyRow& row = rowOf(*m_editor, "seed");
    auto* edit = row.field().findChild<NumberEdit*>();
    type(row, QStringLiteral("18446744073709551613"));
    QCOMPARE(m_document->project().seed, std::numeric_limits<std::uint64_t>::max() - 2);
    edit->stepBy(2);
    QCOMPARE(row.field().text(), QStringLiteral("18446744073709551615"));
    edit->stepBy(1);
    QCOMPARE(row.field().text(), QStringLiteral("18446744073709551615"));
    edit->stepBy(-10);
    QCOMPARE(m_document->project().seed, std::numeric_limits<std::uint64_t>::max() - 10);
    type(row, QStringLiteral("0"));
    edit->stepBy(-1);
    QCOMPARE(row.field().text(), QStringLiteral("-1"));
    QVERIFY(!m_document->project().seed);
    QVERIFY(m_document->yaml().contains(QLatin1String("seed: -1")));
    QVERIFY(!m_document->hasErrors());
    QVERIFY(limitsText(*findProjectKey("seed")).contains(QLatin1String("random")));
}

void DocumentTest::aTextThatAFileCannotHoldIsAProblem() {
    const ProjectKey& prompt = *findProjectKey("prompt");
    m_document->setText(prompt, QStringLiteral("a ball"));
    m_document->setText(prompt, QStringLiteral("a ") + QChar(u'\0') + QStringLiteral("b"));
    QVERIFY(m_document->hasErrors());
    QCOMPARE(m_document->project().prompt, std::string("a ball"));
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("nul.yaml")).toStdString();
    m_document->save(file);
    QVERIFY(readFile(file).find("\"a \\u0000b\"") != std::string::npos);
    QVERIFY(!m_document->load(file).empty());
    QVERIFY(m_document->hasErrors());
}

void DocumentTest::clicksAreStepsOfTheirOwn() {
    KeyRow& seed = rowOf(*m_editor, "seed");
    auto* dice = seed.field().findChild<QToolButton*>();
    dice->click();
    const Seed first = m_document->project().seed;
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

void DocumentTest::picksAreStepsOfTheirOwn() {
    const KeyRow& model = rowOf(*m_editor, "pretrained_model_name_or_path");
    auto* models = model.field().findChild<QComboBox*>();
    const int before = m_document->undoStack().count();
    const auto steps = [&] { return m_document->undoStack().count() - before; };
    const auto pick = [&](const char* name) {
        models->setCurrentIndex(models->findText(QLatin1String(name)));
    };
    pick("tiny-wan-i2v");
    pick("tiny-wan-t2v");
    QCOMPARE(steps(), 2);
    m_document->undoStack().undo();
    QCOMPARE(m_document->project().model, std::string("tiny-wan-i2v"));
    m_document->undoStack().redo();
    type(model, QStringLiteral("tiny-wan-i"));  // completed while it is typed
    QCOMPARE(m_document->text(model.key()), models->currentText());
    QCOMPARE(steps(), 3);
    const QString typed = models->currentText();
    pick("tiny-wan-t2v");
    QCOMPARE(steps(), 4);
    m_document->undoStack().undo();
    QCOMPARE(models->currentText(), typed);

    auto* image = rowOf(*m_editor, "image").field().findChild<PathEdit*>();
    const int picked = m_document->undoStack().index();
    image->take({QStringLiteral("/pictures/a.png")});
    image->take({QStringLiteral("/pictures/b.png")});
    QCOMPARE(m_document->undoStack().index(), picked + 2);
    m_document->undoStack().undo();
    QCOMPARE(m_document->project().image, std::string("/pictures/a.png"));
}

void DocumentTest::typingThatEndsWhereItBeganIsNoStep() {
    const int steps = m_document->undoStack().count();
    auto* prompt = rowOf(*m_editor, "prompt").field().findChild<QPlainTextEdit*>();
    prompt->moveCursor(QTextCursor::End);
    QTest::keyClicks(prompt, QStringLiteral("x"));
    QVERIFY(m_document->isModified());
    QTest::keyClick(prompt, Qt::Key_Backspace);
    QVERIFY(!m_document->isModified());
    QCOMPARE(m_document->undoStack().count(), steps);
}

void DocumentTest::undoingKeepsTheCursorInThePrompt() {
    auto* prompt = rowOf(*m_editor, "prompt").field().findChild<QPlainTextEdit*>();
    prompt->moveCursor(QTextCursor::End);
    QTest::keyClicks(prompt, QStringLiteral(" slowly"));
    m_document->undoStack().undo();
    QCOMPARE(prompt->toPlainText(), QStringLiteral("a red ball"));
    QTest::keyClicks(prompt, QStringLiteral(" fast"));
    QCOMPARE(m_document->project().prompt, std::string("a red ball fast"));
}

void DocumentTest::undoingLeadsBackToTheFileSavedLast() {
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

void DocumentTest::takingOverAProjectCanBeUndone() {
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

void DocumentTest::presetsBringTheirValuesAndTakeThemBack() {
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
    QTest::keyClick(rowOf(*m_editor, "guidance_scale").field().focusProxy(), Qt::Key_F1, Qt::ShiftModifier);
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

void DocumentTest::findsInputsBesideTheProject() {
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("cat.yaml")).toStdString();
    writeFileAtomically(file, "version: 1\nprompt: a cat\nimage: cat.png\n");
    m_document->load(file);
    QCOMPARE(m_document->project().image, std::string("cat.png"));
    QCOMPARE(m_document->runnableProject().image, (file.parent_path() / "cat.png").string());
}

void DocumentTest::savesAndLoadsWithComments() {
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

void DocumentTest::opensABrokenFileToMendIt() {
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

void DocumentTest::tellsWhetherItIsModified() {
    QSignalSpy modified(m_document.get(), &ProjectDocument::modifiedChanged);
    type(rowOf(*m_editor, "seed"), QStringLiteral("9"));
    QVERIFY(m_document->isModified());
    QCOMPARE(modified.count(), 1);
    m_document->startNew();
    QVERIFY(!m_document->isModified());
    QCOMPARE(rowOf(*m_editor, "seed").field().text(), QStringLiteral("0"));
}

void DocumentTest::yamlIsTheProject() {
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

MESHREEL_TEST_CLASS(DocumentTest)
#include "document_test.moc"

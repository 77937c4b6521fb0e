// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a project beside its form.
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <algorithm>
#include <cstdlib>

#include "engine/base/files.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/settings/yaml_panel.h"
#include "ui/theme/look.h"

using namespace meshreel;
using Kind = YamlToken::Kind;

class YamlTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void linesAreCutIntoTokens_data();
    void linesAreCutIntoTokens();
    void typingChangesTheProject();
    void formChangesTheText();
    void illegalValuesAreMarkedAndKeepTheProject();
    void oneBadLineKeepsNoOtherOut();
    void whatWasTypedOutlivesUndoingAndTheForm();
    void whatIsNoYamlOutlivesUndoingAndTheForm();
    void whatTheFormRefusedStaysInTheText();
    void whatWasTypedIsSavedAndOpenedAgain();
    void nothingIsOfferedForALineThatIsNoKeys();
    void linesAreThoseOfTheTextThatIsTyped();
    void theMarkOfAnErrorIsRed();
    void whatThePlanFindsIsMarked();
    void cursorStaysWhereItIs();
    void tabLeavesTheText();

  private:
    void typeAtTheEnd(const QString& text);
    [[nodiscard]] QString text() const { return m_panel->editor().toPlainText(); }

    std::unique_ptr<ProjectDocument> m_document;
    std::unique_ptr<YamlPanel> m_panel;
};

void YamlTest::init() {
    m_panel.reset();
    m_document = std::make_unique<ProjectDocument>();
    m_document->setYaml(QStringLiteral("version: 1\n# a comment\nprompt: a ball\nseed: 3\n"));
    m_document->undoStack().setClean();  // so that typing is a step of its own
    m_panel = std::make_unique<YamlPanel>(*m_document);
    m_panel->show();
}

void YamlTest::typeAtTheEnd(const QString& text) {
    m_panel->editor().moveCursor(QTextCursor::End);
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (const QString& line : lines) {
        QTest::keyClicks(&m_panel->editor(), line);
        if (&line != &lines.back())
            QTest::keyClick(&m_panel->editor(), Qt::Key_Return);
    }
}

void YamlTest::linesAreCutIntoTokens_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QList<int>>("kinds");
    const auto row = [](const char* line, const std::vector<Kind>& kinds) {
        QList<int> numbers;
        for (const Kind kind : kinds)
            numbers += static_cast<int>(kind);
        QTest::newRow(*line == 0 ? "empty line" : line) << QString::fromLatin1(line) << numbers;
    };
    row("", {});
    row("# only words", {Kind::Comment});
    row("seed: 12  # lucky", {Kind::Key, Kind::Number, Kind::Comment});
    row("replicate_vae: true", {Kind::Key, Kind::Boolean});
    row("prompt: \"a # is no comment\"", {Kind::Key, Kind::Text});
    row("guidance_scale: -1.5e3", {Kind::Key, Kind::Number});
    row("flash_block_sizes:", {Kind::Key});
    row("  block_q: 256", {Kind::Key, Kind::Number});
    row("no_such_key: 1", {Kind::UnknownKey, Kind::Number});
}

void YamlTest::linesAreCutIntoTokens() {
    QFETCH(QString, line);
    QFETCH(QList<int>, kinds);
    QList<int> found;
    qsizetype end = 0;
    for (const YamlToken& token : yamlTokens(line)) {
        found += static_cast<int>(token.kind);
        QVERIFY(token.begin >= end);
        end = token.begin + token.length;
        QVERIFY(end <= line.size());
    }
    QCOMPARE(found, kinds);
}

void YamlTest::typingChangesTheProject() {
    typeAtTheEnd(QStringLiteral("height: 96"));
    QCOMPARE(m_document->project().height, 96);  // at once: the next thing may be to save or to run
    QVERIFY(m_document->yaml().contains(QLatin1String("# a comment")));
    m_document->undoStack().undo();
    QCOMPARE(m_document->project().height, Project().height);
    QVERIFY(!m_panel->editor().toPlainText().contains(QLatin1String("height")));
}

void YamlTest::formChangesTheText() {
    m_document->setText(*findProjectKey("seed"), QStringLiteral("44"));
    QVERIFY(m_panel->editor().toPlainText().contains(QLatin1String("seed: 44")));
    QVERIFY(m_panel->editor().toPlainText().contains(QLatin1String("# a comment")));
}

void YamlTest::illegalValuesAreMarkedAndKeepTheProject() {
    typeAtTheEnd(QStringLiteral("height: 100"));
    QVERIFY2(m_panel->statusText().contains(QLatin1String("Line 5")), qPrintable(m_panel->statusText()));
    QVERIFY(m_panel->editor().problemOfLine(5).contains(QLatin1String("112")));
    QCOMPARE(m_document->project().height, Project().height);
    QVERIFY(m_panel->editor().toPlainText().endsWith(QLatin1String("height: 100")));
    QCOMPARE(m_panel->editor().extraSelections().size(), 1);
    QVERIFY(m_document->hasErrors());
    QVERIFY(m_document->isModified());
    QCOMPARE(m_document->text(*findProjectKey("height")), QStringLiteral("100"));  // in the form as well
}

void YamlTest::oneBadLineKeepsNoOtherOut() {
    m_document->setText(*findProjectKey("height"), QStringLiteral("96"));
    m_document->setYaml(
        QStringLiteral("version: 1\nprompt: a cube\nheight: 17x\nno_such_key: 1\nseed: 99\n"));
    QCOMPARE(m_document->project().seed, 99);
    QCOMPARE(m_document->project().prompt, std::string("a cube"));
    QCOMPARE(m_document->project().height, 96);  // which was legal last
    QVERIFY(m_document->hasErrors());
    QVERIFY(!m_panel->editor().problemOfLine(3).isEmpty());
    QVERIFY(!m_panel->editor().problemOfLine(4).isEmpty());
    // What a preset sets goes with it, though its line is wrong now.
    m_document->setYaml(QStringLiteral("version: 1\nprompt: a cube\npreset: distilled-model-4\n"));
    const Project distilled = m_document->project();
    QVERIFY(distilled.numInferenceSteps != Project().numInferenceSteps);
    const QString typed = QStringLiteral("version: 1\nprompt: a cube\npreset: distilled-model-\n");
    m_document->setYaml(typed);
    QCOMPARE(m_document->project(), distilled);
    QCOMPARE(m_document->yaml(), typed);
}

void YamlTest::whatWasTypedOutlivesUndoingAndTheForm() {
    const ProjectKey& steps = *findProjectKey("num_inference_steps");
    m_document->setText(steps, QStringLiteral("7"));
    const QString before = text();
    typeAtTheEnd(QStringLiteral("height: 17x\n"));
    typeAtTheEnd(QStringLiteral("no_such_key: 5"));
    const QString typed = text();
    m_document->undoStack().undo();
    QCOMPARE(text(), before);
    QCOMPARE(m_document->project().numInferenceSteps, 7);
    m_document->undoStack().redo();
    QCOMPARE(text().trimmed(), typed);
    QCOMPARE(m_document->text(*findProjectKey("height")), QStringLiteral("17x"));

    m_document->setText(steps, QStringLiteral("8"));
    m_document->setText(*findProjectKey("width"), QStringLiteral("96"));
    QVERIFY(text().contains(QLatin1String("num_inference_steps: 8")));
    QVERIFY(text().contains(QLatin1String("width: 96")));
    QVERIFY(text().contains(QLatin1String("height: 17x")));
    QVERIFY(text().contains(QLatin1String("no_such_key: 5")));
    QVERIFY(text().contains(QLatin1String("# a comment")));
    m_document->setText(*findProjectKey("height"), QStringLiteral("128"));  // mended by the form
    QVERIFY(text().contains(QLatin1String("height: 128")));
    QVERIFY(m_document->hasErrors());  // for the key that there is not
}

void YamlTest::whatIsNoYamlOutlivesUndoingAndTheForm() {
    const QString before = text();
    typeAtTheEnd(QStringLiteral("negative_prompt: [blur\n"));
    const QString typed = text();
    QVERIFY(m_document->isUnread() && m_document->hasErrors() && m_document->isModified());
    QCOMPARE(m_document->project().prompt, std::string("a ball"));
    m_document->undoStack().undo();
    QCOMPARE(text(), before);
    QVERIFY(!m_document->isUnread());
    m_document->undoStack().redo();
    QCOMPARE(text(), typed);
    // The form goes on with the text that is there.
    m_document->setText(*findProjectKey("seed"), QStringLiteral("12"));
    QVERIFY2(text().contains(QLatin1String("seed: 12")), qPrintable(text()));
    QVERIFY(text().contains(QLatin1String("# a comment")));
    QVERIFY(text().contains(QLatin1String("negative_prompt: [blur")));
    QString mended = text();
    m_document->setYaml(mended.replace(QLatin1String("[blur"), QLatin1String("blur")));
    QVERIFY(!m_document->hasErrors());
    QCOMPARE(m_document->project().seed, 12);
    QCOMPARE(m_document->project().negativePrompt, std::string("blur"));
}

void YamlTest::whatTheFormRefusedStaysInTheText() {
    const ProjectKey& height = *findProjectKey("height");
    m_document->setText(height, QStringLiteral("70"));
    QVERIFY2(text().contains(QLatin1String("height: 70")), qPrintable(text()));
    typeAtTheEnd(QStringLiteral("num_frames: 9"));
    QCOMPARE(m_document->project().numFrames, 9);
    QCOMPARE(m_document->text(height), QStringLiteral("70"));
    QVERIFY(m_document->hasErrors());
    for (const char* awkward : {"a: b", "[1", "x # y", "\"", ""}) {
        m_document->setText(height, QString::fromLatin1(awkward));
        QVERIFY2(!m_document->isUnread(), awkward);
        m_document->setYaml(text() + QStringLiteral("# more\n"));
        QCOMPARE(m_document->text(height), QString::fromLatin1(awkward));
    }
}

void YamlTest::whatWasTypedIsSavedAndOpenedAgain() {
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("typed.yaml")).toStdString();
    for (const char* line : {"height: 17x\n", "no_such_key: 5\n", "negative_prompt: [blur\n"}) {
        init();
        m_document->setYaml(text() + QString::fromLatin1(line));
        m_document->save(file);
        QVERIFY(!m_document->isModified());
        QCOMPARE(readFile(file), text().toStdString());
        ProjectDocument again;
        QVERIFY(meshreel::hasErrors(again.load(file)));
        QCOMPARE(again.yaml(), text());
        QVERIFY2(again.hasErrors() && !again.isModified(), line);
    }
    writeFileAtomically(file, "a letter to somebody: [\n");
    ProjectDocument none;
    QVERIFY_THROWS_EXCEPTION(ProjectError, none.load(file));
}

void YamlTest::nothingIsOfferedForALineThatIsNoKeys() {
    typeAtTheEnd(QStringLiteral("num_frame: 9"));
    const std::vector<Diagnosis> found = diagnose(*m_document, {}, nullptr);
    QCOMPARE(found.size(), 1U);
    QCOMPARE(found.front().problem.place.line, 5);
    QVERIFY(found.front().fixes.empty());  // another number of frames would not end it
}

void YamlTest::linesAreThoseOfTheTextThatIsTyped() {
    m_panel->editor().setPlainText(QStringLiteral("prompt: a cube\nno_such_key: 3\n"));  // and no version
    QVERIFY(m_panel->editor().problemOfLine(2).contains(QLatin1String("no_such_key")));
    QVERIFY(m_panel->editor().problemOfLine(3).isEmpty());
    QVERIFY2(m_panel->statusText().contains(QLatin1String("Line 2")), qPrintable(m_panel->statusText()));
}

void YamlTest::theMarkOfAnErrorIsRed() {
    typeAtTheEnd(QStringLiteral("height: 100"));
    const QList<QLabel*> labels = m_panel->findChildren<QLabel*>();
    const auto mark = std::ranges::find(labels, QStringLiteral("Error"), &QLabel::accessibleName);
    QVERIFY(mark != labels.end());
    const QImage picture = (*mark)->pixmap(Qt::ReturnByValue).toImage();
    QColor ink(0, 0, 0, 0);  // of the pixel that has the most of it
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
            if (picture.pixelColor(x, y).alpha() > ink.alpha())
                ink = picture.pixelColor(x, y);
    constexpr int rounding = 8;  // of colours that are stored with little alpha
    const QColor red = errorColor(m_panel->palette());
    QVERIFY2(std::abs(ink.red() - red.red()) < rounding && std::abs(ink.green() - red.green()) < rounding &&
                 std::abs(ink.blue() - red.blue()) < rounding,
             qPrintable(ink.name()));
}

void YamlTest::whatThePlanFindsIsMarked() {
    const QString agrees = m_panel->statusText();
    m_document->setYaml(
        QStringLiteral("version: 1\nprompt: a ball\nguidance_scale_high: 3\nworkers: 1000\n"));
    QCOMPARE(m_panel->statusText(), agrees);  // by itself
    m_panel->showForecast(makeForecast(m_document->project()));
    QVERIFY2(m_panel->statusText().contains(QLatin1String("Line 3")), qPrintable(m_panel->statusText()));
    QVERIFY(m_panel->editor().problemOfLine(3).contains(QLatin1String("guidance_scale_high")));

    m_document->setText(*findProjectKey("guidance_scale_high"), QStringLiteral("0"));
    m_panel->showForecast(makeForecast(m_document->project()));
    QVERIFY(m_panel->statusText().contains(QLatin1String("CPU")));
    QCOMPARE(m_panel->editor().problems().front().severity, Severity::Warning);

    m_document->setText(*findProjectKey("seed"), QStringLiteral("many"));  // kept beside the project
    QVERIFY2(m_panel->statusText() != agrees, qPrintable(m_panel->statusText()));
    QCOMPARE(m_panel->editor().problems().front().key, std::string("seed"));
}

void YamlTest::cursorStaysWhereItIs() {
    QTextCursor cursor(m_panel->editor().document()->findBlockByNumber(1));
    m_panel->editor().setTextCursor(cursor);
    m_document->setText(*findProjectKey("seed"), QStringLiteral("12345"));
    QCOMPARE(m_panel->editor().textCursor().blockNumber(), 1);
}

void YamlTest::tabLeavesTheText() {
    const QString before = m_panel->editor().toPlainText();
    QTest::keyClick(&m_panel->editor(), Qt::Key_Tab);
    QCOMPARE(m_panel->editor().toPlainText(), before);
}

MESHREEL_TEST_CLASS(YamlTest)
#include "yaml_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a project beside its form.
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>

#include "engine/project/project_keys.h"
#include "ui/controller/plan_watch.h"
#include "ui/models/project_document.h"
#include "ui/yaml/yaml_editor.h"
#include "ui/yaml/yaml_panel.h"
#include "ui/yaml/yaml_tokens.h"

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
    void whatThePlanFindsIsMarked();
    void cursorStaysWhereItIs();
    void tabLeavesTheText();

  private:
    std::unique_ptr<ProjectDocument> m_document;
    std::unique_ptr<YamlPanel> m_panel;
};

void YamlTest::init() {
    m_panel.reset();
    m_document = std::make_unique<ProjectDocument>();
    m_document->setYaml(QStringLiteral("version: 1\n# a comment\nprompt: a ball\nseed: 3\n"));
    m_panel = std::make_unique<YamlPanel>(*m_document);
    m_panel->show();
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
    m_panel->editor().moveCursor(QTextCursor::End);
    QTest::keyClicks(&m_panel->editor(), QStringLiteral("height: 96"));
    QTRY_COMPARE(m_document->project().height, 96);
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
    m_panel->editor().moveCursor(QTextCursor::End);
    QTest::keyClicks(&m_panel->editor(), QStringLiteral("height: 100"));
    QTRY_VERIFY(m_panel->statusText().contains(QLatin1String("Line 5")));
    QVERIFY(m_panel->editor().problemOfLine(5).contains(QLatin1String("112")));
    QCOMPARE(m_document->project().height, Project().height);
    QVERIFY(m_panel->editor().toPlainText().endsWith(QLatin1String("height: 100")));
    QCOMPARE(m_panel->editor().extraSelections().size(), 1);
}

void YamlTest::whatThePlanFindsIsMarked() {
    const QString agrees = m_panel->statusText();
    m_document->setYaml(
        QStringLiteral("version: 1\nprompt: a ball\nguidance_scale_high: 3\nworkers: 1000\n"));
    QCOMPARE(m_panel->statusText(), agrees);  // by itself
    m_panel->showForecast(forecastOf(m_document->project()));
    QVERIFY2(m_panel->statusText().contains(QLatin1String("Line 3")), qPrintable(m_panel->statusText()));
    QVERIFY(m_panel->editor().problemOfLine(3).contains(QLatin1String("two transformers")));

    m_document->setText(*findProjectKey("guidance_scale_high"), QStringLiteral("0"));
    m_panel->showForecast(forecastOf(m_document->project()));
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

QTEST_MAIN(YamlTest)
#include "yaml_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The Studio before there is anything: every panel says what to do, and its buttons do it.
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <array>

#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/running/devices_panel.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/results_view.h"
#include "ui/settings/project_editor.h"
#include "ui/widgets/panel_parts.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

using namespace meshreel;

namespace {

/// Panels that begin empty.
constexpr std::array emptyPanels{"mesh",     "runs",  "compare", "tune",  "sweep",    "bench",  "prompts",
                                 "problems", "chart", "summary", "queue", "activity", "devices"};

}  // namespace

class EmptyStatesTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void init();
    void buttonsFollowTheirActions();
    void everyPanelSaysWhatToDo_data();
    void everyPanelSaysWhatToDo();
    void buttonsLeadOn_data();
    void buttonsLeadOn();
    void describingAVideoBeginsWithThePrompt();

  private:
    QDockWidget* dock(const QString& name) { return m_window->docks().findChild<QDockWidget*>(name); }
    /// The one in sight in a panel; null where there is none.
    EmptyState* shownIn(const QString& panel);

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void EmptyStatesTest::initTestCase() {
    qputenv("XDG_DATA_HOME", m_folder.filePath(QStringLiteral("data")).toLocal8Bit());
    qputenv("MESHREEL_RUNS", m_folder.filePath(QStringLiteral("runs")).toLocal8Bit());
    QSettings().clear();
}

void EmptyStatesTest::init() {
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1280, 800);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

EmptyState* EmptyStatesTest::shownIn(const QString& panel) {
    m_window->docks().showPanel(dock(panel)->widget());
    QApplication::processEvents();
    for (EmptyState* state : dock(panel)->findChildren<EmptyState*>())
        if (state->isVisible() && !state->visibleRegion().isEmpty())
            return state;
    return nullptr;
}

void EmptyStatesTest::buttonsFollowTheirActions() {
    EmptyState state(QStringLiteral("Nothing is here."));
    QAction action(QStringLiteral("Add"));
    QPushButton* button = state.addButton(&action);
    QSignalSpy triggered(&action, &QAction::triggered);
    button->click();
    QCOMPARE(triggered.count(), 1);
    action.setEnabled(false);
    QVERIFY(!button->isEnabled());
    action.setText(QStringLiteral("Keep"));
    QCOMPARE(button->text(), QStringLiteral("Keep"));
    QCOMPARE(state.sentence(), QStringLiteral("Nothing is here."));
}

void EmptyStatesTest::everyPanelSaysWhatToDo_data() {
    QTest::addColumn<QString>("panel");
    for (const char* panel : emptyPanels)
        QTest::newRow(panel) << QString::fromLatin1(panel);
}

void EmptyStatesTest::everyPanelSaysWhatToDo() {
    QFETCH(QString, panel);
    if (panel == QLatin1String("problems")) {  // which an empty prompt is one of
        m_window->document().setText(*findProjectKey("prompt"), QStringLiteral("a red ball"));
        QTRY_VERIFY(shownIn(panel) != nullptr);
    }
    EmptyState* state = shownIn(panel);
    QVERIFY(state != nullptr);
    QVERIFY2(state->sentence().endsWith(QLatin1Char('.')), qPrintable(state->sentence()));
    QVERIFY(state->minimumSizeHint().width() <= state->width());
}

void EmptyStatesTest::buttonsLeadOn_data() {
    QTest::addColumn<QString>("panel");
    QTest::addColumn<QString>("goal");
    QTest::newRow("chart") << QStringLiteral("chart") << QStringLiteral("runs");
    QTest::newRow("summary") << QStringLiteral("summary") << QStringLiteral("runs");
    QTest::newRow("compare") << QStringLiteral("compare") << QStringLiteral("runs");
    QTest::newRow("devices") << QStringLiteral("devices") << QStringLiteral("mesh");
    QTest::newRow("runs") << QStringLiteral("runs") << QStringLiteral("project");
}

void EmptyStatesTest::buttonsLeadOn() {
    QFETCH(QString, panel);
    QFETCH(QString, goal);
    m_window->docks().showPanel(dock(QStringLiteral("prompts"))->widget());
    EmptyState* state = shownIn(panel);
    QVERIFY(state != nullptr);
    QPushButton* button = nullptr;
    for (QPushButton* candidate : state->findChildren<QPushButton*>())
        if (candidate->isVisible())
            button = candidate;
    QVERIFY(button != nullptr);
    QVERIFY(dock(goal)->visibleRegion().isEmpty());
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(!dock(goal)->visibleRegion().isEmpty());
}

void EmptyStatesTest::describingAVideoBeginsWithThePrompt() {
    EmptyState* state = shownIn(QStringLiteral("runs"));
    QVERIFY(state != nullptr);
    QTest::mouseClick(state->findChild<QPushButton*>(), Qt::LeftButton);
    QTRY_VERIFY(QApplication::focusWidget() != nullptr);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_X);
    QTRY_COMPARE(m_window->document().project().prompt, std::string("x"));
    m_window->document().undoStack().clear();
}

MESHREEL_TEST_CLASS(EmptyStatesTest)
#include "empty_states_test.moc"

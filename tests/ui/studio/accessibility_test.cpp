// SPDX-License-Identifier: GPL-3.0-or-later
// The whole Studio for those who use a keyboard or an assistive tool: everything has a name, and the keyboard
// leads everywhere.
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDialog>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <optional>

#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/accessible_controls.h"
#include "tests/support/studio/filled_studio.h"
#include "tests/support/studio/studio_dialogs.h"
#include "tests/support/studio/tab_walk.h"
#include "tests/support/temporary_folder.h"
#include "ui/charts/chart_view.h"
#include "ui/noise/noise_panel.h"
#include "ui/noise/noise_view.h"
#include "ui/project/plan_watch.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

using namespace meshreel;
using meshreel::testing::FilledStudio;
using meshreel::testing::StudioDialog;
using meshreel::testing::studioDialogs;
using meshreel::testing::TabWalk;
using meshreel::testing::TemporaryFolder;
using meshreel::testing::walkByTab;

namespace {

constexpr QSize bareWindowSize{1280, 800};

/// The Studio as it is begun with, and with something in it.
enum class State { Empty, Filled, RunGoesOn, RunStopped, Broken };

QStringList titled(const QString& title, QStringList texts) {
    for (QString& text : texts)
        text.prepend(title + QLatin1String(": "));
    return texts;
}

/// What keeps people from using a part of the window with a keyboard and an assistive tool.
QStringList obstaclesIn(const QWidget& part, const TabWalk& walk) {
    return titled(QStringLiteral("no name"), meshreel::testing::namelessControls(part)) +
           titled(QStringLiteral("not told"), meshreel::testing::untoldTexts(part)) +
           titled(QStringLiteral("not reached"), meshreel::testing::unreachableControls(part, walk));
}

/// The same of something that is used by itself.
QStringList obstaclesInWhole(const QWidget& part, const TabWalk& walk) {
    return obstaclesIn(part, walk) +
           titled(QStringLiteral("one name"), meshreel::testing::controlsOfOneName(part)) +
           titled(QStringLiteral("leap"), meshreel::testing::leapsIn(part, walk));
}

/// False after naming them.
bool areNone(const QStringList& obstacles) {
    for (const QString& obstacle : obstacles)
        qWarning().noquote() << obstacle;
    return obstacles.isEmpty();
}

/// How long the menu is that the menu key opens.
qsizetype menuEntriesOf(QWidget& view) {
    qsizetype entries = 0;
    QTimer::singleShot(0, &view, [&entries] {
        if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
            entries = menu->actions().size();
            menu->close();
        }
    });
    const QPoint middle = view.rect().center();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, middle, view.mapToGlobal(middle));
    QApplication::sendEvent(&view, &event);
    return entries;
}

}  // namespace

Q_DECLARE_METATYPE(State)

class AccessibilityTest : public QObject {
    Q_OBJECT

  private slots:
    void seesWhatHasNoName();
    void seesWhatTheKeyboardDoesNotReach();
    void choicesTellTheirNameAndTheirValue();
    void everyPanelIsForEverybody_data();
    void everyPanelIsForEverybody();
    void windowIsForEverybody_data();
    void windowIsForEverybody();
    void everyDialogIsForEverybody_data();
    void everyDialogIsForEverybody();
    void shortcutsMeanOneThing();
    void menuKeyOpensTheMenus();
    void panelsAreClosedAndFloatedByKeys();
    void cleanupTestCase();

  private:
    MainWindow& windowIn(State state);
    /// That of a page: of a panel, or of one of several that the panel has.
    QDockWidget* findDock(const QString& page);

    std::optional<TemporaryFolder> m_bareFolder;
    std::unique_ptr<MainWindow> m_bare;
    std::unique_ptr<FilledStudio> m_filled;
    std::optional<State> m_state;
};

MainWindow& AccessibilityTest::windowIn(State state) {
    if (m_state != state) {
        m_state = state;
        m_bare.reset();
        m_filled.reset();
        if (state == State::Empty) {
            m_bareFolder.emplace();
            for (const char* variable : {"XDG_DATA_HOME", "MESHREEL_RUNS"})
                qputenv(variable, QByteArray::fromStdString((m_bareFolder->path() / variable).string()));
            QSettings().clear();
            m_bare = std::make_unique<MainWindow>();
            m_bare->resize(bareWindowSize);
            m_bare->show();
            QSignalSpy forecast(&m_bare->planWatch(), &PlanWatch::forecastChanged);
            forecast.wait();
        } else {
            m_filled = std::make_unique<FilledStudio>();
        }
        if (state == State::RunGoesOn || state == State::RunStopped)
            m_filled->showRunGoingOn();
        if (state == State::RunStopped)
            m_filled->showRunStopped();
        if (state == State::Broken)
            m_filled->breakProject();
    }
    MainWindow& window = m_bare ? *m_bare : m_filled->window();
    if (QWidget* former = QApplication::focusWidget())
        former->clearFocus();  // which also ends what was being edited
    window.activateWindow();
    if (!QTest::qWaitForWindowActive(&window))
        qFatal("the window is not active");
    return window;
}

QDockWidget* AccessibilityTest::findDock(const QString& page) {
    MainWindow& window = m_bare ? *m_bare : m_filled->window();
    return window.docks().findChild<QDockWidget*>(page.section(QLatin1Char(' '), 0, 0));
}

void AccessibilityTest::cleanupTestCase() {
    m_bare.reset();
    m_filled.reset();
}

void AccessibilityTest::seesWhatHasNoName() {
    QWidget window;
    QHBoxLayout row(&window);
    QPushButton button;
    QPushButton twin(QStringLiteral("Choose"));
    QLabel label(QStringLiteral("Ready"));
    for (QWidget* widget : std::initializer_list<QWidget*>{&button, &twin, &label})
        row.addWidget(widget);
    window.show();
    QCOMPARE(meshreel::testing::namelessControls(window).size(), 1);
    button.setText(QStringLiteral("…"));
    QCOMPARE(meshreel::testing::namelessControls(window).size(), 1);
    button.setText(QStringLiteral("&Choose"));
    QVERIFY(meshreel::testing::namelessControls(window).isEmpty());
    QCOMPARE(meshreel::testing::controlsOfOneName(window).size(), 1);
    button.setAccessibleName(QStringLiteral("Choose a file"));
    QVERIFY(meshreel::testing::controlsOfOneName(window).isEmpty());
    QVERIFY(meshreel::testing::untoldTexts(window).isEmpty());
    label.setAccessibleName(QStringLiteral("State"));
    QCOMPARE(meshreel::testing::untoldTexts(window).size(), 1);
}

void AccessibilityTest::seesWhatTheKeyboardDoesNotReach() {
    QWidget window;
    QHBoxLayout row(&window);
    QPushButton button;
    QPushButton skipped;
    QPlainTextEdit editor;
    for (QWidget* widget : std::initializer_list<QWidget*>{&button, &skipped, &editor})
        row.addWidget(widget);
    skipped.setFocusPolicy(Qt::ClickFocus);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    button.setFocus();
    const TabWalk stuck = walkByTab(window);
    QCOMPARE(stuck.stops, (QList<QWidget*>{&button, &editor}));
    QCOMPARE(stuck.troubles.size(), 1);
    QCOMPARE(meshreel::testing::unreachableControls(window, stuck).size(), 1);
    editor.setTabChangesFocus(true);
    skipped.setFocusPolicy(Qt::StrongFocus);
    button.setFocus();
    const TabWalk round = walkByTab(window);
    QCOMPARE(round.stops, (QList<QWidget*>{&button, &skipped, &editor}));
    QVERIFY(round.troubles.isEmpty());
    QVERIFY(meshreel::testing::unreachableControls(window, round).isEmpty());
}

/// As a screen reader asks, in every panel: what is chosen is no name.
void AccessibilityTest::choicesTellTheirNameAndTheirValue() {
    MainWindow& window = windowIn(State::Filled);
    int boxes = 0;
    for (QComboBox* box : window.findChildren<QComboBox*>()) {
        const QAccessibleInterface* told = QAccessible::queryAccessibleInterface(box);
        const QString name = told->text(QAccessible::Name);
        QVERIFY2(!name.isEmpty() && name != box->currentText(),
                 qPrintable(meshreel::testing::described(*box)));
        QCOMPARE(told->text(QAccessible::Value), box->currentText());
        QVERIFY(told->text(QAccessible::Description).startsWith(box->currentText()));
        QCOMPARE(told->child(0)->object(), box->view());
        ++boxes;
    }
    QVERIFY(boxes > 15);
}

void AccessibilityTest::everyPanelIsForEverybody_data() {
    QTest::addColumn<State>("state");
    QTest::addColumn<QString>("page");
    for (const QDockWidget* dock : windowIn(State::Empty).docks().findChildren<QDockWidget*>())
        QTest::addRow("empty %s", qPrintable(dock->objectName())) << State::Empty << dock->objectName();
    for (const QString& page : FilledStudio::pages())
        QTest::addRow("filled %s", qPrintable(page)) << State::Filled << page;
}

void AccessibilityTest::everyPanelIsForEverybody() {
    QFETCH(State, state);
    QFETCH(QString, page);
    MainWindow& window = windowIn(state);
    const QDockWidget* dock = findDock(page);
    if (state == State::Filled)
        m_filled->showPage(page);
    else
        window.docks().showPanel(dock->widget());
    QApplication::processEvents();
    const TabWalk walk = walkByTab(window);
    const QStringList obstacles = walk.troubles + obstaclesInWhole(*dock, walk);
    QVERIFY(areNone(obstacles));
}

void AccessibilityTest::windowIsForEverybody_data() {
    QTest::addColumn<State>("state");
    QTest::newRow("empty") << State::Empty;
    QTest::newRow("filled") << State::Filled;
    QTest::newRow("a run goes on") << State::RunGoesOn;
    QTest::newRow("a run was stopped") << State::RunStopped;
    QTest::newRow("the project cannot run") << State::Broken;
}

void AccessibilityTest::windowIsForEverybody() {
    QFETCH(State, state);
    MainWindow& window = windowIn(state);
    const TabWalk walk = walkByTab(window);
    const QStringList obstacles = walk.troubles + obstaclesIn(window, walk);
    QVERIFY(areNone(obstacles));
}

void AccessibilityTest::everyDialogIsForEverybody_data() {
    QTest::addColumn<const StudioDialog*>("dialog");
    for (const StudioDialog& dialog : studioDialogs())
        QTest::newRow(dialog.name) << &dialog;
}

void AccessibilityTest::everyDialogIsForEverybody() {
    QFETCH(const StudioDialog*, dialog);
    windowIn(State::Filled);
    QStringList obstacles;
    withDialog(*dialog, *m_filled, [&obstacles](QDialog& shown) {
        if (!QTest::qWaitForWindowActive(&shown))
            qFatal("the dialog is not active");
        const TabWalk walk = walkByTab(shown);
        obstacles = walk.troubles + obstaclesInWhole(shown, walk);
    });
    QVERIFY(areNone(obstacles));
}

void AccessibilityTest::shortcutsMeanOneThing() {
    QHash<QString, const QAction*> taken;
    for (const QAction* action : windowIn(State::Filled).findChildren<QAction*>())
        for (const QKeySequence& keys : action->shortcuts()) {
            if (action->shortcutContext() != Qt::WindowShortcut)
                continue;
            const QAction*& first = taken[keys.toString()];
            QVERIFY2(first == nullptr || first == action,
                     qPrintable(keys.toString() + QLatin1String(": ") + action->text()));
            first = action;
        }
    QVERIFY(taken.size() > 10);
}

void AccessibilityTest::menuKeyOpensTheMenus() {
    windowIn(State::Filled);
    int menus = 0;
    for (const char* page : {"runs", "queue", "prompts", "compare", "chart"}) {
        m_filled->showPage(QLatin1String(page));
        for (auto* view : findDock(QLatin1String(page))->findChildren<QAbstractScrollArea*>()) {
            const bool hasMenu = view->contextMenuPolicy() == Qt::ActionsContextMenu ||
                                 qobject_cast<ChartView*>(view) != nullptr;
            if (!hasMenu || !view->isVisible())
                continue;
            QVERIFY2(menuEntriesOf(*view) > 0, qPrintable(meshreel::testing::described(*view)));
            ++menus;
        }
    }
    QVERIFY(menus >= 5);
}

void AccessibilityTest::panelsAreClosedAndFloatedByKeys() {
    MainWindow& window = windowIn(State::Filled);
    QDockWidget* dock = findDock(QStringLiteral("noise"));
    window.docks().showPanel(dock->widget());
    window.panels().noise().view().setFocus();
    const QList<QAction*> actions = window.findChildren<QAction*>();
    const auto act = [&actions](const QString& text) {
        const auto found = std::ranges::find(actions, text, &QAction::text);
        QVERIFY2(found != actions.end(), qPrintable(text));
        (*found)->trigger();
    };
    act(QStringLiteral("&Float this panel, or dock it again"));
    QVERIFY(dock->isFloating());
    act(QStringLiteral("&Float this panel, or dock it again"));
    QVERIFY(!dock->isFloating());
    act(QStringLiteral("&Close this panel"));
    QVERIFY(dock->isHidden());
    window.docks().showPanel(dock->widget());
    QVERIFY(window.panels().noise().view().isVisible());
}

MESHREEL_TEST_CLASS(AccessibilityTest)
#include "accessibility_test.moc"

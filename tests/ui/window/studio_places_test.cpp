// SPDX-License-Identifier: GPL-3.0-or-later
// Where the parts of the window stand, and how much room they have: the drawer, the form on a small screen,
// the strip of recent results, the status line.
#include <QAction>
#include <QDockWidget>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSettings>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <filesystem>
#include <vector>

#include "engine/project/project_keys.h"
#include "engine/queue/queue_file.h"
#include "engine/runs/run_history.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/made_run.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/charts/step_chart.h"
#include "ui/project/project_document.h"
#include "ui/queue/queue_panel.h"
#include "ui/queue/run_queue.h"
#include "ui/running/devices_panel.h"
#include "ui/running/run_bar.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/recent_strip.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_history_model.h"
#include "ui/settings/consequences_bar.h"
#include "ui/settings/problem_panel.h"
#include "ui/settings/project_editor.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/panel_parts.h"
#include "ui/window/dock_host.h"
#include "ui/window/dock_tree.h"
#include "ui/window/workspaces.h"

using namespace meshreel;
using meshreel::testing::makeRun;

class StudioPlacesTest : public meshreel::testing::StudioTestCase {
    Q_OBJECT

  private slots:
    void init();
    void pagesOfTheDrawerAreRead();
    void aPageOpensAtTheHeightThatItWasGiven();
    void buttonsOfTheDrawerStayInPlace();
    void theFormIsWideEnoughOnASmallScreen();
    void aLayoutOfAWiderWindowLeavesTheFormItsWidth();
    void aQueueThatWillBeLostIsToldWhereOneRuns();
    void theStripMarksWhatIsShown();
    void theStripStaysBesideTheDrawer();
    void aSentenceOfTheStatusLineTakesFreeRoom();
    void messagesKeepClearOfAPart();

  private:
    [[nodiscard]] QDockWidget* dockOf(const QWidget& panel) const {
        return m_window->docks().findDock(&panel);
    }
    void openPage(const QWidget& panel) {
        QTest::mouseClick(m_window->drawer().drawerButton(dockOf(panel)), Qt::LeftButton);
        QApplication::processEvents();
    }
};

namespace {

constexpr int forEyes = 120;  ///< pixels of a plot, or of a list

std::vector<StepRecord> someSteps() {
    std::vector<StepRecord> steps;
    for (int step = 0; step < 12; ++step)
        steps.push_back({.step = step, .seconds = 1.0 + step % 3});
    return steps;
}

}  // namespace

void StudioPlacesTest::init() {
    QSettings().clear();
    StudioTestCase::openWindow();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void StudioPlacesTest::pagesOfTheDrawerAreRead() {
    ResultsView& results = m_window->panels().results();
    results.chart().setSteps(someSteps());
    openPage(results.chart());
    QTRY_VERIFY2(results.chart().chart().plotArea().height() >= forEyes,
                 qPrintable(QString::number(results.chart().chart().plotArea().height())));
    results.summary().setText(QString::fromStdString(
        formatTimingSummary({.load = 1, .compile = 2, .inference = 3, .hasTrace = true, .denoiseTotal = 2})));
    openPage(results.summary());
    const auto* text = results.summary().findChild<QPlainTextEdit*>();
    QTRY_COMPARE(text->verticalScrollBar()->maximum(), 0);  // all of it is seen
    openPage(results.devices());
    const auto* machine = results.devices().findChild<QTreeWidget*>();
    QTRY_VERIFY2(machine->height() >= forEyes / 2, qPrintable(QString::number(machine->height())));
}

void StudioPlacesTest::aPageOpensAtTheHeightThatItWasGiven() {
    ResultsView& results = m_window->panels().results();
    results.chart().setSteps(someSteps());
    openPage(results.chart());
    QDockWidget* chart = dockOf(results.chart());
    const int first = chart->height();
    DockTree tree = DockTree::of(m_window->docks(), m_window->docks().drawer());
    tree.widen(chart, Qt::Vertical, 60);
    tree.shareRoom(m_window->docks());
    QTRY_VERIFY(chart->height() > first + 40);
    const int given = chart->height();
    openPage(m_window->panels().problems());
    QVERIFY(dockOf(m_window->panels().problems())->height() < first);
    openPage(results.chart());
    QTRY_COMPARE(chart->height(), given);
    openPage(results.chart());  // closes it
    m_window->close();
    openWindow();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    openPage(m_window->panels().results().chart());
    QTRY_COMPARE(dockOf(m_window->panels().results().chart())->height(), given);
}

void StudioPlacesTest::buttonsOfTheDrawerStayInPlace() {
    const auto places = [this] {
        QApplication::processEvents();
        QList<QRect> rects;
        for (QDockWidget* dock : m_window->docks().drawer())
            rects += m_window->drawer().drawerButton(dock)->geometry();
        return rects;
    };
    QTRY_VERIFY(!m_window->planWatch().isPending());
    const QList<QRect> before = places();
    const QToolButton* problems = m_window->drawer().drawerButton(dockOf(m_window->panels().problems()));
    const QString quiet = problems->text();
    typeText("width", QStringLiteral("70"));
    QTRY_VERIFY(problems->text() != quiet);
    QCOMPARE(places(), before);
}

void StudioPlacesTest::theFormIsWideEnoughOnASmallScreen() {
    openPage(m_window->panels().results().chart());
    m_window->close();
    openWindow();
    m_window->resize(1024, 600);
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    const ProjectEditor& form = m_window->panels().editor();
    const QDockWidget* dock = dockOf(form);
    QTRY_COMPARE(m_window->size(), QSize(1024, 600));
    QTRY_VERIFY2(dock->width() >= form.minimumWidth(), qPrintable(QString::number(dock->width())));
    QTRY_VERIFY(dock->widget()->findChild<QScrollBar*>(QStringLiteral("qt_scrollarea_hcontainer")) ==
                    nullptr ||
                form.width() <= dock->width());
}

void StudioPlacesTest::aLayoutOfAWiderWindowLeavesTheFormItsWidth() {
    m_window->workspaces().show(Workspace::Runs);
    m_window->resize(1024, 600);
    QTRY_COMPARE(m_window->size(), QSize(1024, 600));
    m_window->workspaces().show(Workspace::Create);
    const ProjectEditor& form = m_window->panels().editor();
    QTRY_VERIFY2(dockOf(form)->width() >= form.minimumWidth(),
                 qPrintable(QString::number(dockOf(form)->width())));
}

void StudioPlacesTest::aQueueThatWillBeLostIsToldWhereOneRuns() {
    QVERIFY(m_window->queue().isKept());
    const std::filesystem::path lock = queueFile().string() + ".lock-2";
    std::filesystem::remove(lock);
    std::filesystem::create_directory(lock);
    MainWindow second;
    second.resize(1280, 800);
    second.show();
    QVERIFY(!second.queue().isKept());
    QVERIFY2(second.banner().text().contains(second.queue().remark()), qPrintable(second.banner().text()));
    QVERIFY(second.banner().isVisible());
    QVERIFY(!second.panels().queue().isVisible());
    second.banner().closeAll();
    second.document().setText(*findProjectKey("prompt"), QStringLiteral("a ball"));
    second.panels().queue().actions().add->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(second.queue().rowCount(), 1, meshreel::testing::runMilliseconds);
    QTRY_COMPARE(second.banner().count(), 2);  // how many wait, and that they will be lost
    second.queue().remove({0});
    std::filesystem::remove(lock);
}

void StudioPlacesTest::theStripMarksWhatIsShown() {
    RunHistoryModel& history = m_window->history();
    const QString runs = m_folder.filePath(QStringLiteral("runs"));
    std::vector<QString> folders;
    for (const int number : {1, 2, 4}) {
        folders.push_back(runs + QStringLiteral("/2026112%1-080000-ball").arg(number));
        makeRun(folders.back().toStdString(), number);
    }
    QTRY_VERIFY_WITH_TIMEOUT(history.indexOf(folders[0]).isValid() && history.indexOf(folders[2]).isValid(),
                             meshreel::testing::runMilliseconds);
    const RecentStrip& strip = m_window->panels().recent();
    const auto marked = [&strip] {
        return strip.selectionModel()->selectedIndexes().isEmpty()
                   ? QString()
                   : strip.currentIndex().data(RunHistoryModel::FolderRole).toString();
    };
    m_window->openPath(folders[1]);
    QTRY_COMPARE(marked(), folders[1]);
    m_window->openPath(folders[0]);
    QTRY_COMPARE(marked(), folders[0]);
    // What others make meanwhile goes to its place by time, and the mark stays with what is shown.
    const QString between = runs + QStringLiteral("/20261123-080000-between");
    makeRun(between.toStdString(), 3);
    QTRY_VERIFY_WITH_TIMEOUT(history.indexOf(between).isValid(), meshreel::testing::runMilliseconds);
    QCOMPARE(marked(), folders[0]);
    for (int row = 1; row < history.rowCount(); ++row)
        QVERIFY(isNewerRun(history.run(history.index(row - 1, 0)), history.run(history.index(row, 0))));
}

void StudioPlacesTest::theStripStaysBesideTheDrawer() {
    if (m_window->history().rowCount() == 0)
        makeRun(m_folder.filePath(QStringLiteral("runs/20261120-080000-ball")).toStdString(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->history().rowCount() > 0, meshreel::testing::runMilliseconds);
    const RecentStrip& strip = m_window->panels().recent();
    QTRY_VERIFY(strip.isVisible());
    openPage(m_window->panels().results().chart());
    QVERIFY(strip.isVisible());
}

void StudioPlacesTest::aSentenceOfTheStatusLineTakesFreeRoom() {
    RunBar& bar = m_window->runBar();
    QTRY_VERIFY(!m_window->planWatch().isPending());
    bar.showIdle(QStringLiteral("The run stopped after step 12 of 40, and can be resumed at any time."),
                 true);
    const auto* words = bar.findChild<ClampedText*>();
    QApplication::processEvents();
    const QWidget& outlook = m_window->consequences();
    const bool isWhole = words->lines(words->width()).constFirst() == words->text();
    const bool isNeeded = outlook.width() < outlook.sizeHint().width();
    QVERIFY2(isWhole || isNeeded, qPrintable(words->lines(words->width()).join(QLatin1Char('\n'))));
    m_window->resize(2400, 800);
    QTRY_COMPARE(words->lines(words->width()).constFirst(), words->text());
    bar.showIdle({}, false);
}

void StudioPlacesTest::messagesKeepClearOfAPart() {
    QWidget window;
    window.resize(600, 400);
    QWidget part(&window);
    part.setGeometry(250, 300, 340, 90);
    QWidget docks(&window);
    docks.setGeometry(0, 0, 600, 400);
    QWidget viewer(&window);
    viewer.hide();
    MessageBanner messages(&window);
    messages.setPlaces(&viewer, &docks);
    messages.keepClear(&part);
    window.show();
    part.raise();
    messages.showObstacle({.message = "The download failed"}, {{QStringLiteral("Retry"), [] {}}});
    QVERIFY(messages.isVisible());
    QVERIFY(!messages.geometry().intersects(part.geometry()));
    QVERIFY(window.rect().contains(messages.geometry()));
    part.hide();
    messages.closeAll();
    messages.showFailure(QStringLiteral("Another failure"));
    QVERIFY(messages.geometry().intersects(QRect(250, 300, 340, 90)));
}

MESHREEL_TEST_CLASS(StudioPlacesTest)
#include "studio_places_test.moc"

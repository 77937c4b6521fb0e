// SPDX-License-Identifier: GPL-3.0-or-later
// The queue, with the engine.
#include <malloc.h>
#include <unistd.h>

#include <QAction>
#include <QApplication>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/base/files.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/made_run.h"
#include "tests/support/small_project.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/charts/step_chart.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/queue_panel.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/widgets/message_banner.h"

using namespace meshreel;
using namespace meshreel::testing;

class StudioQueueTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void queuedRunThatCannotBeReadFails();
    void runsTheQueue();
    void queuedRunGoesOnAfterARestart();
    void queuedRunIsResumedFromTheBar();
    void queueStopsThoughItIsTooLateToPause();
    void gridIsQueuedAtOnce();
    void projectsDroppedOnTheQueueAreQueued();
    void aLongQueueKeepsItsMemory();
};

namespace {

constexpr double bytesPerMebibyte = 1 << 20;

/// What the program has allocated and not freed.
double heldMebibytes() {
    const struct mallinfo2 heap = ::mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd) / bytesPerMebibyte;
}

/// Of this process, without what the allocator only keeps for later.
double residentMebibytes() {
    ::malloc_trim(0);
    std::ifstream pages("/proc/self/statm");
    double all = 0;
    double resident = 0;
    pages >> all >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / bytesPerMebibyte;
}

}  // namespace

void StudioQueueTest::queuedRunThatCannotBeReadFails() {
    const QString run = m_folder.filePath(QStringLiteral("gone"));
    makeRun(run.toStdString(), 0);
    std::filesystem::remove(std::filesystem::path(run.toStdString()) / run_file::project);
    RunQueue& queue = m_window->queue();
    fillIn(2);
    addToQueue();
    QVERIFY(queue.start().has_value());
    queue.setFolder(run);
    queue.end(QueuedRun::State::Waiting, {});
    m_window->panels().queue().setGoing(true);
    QTRY_COMPARE(queue.at(0).state, QueuedRun::State::Failed);
    QVERIFY2(queue.at(0).remark.find("project.yaml") != std::string::npos, queue.at(0).remark.c_str());
    queue.remove({0});
}

void StudioQueueTest::runsTheQueue() {
    fillIn(2);
    addToQueue();
    typeText("seed", QStringLiteral("5"));
    addToQueue();
    QCOMPARE(m_window->queue().waiting(), 2);
    m_window->panels().queue().setGoing(true);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().count(QueuedRun::State::Done), 2, 2 * runMilliseconds);
    QTRY_VERIFY(!m_window->panels().queue().isGoing());
    QCOMPARE(RunFolder::open(m_lastFolder.toStdString()).project().seed, 5);
    m_window->queue().clearFinished();
    QCOMPARE(m_window->queue().rowCount(), 0);
}

void StudioQueueTest::queuedRunGoesOnAfterARestart() {
    fillIn(manySteps);
    addToQueue();
    m_window->panels().queue().setGoing(true);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->panels().results().chart().chart().pointCount() >= 2, runMilliseconds);
    QTest::mouseClick(button("pause"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(!m_window->panels().queue().isGoing());
    QVERIFY(button("resume")->isVisible());
    const int stepsDone = lastRun().stepsDone;
    QVERIFY(stepsDone < manySteps);
    QCOMPARE(m_window->panels().results().chart().chart().pointCount(),
             stepsDone);  // of the last step nothing is lost

    m_window.reset();
    openWindow();
    QCOMPARE(m_window->queue().waiting(), 1);
    const QString folder = m_lastFolder;
    m_window->panels().queue().setGoing(true);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().at(0).state, QueuedRun::State::Done, runMilliseconds);
    QCOMPARE(m_lastFolder, folder);
    QCOMPARE(m_window->panels().results().chart().chart().pointCount(), manySteps);
    m_window->queue().clearFinished();
}

void StudioQueueTest::queuedRunIsResumedFromTheBar() {
    RunQueue& queue = m_window->queue();
    QueuePanel& panel = m_window->panels().queue();
    fillIn(manySteps);
    addToQueue();
    typeText("num_inference_steps", QStringLiteral("2"));
    addToQueue();
    panel.setGoing(true);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->panels().results().chart().chart().pointCount() >= 1, runMilliseconds);
    QTest::mouseClick(button("pause"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(!panel.isGoing());
    QCOMPARE(queue.at(0).state, QueuedRun::State::Waiting);
    const QString folder = m_lastFolder;

    QTest::mouseClick(button("resume"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(queue.at(0).state, QueuedRun::State::Running, runMilliseconds);
    QVERIFY(panel.isGoing());  // which the pause had stopped
    QTRY_COMPARE_WITH_TIMEOUT(queue.count(QueuedRun::State::Done), 2, 2 * runMilliseconds);
    QCOMPARE(QString::fromStdString(queue.at(1).folder), folder);  // it ended first
    QVERIFY(QString::fromStdString(queue.at(0).folder) != folder);
    queue.clearFinished();
}

void StudioQueueTest::queueStopsThoughItIsTooLateToPause() {
    RunQueue& queue = m_window->queue();
    RunController& controller = m_window->runs().controller();
    fillIn(2);
    for (int run = 0; run < 2; ++run)
        addToQueue();
    onEvent<FramesReady>(controller, &controller,
                         [&controller](const FramesReady&) { controller.pauseAfterStep(); });
    m_window->panels().queue().setGoing(true);
    QTRY_COMPARE_WITH_TIMEOUT(queue.at(1).state, QueuedRun::State::Done, runMilliseconds);
    QTRY_VERIFY(!m_window->panels().queue().isGoing());
    QVERIFY(!QTest::qWaitFor([this] { return m_window->runs().isBusy(); }, 100));
    QCOMPARE(queue.at(0).state, QueuedRun::State::Waiting);
    queue.remove({0, 1});
}

void StudioQueueTest::gridIsQueuedAtOnce() {
    fillIn(2);
    QSignalSpy changed(&m_window->queue(), &RunQueue::changed);
    QTimer answer;
    answer.callOnTimeout([] {
        if (auto* dialog = qobject_cast<GridDialog*>(QApplication::activeModalWidget())) {
            dialog->setAxis(0, *findProjectKey("seed"), QStringLiteral("1..1000"));
            dialog->accept();
        }
    });
    constexpr int pollMilliseconds = 20;
    answer.start(pollMilliseconds);
    m_window->panels().queue().actions().addGrid->trigger();
    QCOMPARE(m_window->queue().rowCount(), 1000);
    QCOMPARE(changed.count(), 1);
    m_window->panels().queue().table().selectAll();
    m_window->panels().queue().actions().remove->trigger();
    QCOMPARE(m_window->queue().rowCount(), 0);
    QCOMPARE(changed.count(), 2);
}

void StudioQueueTest::projectsDroppedOnTheQueueAreQueued() {
    QStringList files;
    for (const char* name : {"first.yaml", "second.yaml"}) {
        files += m_folder.filePath(QLatin1String(name));
        writeFileAtomically(files.last().toStdString(),
                            std::string("version: 1\nprompt: a ball of ") + name + '\n');
    }
    files += m_folder.filePath(QStringLiteral("wrong.yaml"));
    writeFileAtomically(files.last().toStdString(), "version: 1\nprompt: a ball\nwidth: 70\n");
    drop(files, &m_window->panels().queue());
    RunQueue& queue = m_window->queue();
    QCOMPARE(queue.rowCount(), 2);
    QCOMPARE(queue.at(1).project.prompt, std::string("a ball of second.yaml"));
    QVERIFY2(m_window->banner().text().contains(QLatin1String("wrong.yaml")),
             qPrintable(m_window->banner().text()));
    QVERIFY2(m_window->document().project().prompt.empty(), "the open project stays");
    queue.remove({0, 1});
}

/// A run leaves its rows in tables, about 0.03 MiB. With MESHREEL_QUEUE_RUNS=200 for minutes, and then of the
/// resident memory too: until the allocator has an arena for each thread, that grows by itself.
void StudioQueueTest::aLongQueueKeepsItsMemory() {
    constexpr int usualRuns = 12;
    constexpr int longQueue = 100;
    constexpr double mostPerRun = 0.3;  // MiB; the frames of one run take 0.6 as they are shown
    const int asked = qEnvironmentVariableIntValue("MESHREEL_QUEUE_RUNS");
    const int runs = std::max(asked, usualRuns);
    const bool isLong = runs >= longQueue;
    const int warmUp = isLong ? longQueue / 2 : usualRuns / 2;  // what is made once is there then
    Project project = smallProject();
    project.width = project.height = 96;
    project.numFrames = 17;
    project.numInferenceSteps = 1;
    project.guidanceScale = 1;
    GridAxis seeds{findProjectKey("seed"), {}};
    for (int seed = 1; seed <= runs; ++seed)
        seeds.values += QString::number(seed);
    RunQueue& queue = m_window->queue();
    queue.add(settingGrid(project, {seeds}));
    QCOMPARE(queue.rowCount(), runs);
    m_window->panels().queue().setGoing(true);
    QTRY_COMPARE_GE_WITH_TIMEOUT(queue.count(QueuedRun::State::Done), warmUp, warmUp * runMilliseconds);
    const double heldBefore = heldMebibytes();
    const double before = residentMebibytes();
    QTRY_COMPARE_WITH_TIMEOUT(queue.count(QueuedRun::State::Done), runs, runs * runMilliseconds);
    const double heldAfter = heldMebibytes();
    const double after = residentMebibytes();
    qInfo("held %.2f MiB after %d runs, %.2f MiB after %d; resident %.1f and %.1f MiB", heldBefore, warmUp,
          heldAfter, runs, before, after);
    QVERIFY2(heldAfter - heldBefore < mostPerRun * (runs - warmUp),
             "the Studio holds more with each run of a queue");
    QVERIFY2(!isLong || after - before < mostPerRun * (runs - warmUp),
             "the Studio grows with each run of a queue");
    queue.clearFinished();
}

MESHREEL_TEST_CLASS(StudioQueueTest)
#include "studio_queue_test.moc"

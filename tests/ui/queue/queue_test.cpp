// SPDX-License-Identifier: GPL-3.0-or-later
// The queue of runs, without an engine.
#include <fcntl.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QPersistentModelIndex>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "engine/base/file_lock.h"
#include "engine/base/files.h"
#include "engine/base/version.h"
#include "engine/estimates/machine_rates.h"
#include "engine/planning/forecast.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/project_keys.h"
#include "engine/queue/queue_file.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/made_run.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/queue_panel.h"
#include "ui/queue/queue_times.h"
#include "ui/queue/run_queue.h"

using namespace meshreel;
using State = QueuedRun::State;

namespace {

Project extractProject(int seed) {
    Project project;
    project.prompt = "a \"ball\": # no comment";
    project.seed = seed;
    return project;
}

QList<int> listSeeds(const RunQueue& queue) {
    QList<int> seeds;
    for (int row = 0; row < queue.rowCount(); ++row)
        seeds += static_cast<int>(queue.at(row).project.seed.value());
    return seeds;
}

/// A run for each of these seeds.
SettingGrid seedGrid(int count) {
    GridAxis seeds{findProjectKey("seed"), {}};
    for (int seed = 1; seed <= count; ++seed)
        seeds.values += QString::number(seed);
    return settingGrid(extractProject(0), {seeds});
}

}  // namespace

class QueueTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void runsInOrder();
    void whatIsDoneStandsLast();
    void whatWaitsHasATime();
    void orderCanBeChanged();
    void rowsAreDragged_data();
    void rowsAreDragged();
    void isThereAfterARestart();
    void whatWasRunningGoesOn();
    void twoWindowsShareIt();
    void oneWindowAtATimeRunsIt();
    void thatItCannotBeKeptIsTold();
    void damagedFileIsSetAside();
    void panelFollows();
    void whatFailedOnAGpuMayRunOnTheCpuOrShorter();
    void severalRowsAreActedOnAtOnce();
    void rowsLeadToTheirRunOrProject();
    void resumedElsewhereItsRowRuns();
    void manyRunsAreOneChange();
    void onlyTheLastOfManyChangesIsWritten();
    void rowsSayWhatTellsThemApart();
    void columnsShowTheirTexts();
    void valuesOfAGrid();
    void gridsHaveALimit_data();
    void gridsHaveALimit();
    void combinationsHaveTheSameLimit();
    void gridHoldsWhatCanRun();
    void gridDialogTellsWhatItAdds();

  private:
    [[nodiscard]] std::filesystem::path file() const {
        return m_folder->filePath(QStringLiteral("kept/queue.json")).toStdString();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void QueueTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
}

void QueueTest::whatWaitsHasATime() {
    const QTemporaryDir folder;
    RunQueue queue(folder.filePath(QStringLiteral("queue.json")).toStdString());
    QueueTimes times(queue);
    QueuePanel panel(queue);
    connect(&times, &QueueTimes::changed, &panel, [&] { panel.setTotal(times.total()); });
    MachineRates rates{.machine = MachineIdentity::ofThis(),
                       .spread = 0.1,
                       .measured = "2026-01-02 03:04",
                       .commit = std::string(versionCommit())};
    rates.secondsPerUnit.fill(1e-9);
    auto basis = std::make_shared<PredictionBasis>();
    basis->rates = rates;
    queue.add(seedGrid(3));
    times.setBasis(basis);
    QTRY_VERIFY_WITH_TIMEOUT(times.total().has_value(), 20000);
    const double three = *times.total();
    QVERIFY(three > 0);
    queue.add(extractProject(4));
    QTRY_VERIFY_WITH_TIMEOUT(*times.total() > 1.3 * three && *times.total() < 1.4 * three, 20000);
    const auto labels = panel.findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(
        labels, [](const QLabel* label) { return label->text().startsWith(QLatin1String("4 ")); }));
    Project unknown = extractProject(5);
    unknown.model = "no-such-model";
    queue.add(unknown);  // of which nothing is known
    QTRY_VERIFY_WITH_TIMEOUT(!times.total().has_value(), 20000);
    queue.remove({0, 1, 2, 3, 4});
    QVERIFY(std::ranges::none_of(labels, [](const QLabel* label) {
        return !label->isHidden() && label->text().contains(QLatin1String("wait"));
    }));
}

void QueueTest::runsInOrder() {
    RunQueue queue(file());
    const QAbstractItemModelTester tester(&queue, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(!queue.start());
    queue.add(extractProject(1));
    queue.add(extractProject(2));
    QCOMPARE(queue.start()->project.seed, 1);
    QVERIFY(!queue.start());  // one at a time
    queue.remove({0});        // not while it runs
    QCOMPARE(queue.rowCount(), 2);
    queue.end(State::Failed, QStringLiteral("no memory"));
    QCOMPARE(queue.index(0, 0).data(Qt::ToolTipRole).toString(), QStringLiteral("no memory"));
    QCOMPARE(queue.start()->project.seed, 2);
    queue.end(State::Done, {});
    QVERIFY(!queue.start());
    queue.retry({0});
    QCOMPARE(queue.start()->project.seed, 1);
    queue.end(State::Done, {});
    queue.end(State::Failed, {});  // nothing runs
    queue.clearFinished();
    QCOMPARE(queue.rowCount(), 0);
}

/// What runs and what waits is seen without scrolling.
void QueueTest::whatIsDoneStandsLast() {
    {
        RunQueue queue(file());
        const QAbstractItemModelTester tester(&queue, QAbstractItemModelTester::FailureReportingMode::QtTest);
        queue.add(seedGrid(3));
        queue.start();
        queue.end(State::Done, {});
        QCOMPARE(listSeeds(queue), QList<int>({2, 3, 1}));
        queue.start();
        queue.end(State::Failed, {});  // which somebody may want to run again
        QCOMPARE(listSeeds(queue), QList<int>({2, 3, 1}));
        queue.add(extractProject(4));
        QCOMPARE(listSeeds(queue), QList<int>({2, 3, 4, 1}));
        QCOMPARE(queue.start()->project.seed, 3);
        queue.end(State::Done, {});
        QCOMPARE(listSeeds(queue), QList<int>({2, 4, 3, 1}));
        queue.retry({3});
        QCOMPARE(listSeeds(queue), QList<int>({2, 4, 1, 3}));
        QCOMPARE(queue.at(2).state, State::Waiting);
    }
    QCOMPARE(listSeeds(RunQueue(file())), QList<int>({2, 4, 1, 3}));
}

void QueueTest::orderCanBeChanged() {
    RunQueue queue(file());
    const QAbstractItemModelTester tester(&queue, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const int seed : {1, 2, 3})
        queue.add(extractProject(seed));
    queue.moveUp({2});
    queue.moveUp({0});
    queue.moveDown({0});
    queue.moveDown({2});
    QCOMPARE(queue.at(0).project.seed, 3);
    QCOMPARE(queue.at(1).project.seed, 1);
    QCOMPARE(queue.at(2).project.seed, 2);
}

void QueueTest::rowsAreDragged_data() {
    QTest::addColumn<QList<int>>("from");
    QTest::addColumn<int>("to");
    QTest::addColumn<QList<int>>("seeds");
    const auto rows = [](std::initializer_list<int> numbers) { return QList<int>(numbers); };
    QTest::newRow("down") << rows({0}) << 2 << rows({2, 1, 3, 4});
    QTest::newRow("to the end") << rows({0}) << 4 << rows({2, 3, 4, 1});
    QTest::newRow("up") << rows({3}) << 1 << rows({1, 4, 2, 3});
    QTest::newRow("nowhere") << rows({2}) << 3 << rows({1, 2, 3, 4});
    QTest::newRow("below the rows") << rows({1}) << -1 << rows({1, 3, 4, 2});
    QTest::newRow("two to the end") << rows({2, 0}) << 4 << rows({2, 4, 1, 3});
    QTest::newRow("two to the front") << rows({1, 3}) << 0 << rows({2, 4, 1, 3});
    QTest::newRow("from both sides") << rows({0, 3}) << 2 << rows({2, 1, 4, 3});
    QTest::newRow("a block onto itself") << rows({0, 1, 2}) << 1 << rows({1, 2, 3, 4});
}

void QueueTest::rowsAreDragged() {
    QFETCH(QList<int>, from);
    QFETCH(int, to);
    RunQueue queue(file());
    const QAbstractItemModelTester tester(&queue, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const int seed : {1, 2, 3, 4})
        queue.add(extractProject(seed));
    QModelIndexList cells;
    for (const int row : from)
        cells << queue.index(row, RunQueue::Title) << queue.index(row, RunQueue::StateColumn);
    const std::unique_ptr<QMimeData> dragged(queue.mimeData(cells));
    QVERIFY(queue.canDropMimeData(dragged.get(), Qt::MoveAction, to, 0, {}));
    QVERIFY(!queue.dropMimeData(dragged.get(), Qt::MoveAction, to, 0, {}));  // the view removes nothing
    QTEST(listSeeds(queue), "seeds");
    const QMimeData foreign;
    QVERIFY(!queue.dropMimeData(&foreign, Qt::MoveAction, 0, 0, {}));
    QCOMPARE(queue.rowCount(), 4);
}

void QueueTest::isThereAfterARestart() {
    {
        RunQueue queue(file());
        for (const int seed : {1, 2, 3})
            queue.add(extractProject(seed));
        queue.start();
        queue.end(State::Failed, QStringLiteral("no memory"));
    }
    RunQueue queue(file());
    QVERIFY2(queue.remark().isEmpty(), qPrintable(queue.remark()));
    QCOMPARE(queue.rowCount(), 3);
    QCOMPARE(queue.waiting(), 2);
    QCOMPARE(queue.at(0).remark, std::string("no memory"));
    QCOMPARE(queue.at(1).project, extractProject(2));
}

void QueueTest::whatWasRunningGoesOn() {
    {
        RunQueue queue(file());
        queue.add(extractProject(1));
        queue.start();
        queue.setFolder(QStringLiteral("/runs/one"));  // and the program ends
    }
    {
        RunQueue queue(file());
        QCOMPARE(queue.waiting(), 1);
        QCOMPARE(queue.start()->folder, std::string("/runs/one"));
        queue.end(State::Cancelled, {});
    }
    RunQueue queue(file());
    queue.resume({0});
    QCOMPARE(queue.start()->folder, std::string("/runs/one"));
    queue.end(State::Cancelled, {});
    queue.retry({0});
    QVERIFY(queue.start()->folder.empty());
}

/// What is chosen in one stays so while the other moves rows and adds some.
void QueueTest::twoWindowsShareIt() {
    RunQueue first(file());
    first.add(seedGrid(3));
    RunQueue second(file());
    const QAbstractItemModelTester tester(&second, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QTRY_COMPARE(listSeeds(second), QList<int>({1, 2, 3}));
    const QPersistentModelIndex chosen = second.index(1, 0);
    first.moveTo({0}, 3);
    first.add(extractProject(4));
    QTRY_COMPARE(listSeeds(second), QList<int>({2, 3, 1, 4}));
    QCOMPARE(chosen.row(), 0);
    second.remove({1});
    second.add(extractProject(5));
    QTRY_COMPARE(listSeeds(first), QList<int>({2, 1, 4, 5}));
    QVERIFY(first.isKept() && second.isKept());
}

void QueueTest::oneWindowAtATimeRunsIt() {
    RunQueue first(file());
    first.add(seedGrid(2));
    QCOMPARE(first.start()->project.seed, 1);
    RunQueue second(file());
    QTRY_COMPARE(second.rowCount(), 2);
    QVERIFY(!second.start() && second.isBusyElsewhere() && !first.isBusyElsewhere());
    QVERIFY(second.runsElsewhere(second.at(0)) && !first.runsElsewhere(first.at(0)));
    QVERIFY(second.index(0, RunQueue::StateColumn).data() != first.index(0, RunQueue::StateColumn).data());
    second.remove({0});
    second.end(State::Done, {});
    QCOMPARE(second.rowCount(), 2);
    first.end(State::Done, {});
    QVERIFY(!second.isBusyElsewhere());
    QCOMPARE(second.start()->project.seed, 2);
    QVERIFY(!first.start());
    second.end(State::Failed, QStringLiteral("no memory"));
    QTRY_COMPARE(first.at(0).remark, std::string("no memory"));
}

void QueueTest::thatItCannotBeKeptIsTold() {
    std::filesystem::create_directories(file().string() + ".lock-2");
    RunQueue queue(file());
    QVERIFY(!queue.remark().isEmpty() && !queue.isKept());
    queue.add(extractProject(1));
    QCOMPARE(queue.rowCount(), 1);
    QVERIFY(!queue.start());
}

void QueueTest::damagedFileIsSetAside() {
    std::filesystem::create_directories(file().parent_path());
    writeFileAtomically(file(), "{ \"runs\": [");
    RunQueue queue(file());
    QCOMPARE(queue.rowCount(), 0);
    QVERIFY2(queue.remark().contains(QLatin1String("queue.json.damaged")), qPrintable(queue.remark()));
    QCOMPARE(readFile(file().string() + ".damaged"), std::string("{ \"runs\": ["));
    QCOMPARE(QueuePanel(queue).remark(), queue.remark());
}

void QueueTest::whatFailedOnAGpuMayRunOnTheCpuOrShorter() {
    RunQueue queue(file());
    QueuePanel panel(queue);
    const QueuePanel::Actions& actions = panel.actions();
    for (const int number : {0, 1}) {
        Project project = extractProject(number);
        project.numFrames = 33;
        project.gpus = GpuChoice::anyReal();
        queue.add(project);
        const std::filesystem::path run =
            m_folder->filePath(QStringLiteral("run%1").arg(number)).toStdString();
        testing::makeRun(run, 1);
        // The plan took a GPU for the second.
        RunFolder::open(run).write(run_file::environment,
                                   number == 1 ? R"({"gpu": {"name": "card"}})" : "{}");
        queue.start();
        queue.setFolder(QString::fromStdString(run.string()));
        queue.end(State::Failed, QStringLiteral("It failed."));
    }
    panel.table().setCurrentIndex(queue.index(0, 0));
    QVERIFY(actions.retry->isEnabled() && !actions.onCpu->isVisible() && !actions.shorter->isVisible());
    panel.table().setCurrentIndex(queue.index(1, 0));
    QVERIFY(actions.onCpu->isVisible() && actions.shorter->isVisible());
    actions.shorter->trigger();
    QCOMPARE(queue.at(1).state, State::Waiting);
    QCOMPARE(queue.at(1).project.numFrames, 17);
    QVERIFY(queue.at(1).folder.empty());
    queue.start();
    queue.setFolder(m_folder->filePath(QStringLiteral("run1")));
    queue.end(State::Failed, QStringLiteral("It failed."));
    actions.onCpu->trigger();
    QVERIFY(queue.at(1).project.gpus.isNone());
    QCOMPARE(queue.at(1).state, State::Waiting);
}

void QueueTest::panelFollows() {
    RunQueue queue(file());
    QueuePanel panel(queue);
    panel.show();
    QVERIFY(!panel.table().isVisible());
    queue.add(extractProject(1));
    QVERIFY(panel.table().isVisible());
    panel.table().setCurrentIndex(queue.index(0, 0));
    const QueuePanel::Actions& actions = panel.actions();
    QVERIFY(!actions.up->isEnabled());  // it is the first and the last
    QVERIFY(!actions.retry->isEnabled());
    queue.start();
    QVERIFY(!actions.remove->isEnabled());
    queue.setFolder(QStringLiteral("/runs/one"));
    queue.end(State::Cancelled, {});
    QVERIFY(actions.resume->isEnabled());
    actions.retry->trigger();
    QCOMPARE(queue.at(0).state, State::Waiting);
    queue.add(extractProject(2));
    panel.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    panel.table().setFocus();
    panel.table().setCurrentIndex(queue.index(0, 0));
    QTest::keyClick(&panel.table(), Qt::Key_Down, Qt::AltModifier);
    QCOMPARE(queue.at(1).project.seed, 1);
    actions.remove->trigger();
    QCOMPARE(queue.rowCount(), 1);
    actions.remove->trigger();
    QVERIFY(!panel.table().isVisible());
}

void QueueTest::severalRowsAreActedOnAtOnce() {
    RunQueue queue(file());
    QueuePanel panel(queue);
    panel.show();
    const QueuePanel::Actions& actions = panel.actions();
    queue.add(seedGrid(6));
    const auto choose = [&](std::initializer_list<int> rows) {
        panel.table().clearSelection();
        for (const int row : rows)
            panel.table().selectionModel()->select(queue.index(row, 0),
                                                   QItemSelectionModel::Select | QItemSelectionModel::Rows);
    };
    queue.start();
    queue.end(State::Failed, {});
    queue.start();
    queue.end(State::Cancelled, {});
    queue.start();
    QSignalSpy changed(&queue, &RunQueue::changed);
    choose({0, 1, 2, 3});
    QVERIFY(actions.retry->isEnabled() && !actions.resume->isEnabled());  // none has a folder
    actions.retry->trigger();
    QCOMPARE(changed.count(), 1);
    QCOMPARE(queue.waiting(), 5);
    QCOMPARE(queue.at(2).state, State::Running);
    choose({1, 2, 4});
    actions.up->trigger();
    QCOMPARE(listSeeds(queue), QList<int>({2, 3, 1, 5, 4, 6}));
    choose({0, 1});
    QVERIFY(!actions.up->isEnabled() && actions.down->isEnabled());
    actions.down->trigger();
    QCOMPARE(listSeeds(queue), QList<int>({1, 2, 3, 5, 4, 6}));
    choose({1, 2, 4, 5});
    changed.clear();
    actions.remove->trigger();
    QCOMPARE(changed.count(), 1);
    QCOMPARE(listSeeds(queue), QList<int>({1, 3, 5}));                   // that of seed 3 runs
    QCOMPARE(panel.table().selectionModel()->selectedRows().size(), 1);  // for the next key
    QCOMPARE(panel.table().currentIndex().row(), 1);
    panel.table().selectAll();
    actions.remove->trigger();
    QCOMPARE(listSeeds(queue), QList<int>({3}));
}

void QueueTest::rowsLeadToTheirRunOrProject() {
    RunQueue queue(file());
    QueuePanel panel(queue);
    queue.add(seedGrid(2));
    QSignalSpy opened(&panel, &QueuePanel::openRequested);
    QSignalSpy live(&panel, &QueuePanel::liveRunRequested);
    QSignalSpy projects(&panel, &QueuePanel::projectRequested);
    const auto activate = [&](int row) { emit panel.table().activated(queue.index(row, 0)); };
    activate(1);
    QCOMPARE(projects.count(), 1);
    QCOMPARE(projects.constFirst().constFirst().value<Project>(), queue.at(1).project);
    panel.table().setCurrentIndex(queue.index(0, 0));
    QVERIFY(!panel.actions().open->isEnabled() && panel.actions().project->isEnabled());
    queue.start();
    queue.setFolder(QStringLiteral("/runs/one"));
    activate(0);
    QCOMPARE(live.count(), 1);
    queue.end(State::Done, {});
    activate(1);  // below what waits
    panel.actions().open->trigger();
    QCOMPARE(opened.count(), 2);
    QCOMPARE(opened.constFirst().constFirst().toString(), QStringLiteral("/runs/one"));
    panel.table().selectAll();
    QVERIFY(!panel.actions().open->isEnabled() && !panel.actions().project->isEnabled());
}

void QueueTest::resumedElsewhereItsRowRuns() {
    RunQueue queue(file());
    queue.add(seedGrid(2));
    queue.start();
    queue.setFolder(QStringLiteral("/runs/one"));
    QCOMPARE(queue.runningFolder(), QStringLiteral("/runs/one"));
    QVERIFY(!queue.takeUp(QStringLiteral("/runs/one")));  // it is the one that runs
    queue.end(State::Waiting, {});
    QVERIFY(!queue.takeUp(QStringLiteral("/runs/another")));
    QVERIFY(!queue.isRunning());
    QVERIFY(queue.takeUp(QStringLiteral("/runs/one")));
    QCOMPARE(queue.at(0).state, State::Running);
    queue.end(State::Done, {});
    QVERIFY(!queue.takeUp(QStringLiteral("/runs/one")));  // decoded again
    QCOMPARE(queue.at(1).state, State::Done);
    QCOMPARE(queue.waiting(), 1);
}

void QueueTest::manyRunsAreOneChange() {
    RunQueue queue(file());
    const QAbstractItemModelTester tester(&queue, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy changed(&queue, &RunQueue::changed);
    QSignalSpy inserted(&queue, &RunQueue::rowsInserted);
    QSignalSpy removed(&queue, &RunQueue::rowsRemoved);
    queue.add(seedGrid(20));
    QCOMPARE(changed.count(), 1);
    QCOMPARE(inserted.count(), 1);
    for (int run = 0; run < 10; ++run) {
        queue.start();
        queue.end(run == 4 ? State::Failed : State::Done, {});
    }
    changed.clear();
    queue.clearFinished();
    QCOMPARE(changed.count(), 1);
    QCOMPARE(removed.count(), 1);  // what is done stands together
    QCOMPARE(queue.rowCount(), 11);
}

void QueueTest::onlyTheLastOfManyChangesIsWritten() {
    constexpr int changes = 200;
    const std::filesystem::path lock = file().string() + ".lock-2";
    {
        RunQueue queue(file());
        std::optional<FileLock> others = FileLock::tryTake(::open(lock.c_str(), O_RDWR | O_CLOEXEC));
        QVERIFY(others);
        for (int change = 0; change < changes; ++change)
            queue.add(extractProject(change));  // the first of them waits for the lock, the others for it
        others.reset();
        std::set<std::filesystem::file_time_type> written;
        QVERIFY(QTest::qWaitFor([&] {
            std::error_code missing;
            if (const auto time = std::filesystem::last_write_time(file(), missing); !missing)
                written.insert(time);
            return readQueue(file()).runs.size() == changes;
        }));
        QVERIFY2(written.size() <= 3, qPrintable(QString::number(written.size())));
    }
    std::filesystem::remove(file());
    {
        RunQueue queue(file());
        for (int change = 0; change < changes; ++change)
            queue.add(extractProject(change));
    }
    QCOMPARE(RunQueue(file()).rowCount(), changes);
}

void QueueTest::rowsSayWhatTellsThemApart() {
    const GridAxis guidance{findProjectKey("guidance_scale"), {QStringLiteral("1"), QStringLiteral("3")}};
    const GridAxis seeds{findProjectKey("seed"), {QStringLiteral("1")}};
    const auto listSettings = [](const RunQueue& queue, int row, int role = Qt::DisplayRole) {
        return queue.index(row, RunQueue::Settings).data(role).toString();
    };
    {
        RunQueue queue(file());
        Project base = extractProject(0);
        base.flowShift = 2;
        queue.add(settingGrid(base, {guidance, seeds}));
        QCOMPARE(listSettings(queue, 0), QStringLiteral("Guidance: 1.0"));
        QCOMPARE(listSettings(queue, 1), QStringLiteral("Guidance: 3.0"));  // though that is the default
        QVERIFY(listSettings(queue, 1, Qt::ToolTipRole).contains(QLatin1String("Flow shift: 2.0\n")));
        base.iciContextParallelism = 2;
        queue.add(base);
        QVERIFY2(listSettings(queue, 2).contains(QLatin1String("Flow shift: 2.0, ")),
                 qPrintable(listSettings(queue, 2)));
    }
    const RunQueue queue(file());
    QCOMPARE(listSettings(queue, 1), QStringLiteral("Guidance: 3.0"));
    Project busy = extractProject(0);
    busy.negativePrompt = std::string(500, 'x');
    RunQueue other(file().parent_path() / "other.json");
    other.add(busy);
    QVERIFY(listSettings(other, 0).size() < 60);
    QVERIFY(listSettings(other, 0, Qt::ToolTipRole).size() > 500);
}

void QueueTest::columnsShowTheirTexts() {
    RunQueue queue(file());
    QueuePanel panel(queue);
    panel.resize(900, 300);
    Project project = extractProject(123456);
    project.prompt = "a ball";
    queue.add(project);
    panel.show();
    QVERIFY(panel.table().isColumnHidden(RunQueue::Settings));  // nothing stands in it
    project.guidanceScale = 7.5;
    queue.add(project);
    QVERIFY(!panel.table().isColumnHidden(RunQueue::Settings));
    for (int column = RunQueue::Settings; column < RunQueue::ColumnCount; ++column)
        QVERIFY2(panel.table().sizeHintForIndex(queue.index(0, column)).width() <=
                     panel.table().columnWidth(column),
                 qPrintable(queue.headerData(column, Qt::Horizontal).toString()));
    QCOMPARE(panel.table().header()->length(), panel.table().viewport()->width());
}

void QueueTest::valuesOfAGrid() {
    const ProjectKey& seed = *findProjectKey("seed");
    QCOMPARE(gridValues(seed, QStringLiteral("1, 4..6\n\n9")),
             QStringList({QStringLiteral("1"), QStringLiteral("4"), QStringLiteral("5"), QStringLiteral("6"),
                          QStringLiteral("9")}));
    QCOMPARE(gridValues(*findProjectKey("prompt"), QStringLiteral("a cat, asleep\n a dog ")),
             QStringList({QStringLiteral("a cat, asleep"), QStringLiteral("a dog")}));
    QCOMPARE(gridValues(seed, QStringLiteral("3..1, 1..2")),
             QStringList({QStringLiteral("3"), QStringLiteral("2"), QStringLiteral("1")}));
    QCOMPARE(gridValues(seed, QStringLiteral("-1..1")),
             QStringList({QStringLiteral("-1"), QStringLiteral("0"), QStringLiteral("1")}));
    const QString endless = QStringLiteral("1..99999999999999999999");  // beyond the numbers there are
    QCOMPARE(gridValues(seed, endless), QStringList{endless});
    QCOMPARE(gridValues(*findProjectKey("guidance_scale"), QStringLiteral("1,3.5, 5")),
             QStringList({QStringLiteral("1"), QStringLiteral("3.5"), QStringLiteral("5")}));
    QCOMPARE(gridValues(*findProjectKey("attention"), QStringLiteral("flash, dot_product")),
             QStringList({QStringLiteral("flash"), QStringLiteral("dot_product")}));
}

void QueueTest::gridsHaveALimit_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("values");
    QTest::addColumn<bool>("tooMany");
    QTest::newRow("as many as may be") << "seed"
                                       << "1..1000" << false;
    QTest::newRow("one more") << "seed"
                              << "1..1001" << true;
    QTest::newRow("far too many") << "seed"
                                  << "0..999999999" << true;
    QTest::newRow("prompts") << "prompt" << QStringLiteral("{a|b|c|d|e|f|g|h|i|j}").repeated(3) << false;
    QTest::newRow("too many prompts")
        << "prompt" << QStringLiteral("{a|b|c|d|e|f|g|h|i|j}").repeated(4) << true;
}

void QueueTest::gridsHaveALimit() {
    QFETCH(QString, key);
    QFETCH(QString, values);
    QFETCH(bool, tooMany);
    const ProjectKey& varied = *findProjectKey(key.toStdString());
    const SettingGrid grid = settingGrid(extractProject(0), {{&varied, gridValues(varied, values)}});
    QCOMPARE(grid.projects.size(), tooMany ? 0U : 1000U);
    QVERIFY2(grid.problem.contains(QLatin1String("1000")) == tooMany, qPrintable(grid.problem));
}

void QueueTest::combinationsHaveTheSameLimit() {
    const ProjectKey& seed = *findProjectKey("seed");
    const ProjectKey& steps = *findProjectKey("num_inference_steps");
    const GridAxis seeds{&seed, gridValues(seed, QStringLiteral("1..40"))};
    const auto with = [&](const char* text) {
        return settingGrid(extractProject(0), {seeds, {&steps, gridValues(steps, QLatin1String(text))}});
    };
    QCOMPARE(with("1..25").projects.size(), 1000U);
    QVERIFY(!with("1..26").problem.isEmpty());
    QVERIFY(!with("1..1000").problem.isEmpty());
    QVERIFY(with("1..1000").projects.empty());
}

void QueueTest::gridHoldsWhatCanRun() {
    const GridAxis seeds{findProjectKey("seed"), {QStringLiteral("1"), QStringLiteral("2")}};
    const GridAxis widths{findProjectKey("width"),
                          {QStringLiteral("64"), QStringLiteral("70"), QStringLiteral("80")}};
    const SettingGrid grid = settingGrid(extractProject(0), {seeds, widths});
    QCOMPARE(grid.projects.size(), 4U);
    QCOMPARE(grid.projects.at(1).seed, 1);
    QCOMPARE(grid.projects.at(1).width, 80);
    QCOMPARE(grid.projects.at(2).seed, 2);
    QCOMPARE(grid.refused, 2);
    QVERIFY2(grid.refusal.contains(QLatin1String("64")), qPrintable(grid.refusal));  // the nearest legal one
    // On the model that the project was examined with, and on the CPUs here.
    Project base = extractProject(0);
    base.attention = "tokamax_ring";
    const ProjectForecast examined = makeForecast(base);
    const GridAxis devices{findProjectKey("devices"), {QStringLiteral("1"), QStringLiteral("100000")}};
    const GridAxis images{findProjectKey("image"), {QStringLiteral("picture.png")}};
    QCOMPARE(settingGrid(base, {images}).refused, 0);
    QCOMPARE(settingGrid(base, {images}, examined).refused, 1);
    QCOMPARE(settingGrid(base, {devices}, examined).projects.size(), 1U);
    const SettingGrid empty = settingGrid(extractProject(0), {{findProjectKey("seed"), {}}});
    QVERIFY(empty.projects.empty());
    QVERIFY2(empty.problem.contains(QLatin1String("Seed")), qPrintable(empty.problem));
    QVERIFY(!settingGrid(extractProject(0), {}).problem.isEmpty());
    const SettingGrid twice = settingGrid(extractProject(0), {seeds, seeds});
    QVERIFY(twice.projects.empty());
    QVERIFY2(twice.problem.contains(QLatin1String("Seed")) && twice.problem != empty.problem,
             qPrintable(twice.problem));
}

void QueueTest::gridDialogTellsWhatItAdds() {
    GridDialog dialog(extractProject(3));
    dialog.setAxis(0, *findProjectKey("seed"), QStringLiteral("1..3"));
    dialog.setAxis(1, *findProjectKey("attention"), QStringLiteral("flash\ndot_product"));
    QCOMPARE(dialog.grid().projects.size(), 6U);
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    const auto isAddStandard = [&dialog] {
        const QList<QPushButton*> buttons = dialog.findChildren<QPushButton*>();
        return std::ranges::all_of(buttons, [](const QPushButton* button) {
            return button->isDefault() == (button->text() == QLatin1String("Add to the queue"));
        });
    };
    QVERIFY(isAddStandard());
    dialog.setAxis(1, *findProjectKey("attention"), QStringLiteral("no such mode"));
    QVERIFY(dialog.grid().projects.empty());
    QVERIFY2(dialog.summary().contains(QLatin1String("no such mode")), qPrintable(dialog.summary()));
    dialog.setAxis(1, *findProjectKey("seed"), QStringLiteral("1"));
    QCOMPARE(dialog.summary(), dialog.grid().problem);
    QVERIFY(isAddStandard());  // also while there is nothing to add
}

MESHREEL_TEST_CLASS(QueueTest)
#include "queue_test.moc"

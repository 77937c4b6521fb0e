// SPDX-License-Identifier: GPL-3.0-or-later
// The queue of runs, without an engine.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <filesystem>
#include <memory>

#include "engine/base/atomic_file.h"
#include "engine/project/project_keys.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/queue_panel.h"
#include "ui/queue/run_queue.h"

using namespace meshreel;
using State = QueuedRun::State;

namespace {

Project projectOf(int seed) {
    Project project;
    project.prompt = "a \"ball\": # no comment";
    project.seed = seed;
    return project;
}

}  // namespace

class QueueTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void runsInOrder();
    void orderCanBeChanged();
    void rowsAreDragged_data();
    void rowsAreDragged();
    void isThereAfterARestart();
    void whatWasRunningGoesOn();
    void belongsToOneWindow();
    void damagedFileIsSetAside();
    void panelFollows();
    void valuesOfAGrid();
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

void QueueTest::runsInOrder() {
    RunQueue queue(file());
    const QAbstractItemModelTester tester(&queue, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(!queue.start());
    queue.add(projectOf(1));
    queue.add(projectOf(2));
    QCOMPARE(queue.start()->project.seed, 1);
    QVERIFY(!queue.start());  // one at a time
    queue.remove(0);          // not while it runs
    QCOMPARE(queue.rowCount(), 2);
    queue.end(State::Failed, QStringLiteral("no memory"));
    QCOMPARE(queue.index(0, 0).data(Qt::ToolTipRole).toString(), QStringLiteral("no memory"));
    QCOMPARE(queue.start()->project.seed, 2);
    queue.end(State::Done, {});
    QVERIFY(!queue.start());
    queue.retry(0);
    QCOMPARE(queue.start()->project.seed, 1);
    queue.end(State::Done, {});
    queue.end(State::Failed, {});  // nothing runs
    queue.clearFinished();
    QCOMPARE(queue.rowCount(), 0);
}

void QueueTest::orderCanBeChanged() {
    RunQueue queue(file());
    const QAbstractItemModelTester tester(&queue, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const int seed : {1, 2, 3})
        queue.add(projectOf(seed));
    queue.moveUp(2);
    queue.moveUp(0);
    queue.moveDown(0);
    queue.moveDown(2);
    QCOMPARE(queue.at(0).project.seed, 3);
    QCOMPARE(queue.at(1).project.seed, 1);
    QCOMPARE(queue.at(2).project.seed, 2);
}

void QueueTest::rowsAreDragged_data() {
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("to");
    QTest::addColumn<QList<int>>("seeds");
    QTest::newRow("down") << 0 << 2 << QList<int>{2, 1, 3, 4};
    QTest::newRow("to the end") << 0 << 4 << QList<int>{2, 3, 4, 1};
    QTest::newRow("up") << 3 << 1 << QList<int>{1, 4, 2, 3};
    QTest::newRow("nowhere") << 2 << 3 << QList<int>{1, 2, 3, 4};
    QTest::newRow("below the rows") << 1 << -1 << QList<int>{1, 3, 4, 2};
}

void QueueTest::rowsAreDragged() {
    QFETCH(int, from);
    QFETCH(int, to);
    RunQueue queue(file());
    const QAbstractItemModelTester tester(&queue, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const int seed : {1, 2, 3, 4})
        queue.add(projectOf(seed));
    const std::unique_ptr<QMimeData> dragged(queue.mimeData({queue.index(from, 0)}));
    QVERIFY(queue.canDropMimeData(dragged.get(), Qt::MoveAction, to, 0, {}));
    QVERIFY(!queue.dropMimeData(dragged.get(), Qt::MoveAction, to, 0, {}));  // the view removes nothing
    QList<int> seeds;
    for (int row = 0; row < queue.rowCount(); ++row)
        seeds += static_cast<int>(queue.at(row).project.seed);
    QTEST(seeds, "seeds");
    const QMimeData foreign;
    QVERIFY(!queue.dropMimeData(&foreign, Qt::MoveAction, 0, 0, {}));
    QCOMPARE(queue.rowCount(), 4);
}

void QueueTest::isThereAfterARestart() {
    {
        RunQueue queue(file());
        for (const int seed : {1, 2, 3})
            queue.add(projectOf(seed));
        queue.start();
        queue.end(State::Failed, QStringLiteral("no memory"));
    }
    RunQueue queue(file());
    QVERIFY2(queue.remark().isEmpty(), qPrintable(queue.remark()));
    QCOMPARE(queue.rowCount(), 3);
    QCOMPARE(queue.waiting(), 2);
    QCOMPARE(queue.at(0).remark, QStringLiteral("no memory"));
    QCOMPARE(queue.at(1).project, projectOf(2));
}

void QueueTest::whatWasRunningGoesOn() {
    {
        RunQueue queue(file());
        queue.add(projectOf(1));
        queue.start();
        queue.setFolder(QStringLiteral("/runs/one"));  // and the program ends
    }
    {
        RunQueue queue(file());
        QCOMPARE(queue.waiting(), 1);
        QCOMPARE(queue.start()->folder, QStringLiteral("/runs/one"));
        queue.end(State::Cancelled, {});
    }
    RunQueue queue(file());
    queue.resume(0);
    QCOMPARE(queue.start()->folder, QStringLiteral("/runs/one"));
    queue.end(State::Cancelled, {});
    queue.retry(0);
    QVERIFY(queue.start()->folder.isEmpty());
}

void QueueTest::belongsToOneWindow() {
    RunQueue first(file());
    first.add(projectOf(1));
    RunQueue second(file());
    QVERIFY(!second.remark().isEmpty());
    QCOMPARE(second.rowCount(), 0);
    second.add(projectOf(2));
    QCOMPARE(first.rowCount(), 1);
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

void QueueTest::panelFollows() {
    RunQueue queue(file());
    QueuePanel panel(queue);
    panel.show();
    QVERIFY(!panel.table().isVisible());
    queue.add(projectOf(1));
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
    queue.add(projectOf(2));
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

void QueueTest::valuesOfAGrid() {
    const ProjectKey& seed = *findProjectKey("seed");
    QCOMPARE(gridValues(seed, QStringLiteral("1, 4..6\n\n9")),
             QStringList({QStringLiteral("1"), QStringLiteral("4"), QStringLiteral("5"), QStringLiteral("6"),
                          QStringLiteral("9")}));
    QCOMPARE(gridValues(*findProjectKey("prompt"), QStringLiteral("a cat, asleep\n a dog ")),
             QStringList({QStringLiteral("a cat, asleep"), QStringLiteral("a dog")}));
    QCOMPARE(gridValues(seed, QStringLiteral("0..999999999")).size(), 1000);
}

void QueueTest::gridHoldsWhatCanRun() {
    const GridAxis seeds{findProjectKey("seed"), {QStringLiteral("1"), QStringLiteral("2")}};
    const GridAxis widths{findProjectKey("width"),
                          {QStringLiteral("64"), QStringLiteral("70"), QStringLiteral("80")}};
    const SettingGrid grid = settingGrid(projectOf(0), {seeds, widths});
    QCOMPARE(grid.projects.size(), 4U);
    QCOMPARE(grid.projects.at(1).seed, 1);
    QCOMPARE(grid.projects.at(1).width, 80);
    QCOMPARE(grid.projects.at(2).seed, 2);
    QCOMPARE(grid.refused, 2);
    QVERIFY2(grid.refusal.contains(QLatin1String("64")), qPrintable(grid.refusal));  // the nearest legal one
    QVERIFY(settingGrid(projectOf(0), {{findProjectKey("seed"), {}}}).projects.empty());
}

void QueueTest::gridDialogTellsWhatItAdds() {
    GridDialog dialog(projectOf(3));
    dialog.setAxis(0, *findProjectKey("seed"), QStringLiteral("1..3"));
    dialog.setAxis(1, *findProjectKey("attention"), QStringLiteral("flash\ndot_product"));
    QCOMPARE(dialog.projects().size(), 6U);
    QVERIFY2(dialog.summary().contains(QLatin1Char('6')), qPrintable(dialog.summary()));
    dialog.setAxis(1, *findProjectKey("attention"), QStringLiteral("no such mode"));
    QVERIFY(dialog.projects().empty());
    QVERIFY2(dialog.summary().contains(QLatin1String("no such mode")), qPrintable(dialog.summary()));
}

QTEST_MAIN(QueueTest)
#include "queue_test.moc"

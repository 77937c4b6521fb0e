// SPDX-License-Identifier: GPL-3.0-or-later
// What a run uses and tells.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <QValueAxis>
#include <cmath>

#include "engine/base/csv.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/runs/records/device_times.h"
#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/chart_style.h"
#include "ui/running/activity_graph.h"
#include "ui/running/activity_panel.h"
#include "ui/running/devices_panel.h"
#include "ui/widgets/panel_parts.h"

using namespace meshreel;

namespace {

/// One in which the first of two devices waited for the second.
StepDeviceTimes unevenStep(int step) {
    return {.step = step,
            .devices = {{.computing = 1, .exchanging = 0.5, .waiting = 0.5, .bytesReceived = 1000},
                        {.computing = 1.5, .exchanging = 0.5, .waiting = 0, .bytesReceived = 3000}}};
}

/// In place of asking the drivers of whoever tests.
MachineDevices noMachine(bool /*again*/) {
    return {.cpu = "A CPU", .isa = "avx2", .memoryFree = 1, .rate = {}, .drivers = {}};
}

}  // namespace

class ActivityTest : public QObject {
    Q_OBJECT

  private slots:
    void samplesAreRatesSinceTheOneBefore();
    void manySamplesAreThinned();
    void graphSaysItsValue();
    void keysGoThroughAGraph();
    void panelFollowsARun();
    void graphsAreExported();
    void logIsSearchedAndFiltered();
    void logIsFollowedThoughItWasHidden();
    void linesAreCopiedAndTheLogIsSaved();
    void lanesAreJoinedWhenThereAreMany();
    void lanesOfAnotherMeshBeginAnew();
    void devicesAreTold();
    void gpusStandStillAtTimes();
    void lanesAreDrawnToTheRight_data();
    void lanesAreDrawnToTheRight();
    void devicesPanelSaysWhatToDo();
    void pastRunsHaveTheirLanes();
    void keysGoThroughALane();
    void lanesAreExported();
};

void ActivityTest::samplesAreRatesSinceTheOneBefore() {
    ActivitySamples samples;
    samples.add(0, 100, 5);
    QVERIFY(samples.samples().empty());
    samples.add(2, 106, 7);
    samples.add(2, 107, 7);  // no time has gone by
    QCOMPARE(samples.samples().size(), 1U);
    QCOMPARE(samples.samples()[0].busyCpus, 3.0);
    QCOMPARE(samples.samples()[0].bytes, std::uint64_t{7});
    samples.clear();
    samples.add(0, 200, 5);
    QVERIFY(samples.samples().empty());
    QVERIFY(processCpuSeconds() > 0);
}

void ActivityTest::manySamplesAreThinned() {
    ActivitySamples samples;
    for (std::size_t i = 0; i <= 3 * ActivitySamples::mostSamples; ++i)
        samples.add(static_cast<double>(i), static_cast<double>(i), 1);
    QVERIFY(samples.samples().size() <= ActivitySamples::mostSamples);
    QVERIFY(samples.samples().size() >= ActivitySamples::mostSamples / 2);
    QCOMPARE(samples.samples().back().seconds, 3.0 * ActivitySamples::mostSamples);
}

void ActivityTest::graphSaysItsValue() {
    ActivityGraph graph(QStringLiteral("Processors"), [](double value) { return QString::number(value); });
    QCOMPARE(graph.valueText(), QStringLiteral("Processors"));
    graph.setPoints({{0, 1}, {1, 3}}, 4);
    QCOMPARE(graph.valueText(), QStringLiteral("Processors: 3 of 4"));
    QCOMPARE(graph.accessibleDescription(), graph.valueText());
    QVERIFY(!graph.grab().isNull());
}

void ActivityTest::keysGoThroughAGraph() {
    ActivityGraph graph(QStringLiteral("Processors"), [](double value) { return QString::number(value); });
    graph.setPoints({{0, 1}, {1, 3}, {2, 2}}, 4);
    graph.show();
    QTest::keyClick(&graph, Qt::Key_Left);
    QCOMPARE(graph.toldText(), QStringLiteral("2 after 2 s"));
    QTest::keyClick(&graph, Qt::Key_Left);
    QCOMPARE(graph.toldText(), QStringLiteral("3 after 1 s"));
    QCOMPARE(graph.accessibleDescription(), graph.toldText());
    QTest::keyClick(&graph, Qt::Key_Home);
    QCOMPARE(graph.toldText(), QStringLiteral("1 after 0 s"));
    QTest::keyClick(&graph, Qt::Key_End);
    graph.setPoints({{0, 1}}, 4);
    QVERIFY(graph.toldText().isEmpty());
    QTest::keyClick(&graph, Qt::Key_Right);
    QTest::keyClick(&graph, Qt::Key_Escape);
    QVERIFY(graph.toldText().isEmpty());
    QCOMPARE(graph.accessibleDescription(), graph.valueText());
}

void ActivityTest::panelFollowsARun() {
    ActivityPanel panel;
    panel.resize(600, 300);
    panel.show();
    panel.begin();
    QTRY_VERIFY(panel.samples().samples().size() >= 2);
    panel.end();
    const std::size_t count = panel.samples().samples().size();
    QVERIFY(panel.samples().samples().back().bytes > 0);
    constexpr int longerThanASample = 700;
    QVERIFY(!QTest::qWaitFor([&] { return panel.samples().samples().size() != count; }, longerThanASample));
    panel.begin();
    QVERIFY(panel.samples().samples().size() < count);
}

void ActivityTest::graphsAreExported() {
    const QTemporaryDir folder;
    const auto file = [&](const char* name) { return folder.filePath(QLatin1String(name)).toStdString(); };
    ActivityPanel panel;
    const auto* button = panel.findChild<ExportButton*>();
    QVERIFY(!button->isEnabled());
    QVERIFY_THROWS_EXCEPTION(Error, panel.exportTo(file("nothing.csv")));
    panel.begin();
    QTRY_VERIFY(panel.samples().samples().size() >= 2);
    panel.end();
    QVERIFY(button->isEnabled());
    for (const ChartFormat& format : chartFormats())
        panel.exportTo(file("activity.") + std::string(format.extension));
    QVERIFY(readFile(file("activity.svg")).find(">Processors and memory<") != std::string::npos);
    const std::string text = readFile(file("activity.csv"));
    CsvReader csv(text, "activity.csv", {});
    std::vector<std::uint64_t> bytes;
    while (csv.next())
        bytes.push_back(csv.number<std::uint64_t>(2));
    QCOMPARE(bytes.size(), panel.samples().samples().size());
    QCOMPARE(bytes.back(), panel.samples().samples().back().bytes);

    const auto chart = activitySheet({{1, 2, 3UL << 30}, {2, 7, 1UL << 30}}, 4).draw();
    QCOMPARE(chart->series().size(), 2);
    QVERIFY(qobject_cast<QValueAxis*>(chart->axes(Qt::Vertical, chart->series()[0])[0])->max() >= 7);
    QVERIFY(qobject_cast<QValueAxis*>(chart->axes(Qt::Vertical, chart->series()[1])[0])->max() < 7);
}

void ActivityTest::logIsSearchedAndFiltered() {
    ActivityPanel panel;
    const QAbstractItemModelTester tester(&panel.log(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    panel.addLines({{QTime(8, 0), QStringLiteral("Loading the model"), false},
                    {QTime(8, 1), QStringLiteral("the cache is full"), true},
                    {QTime(8, 2), QStringLiteral("Step 1: 2 s"), false}});
    panel.addLines({});
    const QAbstractItemModel& shown = *panel.view().model();
    QCOMPARE(shown.rowCount(), 3);
    panel.search().setText(QStringLiteral("STEP"));
    QCOMPARE(shown.rowCount(), 1);
    QCOMPARE(shown.index(0, LogModel::When).data().toString(), QStringLiteral("08:02:00"));
    panel.search().clear();
    panel.warningsOnly().setChecked(true);
    QCOMPARE(shown.rowCount(), 1);
    QCOMPARE(shown.index(0, LogModel::Words).data().toString(), QStringLiteral("the cache is full"));
    panel.begin();
    QCOMPARE(panel.log().rowCount(), 0);
}

void ActivityTest::logIsFollowedThoughItWasHidden() {
    ActivityPanel panel;
    panel.resize(500, 250);
    const std::vector<LogLine> many(200, {QTime(8, 0), QStringLiteral("a line"), false});
    panel.begin();
    panel.addLines(many);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QScrollBar& bar = *panel.view().verticalScrollBar();
    QTRY_VERIFY(bar.maximum() > 0);
    QCOMPARE(bar.value(), bar.maximum());
    const int before = bar.maximum();
    panel.addLines(many);
    QTRY_VERIFY(bar.maximum() > before);
    QCOMPARE(bar.value(), bar.maximum());
    panel.hide();
    panel.addLines(many);
    panel.show();
    QTRY_VERIFY(bar.maximum() > before + static_cast<int>(many.size()));
    QCOMPARE(bar.value(), bar.maximum());

    bar.setValue(7);  // what somebody reads stays in sight
    const int all = bar.maximum();
    panel.addLines(many);
    QTRY_VERIFY(bar.maximum() > all);
    QCOMPARE(bar.value(), 7);
    panel.begin();
    panel.addLines(many);
    QTRY_COMPARE(bar.maximum(), before);
    QCOMPARE(bar.value(), bar.maximum());
}

void ActivityTest::linesAreCopiedAndTheLogIsSaved() {
    ActivityPanel panel;
    panel.addLines({{QTime(8, 0), QStringLiteral("Loading the model"), false},
                    {QTime(8, 1), QStringLiteral("the cache is full"), true},
                    {QTime(8, 2), QStringLiteral("Step 1: 2 s"), false}});
    panel.show();
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    panel.view().setFocus();
    panel.view().selectAll();
    QTest::keyClick(&panel.view(), Qt::Key_C, Qt::ControlModifier);
    const QString whole =
        QStringLiteral("08:00:00  Loading the model\n08:01:00  the cache is full\n08:02:00  Step 1: 2 s\n");
    QCOMPARE(QGuiApplication::clipboard()->text(), whole);
    panel.search().setText(QStringLiteral("step"));
    panel.view().selectAll();
    QTest::keyClick(&panel.view(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("08:02:00  Step 1: 2 s\n"));
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("log.txt")).toStdString();
    panel.saveLog(file);
    QCOMPARE(QString::fromStdString(readFile(file)), whole);
    QVERIFY_THROWS_EXCEPTION(Error, panel.saveLog(file / "beneath.txt"));
}

void ActivityTest::lanesAreJoinedWhenThereAreMany() {
    LaneHistory lanes;
    QCOMPARE(lanes.seconds(), 0.0);
    QVERIFY(lanes.stretchAt(0) == nullptr);
    constexpr int steps = 3 * static_cast<int>(LaneHistory::mostStretches) + 1;
    for (int step = 0; step < steps; ++step)
        lanes.add(unevenStep(step));
    QCOMPARE(lanes.steps(), steps);
    QVERIFY(lanes.stretches().size() <= LaneHistory::mostStretches);
    QCOMPARE(lanes.seconds(), 2.0 * steps);
    QCOMPARE(lanes.totals()[0].waiting, 0.5 * steps);
    QCOMPARE(lanes.totals()[1].bytesReceived, std::int64_t{3000} * steps);
    double end = 0;
    int next = 0;
    for (const LaneStretch& stretch : lanes.stretches()) {
        QCOMPARE(stretch.start, end);
        QCOMPARE(stretch.firstStep, next);
        QCOMPARE(stretch.devices[0].computing, 1.0 * stretch.steps);
        end += stretch.seconds;
        next += stretch.steps;
    }
    QCOMPARE(next, steps);
    QCOMPARE(lanes.stretchAt(0)->firstStep, 0);
    QVERIFY(lanes.stretchAt(lanes.seconds()) == nullptr);
    QVERIFY(lanes.stretchAt(-1) == nullptr);
}

void ActivityTest::lanesOfAnotherMeshBeginAnew() {
    LaneHistory lanes;
    lanes.add(unevenStep(0));
    lanes.add({.step = 1, .devices = {{.computing = 3}}});
    QCOMPARE(lanes.steps(), 1);
    QCOMPARE(lanes.totals().size(), 1U);
    QCOMPARE(lanes.seconds(), 3.0);
    lanes.add({.step = 2, .devices = {}});
    QCOMPARE(lanes.steps(), 1);
}

void ActivityTest::devicesAreTold() {
    DeviceLaneModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(model.sentence().isEmpty());
    model.add({unevenStep(0), unevenStep(1)});
    QCOMPARE(model.rowCount(), 2);
    const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
    QCOMPARE(text(0, DeviceLaneModel::Computing), QStringLiteral("50 %"));
    QCOMPARE(text(0, DeviceLaneModel::Exchanging), QStringLiteral("25 %"));
    QCOMPARE(text(0, DeviceLaneModel::Waiting), QStringLiteral("25 %"));
    QCOMPARE(text(1, DeviceLaneModel::Computing), QStringLiteral("75 %"));
    QCOMPARE(text(1, DeviceLaneModel::Waiting), QStringLiteral("0.0 %"));
    QVERIFY(model.sentence().contains(QStringLiteral("25 %")));
    QVERIFY(model.stretchText(model.history().stretches()[1], 1).startsWith(QStringLiteral("Step 2: 1.5 s")));
    QCOMPARE(model.expectedSeconds(), 4.0);
    model.setStepsLeft(6);
    QCOMPARE(model.expectedSeconds(), 16.0);
    model.add({unevenStep(2)});
    QCOMPARE(model.history().steps(), 3);
    model.clear();
    QCOMPARE(model.rowCount(), 0);
}

void ActivityTest::gpusStandStillAtTimes() {
    DevicesPanel panel(nullptr, noMachine);
    panel.showRun({{.step = 0, .devices = {{.computing = 4, .gpu = 3}}}});
    QVERIFY(panel.showsLanes());  // though it is one device
    QVERIFY2(panel.words().contains(QStringLiteral("75 %")) && panel.words().contains(QStringLiteral("25 %")),
             qPrintable(panel.words()));
    QVERIFY(!panel.view().isColumnHidden(DeviceLaneModel::HostOnly));
    const auto text = [&](int row, int column) { return panel.model().index(row, column).data().toString(); };
    QCOMPARE(text(0, DeviceLaneModel::Device), QStringLiteral("0 · GPU"));
    QCOMPARE(text(0, DeviceLaneModel::Computing), QStringLiteral("75 %"));
    QCOMPARE(text(0, DeviceLaneModel::HostOnly), QStringLiteral("25 %"));
    QVERIFY(panel.model()
                .stretchText(panel.model().history().stretches().front(), 0)
                .startsWith(QStringLiteral("Step 1: 3.0 s ")));
    panel.showRun(
        {{.step = 0, .devices = {{.computing = 2, .waiting = 2, .gpu = 1}, {.computing = 4, .gpu = 3}}}});
    QCOMPARE(panel.words().count(QStringLiteral("50 %")), 2);  // computing, and waiting at most
    panel.showRun({unevenStep(0)});
    QVERIFY(panel.view().isColumnHidden(DeviceLaneModel::HostOnly));
    QCOMPARE(text(0, DeviceLaneModel::Device), QStringLiteral("0"));
}

void ActivityTest::lanesAreDrawnToTheRight_data() {
    QTest::addColumn<Qt::LayoutDirection>("direction");
    QTest::newRow("left to right") << Qt::LeftToRight;
    QTest::newRow("right to left") << Qt::RightToLeft;
}

void ActivityTest::lanesAreDrawnToTheRight() {
    QFETCH(Qt::LayoutDirection, direction);
    DevicesPanel panel(nullptr, noMachine);
    panel.setLayoutDirection(direction);
    panel.resize(800, 200);
    panel.begin();
    panel.addSteps({unevenStep(0)});
    panel.showProgress({.phase = {}, .stepsDone = 1, .steps = 2, .fraction = 0.5, .secondsLeft = {}});
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const QTreeView& view = panel.view();
    const QRect lane = view.visualRect(panel.model().index(1, DeviceLaneModel::Lane));
    const QImage image = view.viewport()->grab().toImage().scaled(view.viewport()->size());
    const auto color = [&](double share, double height) {
        const QPointF place(lane.left() + share * lane.width(), lane.bottom() - height * lane.height());
        return image.pixelColor(place.toPoint());
    };
    // Of two steps one is done: the first half of the time, whatever the reading direction.
    QCOMPARE(color(0.25, 0.4), ChartStyle::series(0));
    QCOMPARE(color(0.25, 0.75), ChartStyle::series(1));
    QVERIFY(color(0.75, 0.4) != ChartStyle::series(0));
    QCOMPARE(view.columnViewportPosition(DeviceLaneModel::Device) < lane.left(),
             direction == Qt::LeftToRight);
}

void ActivityTest::devicesPanelSaysWhatToDo() {
    DevicesPanel panel(nullptr, noMachine);
    QSignalSpy asked(&panel, &DevicesPanel::meshRequested);
    QVERIFY(!panel.showsLanes());
    const QString before = panel.words();
    panel.findChild<QPushButton*>()->click();
    QCOMPARE(asked.count(), 1);
    panel.begin();
    const QString waiting = panel.words();
    QVERIFY(waiting != before);
    panel.addSteps({{.step = 0, .devices = {{.computing = 1}}}});
    QVERIFY(!panel.showsLanes());
    QVERIFY(!panel.words().isEmpty() && panel.words() != waiting && panel.words() != before);
    panel.begin();
    panel.addSteps({unevenStep(0)});
    QVERIFY(panel.showsLanes());
    panel.end();
    QVERIFY(panel.showsLanes());
    panel.begin();
    QVERIFY(!panel.showsLanes());
}

void ActivityTest::pastRunsHaveTheirLanes() {
    DevicesPanel panel(nullptr, noMachine);
    const QString before = panel.words();
    panel.showRun({unevenStep(0), unevenStep(1)});
    QVERIFY(panel.showsLanes());
    QCOMPARE(panel.model().rowCount(), 2);
    QCOMPARE(panel.words(), panel.model().sentence());
    QCOMPARE(panel.model().expectedSeconds(), 4.0);
    panel.showRun({unevenStep(0)});
    QCOMPARE(panel.model().history().steps(), 1);
    panel.showRun({});
    QVERIFY(!panel.showsLanes());
    QVERIFY2(panel.words().contains(QStringLiteral("trace")), qPrintable(panel.words()));
    panel.end();  // of decoding it again
    QVERIFY(panel.words().contains(QStringLiteral("trace")));
    panel.clear();
    QCOMPARE(panel.words(), before);
}

void ActivityTest::keysGoThroughALane() {
    DevicesPanel panel(nullptr, noMachine);
    panel.showRun({unevenStep(0), unevenStep(1)});
    panel.show();
    QTreeView& view = panel.view();
    const auto told = [&](int step, int device) {
        return panel.model().stretchText(panel.model().history().stretches().at(step), device);
    };
    QTest::keyClick(&view, Qt::Key_Period);
    QCOMPARE(view.accessibleDescription(), told(0, 0));
    QTest::keyClick(&view, Qt::Key_Period);
    QTest::keyClick(&view, Qt::Key_Period);
    QCOMPARE(view.accessibleDescription(), told(1, 0));
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Comma);
    QCOMPARE(view.accessibleDescription(), told(0, 1));
}

void ActivityTest::lanesAreExported() {
    const QTemporaryDir folder;
    const auto file = [&](const char* name) { return folder.filePath(QLatin1String(name)).toStdString(); };
    DevicesPanel panel(nullptr, noMachine);
    const std::vector<StepDeviceTimes> steps{unevenStep(0), unevenStep(1)};
    panel.begin();
    panel.addSteps(steps);  // of which exports count the first as 1, as the panel does
    for (const ChartFormat& format : chartFormats())
        panel.exportTo(file("lanes.") + std::string(format.extension));
    QCOMPARE(parseDeviceTimes(readFile(file("lanes.csv"))), (std::vector{unevenStep(1), unevenStep(2)}));
    QVERIFY(QImage(QString::fromStdString(file("lanes.png"))).width() >= 1200);
    QVERIFY(readFile(file("lanes.svg")).find(">What the devices did<") != std::string::npos);
    panel.begin();
    panel.addSteps({unevenStep(2)});
    panel.exportTo(file("again.csv"));
    QCOMPARE(parseDeviceTimes(readFile(file("again.csv"))), std::vector{unevenStep(3)});
}

MESHREEL_TEST_CLASS(ActivityTest)
#include "activity_test.moc"

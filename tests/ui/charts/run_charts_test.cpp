// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of one run and of several.
#include <QAbstractBarSeries>
#include <QAreaSeries>
#include <QBarSet>
#include <QCategoryAxis>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLegendMarker>
#include <QLineSeries>
#include <QTemporaryDir>
#include <QTest>
#include <QValueAxis>
#include <cmath>
#include <set>

#include "engine/base/error.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/runs/records/device_times.h"
#include "tests/support/charts/charted_runs.h"
#include "tests/support/charts/drawings.h"
#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/run_charts.h"
#include "ui/charts/tile_chart.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

/// What runs left before they recorded the times of their devices.
std::vector<TracedSpan> someTrace() {
    std::vector<TracedSpan> trace;
    for (const int thread : {2, 3})
        for (int step = 0; step < stepCount; ++step) {
            trace.push_back({"step", "step", thread, 0.25 * step, 0.25});
            trace.push_back({"attend", "attention", thread, 0.25 * step, 0.125});
            trace.push_back({"rotate", "attention", thread, 0.25 * step + 0.125, 0.0625});
        }
    return trace;
}

/// Of a chart of lanes, from below.
QStringList laneLabels(const QChart& chart) {
    return qobject_cast<QCategoryAxis*>(chart.axes(Qt::Vertical).constFirst())->categoriesLabels();
}

/// What the entries of the legend say, each once.
QStringList legendOf(const QChart& chart) {
    QStringList entries;
    const QList<QLegendMarker*> markers = chart.legend()->markers();
    for (const QLegendMarker* marker : markers)
        if (!entries.contains(marker->label()))
            entries += marker->label();
    return entries;
}

}  // namespace

class RunChartsTest : public QObject {
    Q_OBJECT

  private slots:
    void inferenceStandsUndividedWhereItsStagesAreUnknown();
    void manySeriesDifferInMoreThanColour();
    void everyKindOfRunChartDraws_data();
    void everyKindOfRunChartDraws();
    void chartsRefuseRunsThatDoNotGiveThem();
    void lanesAreThoseOfTheCounters();
    void lanesAreDrawnByTheirSteps();
    void oldRunsShowTheirTrace();

  private:
    std::filesystem::path fileNamed(const char* name) const {
        return m_folder.filePath(QLatin1String(name)).toStdString();
    }

    QTemporaryDir m_folder;
};

void RunChartsTest::inferenceStandsUndividedWhereItsStagesAreUnknown() {
    constexpr double load = 585;
    constexpr double inference = 216;
    RunRecord untraced = someRun(2);
    untraced.timings = TimingSummary{.load = load, .inference = inference};
    const ChartSheet sheet = runChart(ChartKind::Stages, {someRun(1), untraced});
    QCOMPARE(sheet.numbers.columns, (std::vector<std::string>{"run", "load", "compile", "conditioning",
                                                              "denoise", "decode", "inference"}));
    const std::vector<DataCell>& row = sheet.numbers.rows[1];
    QVERIFY(row[1] == DataCell(load));
    QVERIFY2(row[4] == DataCell() && row[5] == DataCell(), "what is not known is empty, not 0");
    QVERIFY(row[6] == DataCell(inference));
    QVERIFY(sheet.numbers.rows[0][6] == DataCell());
    const auto barSums = [](const QChart& chart) {
        const auto* bars = qobject_cast<const QAbstractBarSeries*>(chart.series().constFirst());
        QList<double> sums(bars->barSets().constFirst()->count(), 0);
        const QList<QBarSet*> sets = bars->barSets();
        for (const QBarSet* set : sets)
            for (int bar = 0; bar < set->count(); ++bar)
                sums[bar] += set->at(bar);
        return sums;
    };
    QCOMPARE(barSums(*sheet.draw()).constFirst(), load + inference);  // the last run stands at the bottom
    const auto stagesOf = [](const ChartSheet& drawn) {
        return qobject_cast<const QAbstractBarSeries*>(drawn.draw()->series().constFirst())->count();
    };
    QCOMPARE(stagesOf(sheet), 6);
    QCOMPARE(stagesOf(runChart(ChartKind::Stages, {someRun(1)})), 5);
}

void RunChartsTest::manySeriesDifferInMoreThanColour() {
    constexpr int series = 5 * ChartStyle::seriesColors;
    std::set<std::pair<QRgb, int>> pens;
    std::set<std::pair<QRgb, int>> brushes;
    for (int index = 0; index < series; ++index) {
        const QPen pen = ChartStyle::seriesPen(index, 2);
        pens.emplace(pen.color().rgb(), pen.style());
        QBarSet bars(QStringLiteral("bars"));
        ChartStyle::fillBars(bars, index);
        brushes.emplace(bars.brush().color().rgb(), bars.brush().style());
        QVERIFY2(bars.brush().style() == Qt::SolidPattern || bars.pen().color() == bars.brush().color(),
                 "hatched bars are outlined in their colour");
    }
    QCOMPARE(pens.size(), static_cast<std::size_t>(series));
    QCOMPARE(brushes.size(), static_cast<std::size_t>(series));
}

void RunChartsTest::everyKindOfRunChartDraws_data() {
    QTest::addColumn<int>("kind");
    for (const ChartKindRow& row : chartKinds())
        QTest::newRow(row.name.data()) << static_cast<int>(row.kind);
}

void RunChartsTest::everyKindOfRunChartDraws() {
    QFETCH(const int, kind);
    const auto chart = static_cast<ChartKind>(kind);
    const std::vector<RunRecord> runs = runsOf(chart);
    exportChart(fileNamed("runs.png"), runChart(chart, runs));
    const QImage image(m_folder.filePath(QStringLiteral("runs.png")));
    constexpr int drawnAtLeast = 500;  // pixels
    const QColor drawn = chart == ChartKind::Tiles ? tileShades().front() : ChartStyle::series(0);
    QVERIFY(countPixels(image, drawn) > drawnAtLeast);
    exportChart(fileNamed("runs.json"), runChart(chart, runs));
    QVERIFY(!QJsonDocument::fromJson(contentOf(fileNamed("runs.json"))).array().isEmpty());
}

void RunChartsTest::chartsRefuseRunsThatDoNotGiveThem() {
    RunRecord begun = someRun(1);
    begun.steps.clear();
    begun.timings.reset();
    begun.deviceTimes.clear();
    begun.memory.clear();
    for (const ChartKindRow& row : chartKinds()) {
        QVERIFY_THROWS_EXCEPTION(Error, runChart(row.kind, {}));
        QVERIFY_THROWS_EXCEPTION(Error, runChart(row.kind, {begun}));
    }
    for (const ChartKindRow& row : chartKinds())
        if (row.oneRun)
            QVERIFY_THROWS_EXCEPTION(Error, runChart(row.kind, {someRun(1), someRun(2)}));
    QVERIFY_THROWS_EXCEPTION(Error, runChart(ChartKind::Tiles, {someRun(1), someRun(2)}));  // other meshes
}

void RunChartsTest::lanesAreThoseOfTheCounters() {
    RunRecord run = someRun(1);
    run.trace = someTrace();
    const ChartSheet sheet = runChart(ChartKind::Lanes, {run});
    std::vector<StepDeviceTimes> back = parseDeviceTimes(toCsv(sheet.numbers));
    QCOMPARE(back.front().step, 1);  // as the charts count
    for (StepDeviceTimes& step : back)
        --step.step;
    QCOMPARE(back, run.deviceTimes);
    const auto chart = sheet.draw();
    QVERIFY2(chart->title().isEmpty(), qPrintable(chart->title()));
    QCOMPARE(laneLabels(*chart), QStringList({QStringLiteral("Device 1"), QStringLiteral("Device 0")}));
    QCOMPARE(legendOf(*chart), QStringList({QStringLiteral("Computing"), QStringLiteral("Exchange"),
                                            QStringLiteral("Waiting")}));
    exportChart(fileNamed("lanes.png"), sheet);
    const QImage image(m_folder.filePath(QStringLiteral("lanes.png")));
    // Of the two lanes' time three quarters are computing, the rest is half exchange and half waiting.
    const int computing = countPixels(image, ChartStyle::series(0));
    for (const int other : {1, 6}) {
        const double ratio = static_cast<double>(countPixels(image, ChartStyle::series(other))) / computing;
        QVERIFY2(std::abs(ratio - 1.0 / 6) < 0.02, qPrintable(QString::number(ratio)));
    }
}

void RunChartsTest::lanesAreDrawnByTheirSteps() {
    RunRecord run = someRun(1);
    for (StepDeviceTimes& step : run.deviceTimes)
        step.devices.front().computing += 0.01 * step.step;
    const std::vector<QPointF> few = cornersOf(chartSvg(runChart(ChartKind::Lanes, {run})));
    QVERIFY2(few.size() < 1000, qPrintable(QString::number(few.size())));
    const auto boundsOf = [](const QChart& chart) {
        return qobject_cast<QAreaSeries*>(chart.series().constLast())->upperSeries()->points();
    };
    constexpr int steps = 10'000;
    run.deviceTimes.clear();
    for (int step = 0; step < steps; ++step)
        run.deviceTimes.push_back({.step = step,
                                   .devices = {{.computing = step % 2 == 0 ? 0.25 : 0.5,
                                                .exchanging = 0,
                                                .waiting = step % 2 == 0 ? 0.25 : 0}}});
    const auto chart = runChart(ChartKind::Lanes, {run}).draw();
    QVERIFY(boundsOf(*chart).size() < 2000);
    const auto* computing = qobject_cast<QAreaSeries*>(chart->series().constFirst());
    // From afar three quarters of the time; looked at closely, all of it in every second step.
    QVERIFY(std::abs(computing->upperSeries()->at(0).y() - (0.1 + 0.8 * 0.75)) < 0.01);
    auto* time = qobject_cast<QValueAxis*>(chart->axes(Qt::Horizontal).constFirst());
    time->setRange(100, 102);
    const QList<QPointF> near = computing->upperSeries()->points();
    QCOMPARE(near.size(), 8);  // four steps
    QVERIFY(std::abs(near[0].y() - (0.1 + 0.8 * 0.5)) < 1e-9);
    QVERIFY(std::abs(near[2].y() - (0.1 + 0.8)) < 1e-9);
}

void RunChartsTest::oldRunsShowTheirTrace() {
    RunRecord run = someRun(1);
    run.deviceTimes.clear();
    run.trace = someTrace();
    const ChartSheet sheet = runChart(ChartKind::Lanes, {run});
    const auto chart = sheet.draw();
    QVERIFY(chart->title().contains(QLatin1String("trace")));
    QCOMPARE(laneLabels(*chart), QStringList({QStringLiteral("Thread 3"), QStringLiteral("Thread 2")}));
    QCOMPARE(sheet.numbers.columns.front(), "thread");
    exportChart(fileNamed("traced.png"), sheet);
    const QImage image(m_folder.filePath(QStringLiteral("traced.png")));
    QVERIFY(countPixels(image, ChartStyle::series(5)) > 500);
}

MESHREEL_TEST_CLASS(RunChartsTest)
#include "run_charts_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/lane_chart.h"

#include <QAreaSeries>
#include <QCategoryAxis>
#include <QCoreApplication>
#include <QLegendMarker>
#include <QLineSeries>
#include <QValueAxis>
#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/timing/device_time_table.h"
#include "engine/timing/lane_occupancy.h"
#include "ui/charts/chart_axes.h"

namespace meshreel {

namespace {

constexpr std::size_t drawnBins = 600;  ///< two pixels of the file's width each
constexpr double laneHeight = 0.8;      ///< of the distance between lanes

struct ActivityRow {
    const char* title;   ///< context "RunCharts"
    const char* column;  ///< in the numbers
    int color;           ///< of ChartStyle::series
};

const ActivityRow& rowOf(LaneActivity activity) {
    // In the order of LaneActivity.
    static constexpr std::array<ActivityRow, 6> rows{{
        {QT_TRANSLATE_NOOP("RunCharts", "Computing"), "computing", 0},
        {QT_TRANSLATE_NOOP("RunCharts", "Exchange"), "exchanging", 1},
        {QT_TRANSLATE_NOOP("RunCharts", "Waiting"), "waiting", 6},
        {QT_TRANSLATE_NOOP("RunCharts", "Attention"), "attention", 0},
        {QT_TRANSLATE_NOOP("RunCharts", "Outside of attention"), "elsewhere", 5},
        {QT_TRANSLATE_NOOP("RunCharts", "Exchange and waiting"), "exchange", 1},
    }};
    return rows.at(static_cast<std::size_t>(activity));
}

/// What stands around the lanes of one source, translated.
struct LaneWords {
    QString lane;   ///< of its number %1
    QString title;  ///< may be empty
};

/// A lane's bounds as steps: two points a bin.
QList<QPointF> stepsOf(const std::vector<double>& heights, double base, double binSeconds) {
    QList<QPointF> points;
    points.reserve(static_cast<qsizetype>(2 * heights.size()));
    for (std::size_t bin = 0; bin < heights.size(); ++bin) {
        const double height = base + laneHeight * heights[bin];
        points.append({static_cast<double>(bin) * binSeconds, height});
        points.append({static_cast<double>(bin + 1) * binSeconds, height});
    }
    return points;
}

void addTo(std::vector<double>& sums, const std::vector<double>& share) {
    std::ranges::transform(sums, share, sums.begin(), std::plus<>());
}

QLineSeries* boundOf(QChart* chart, const QList<QPointF>& points) {
    auto* line = new QLineSeries(chart);
    line->replace(points);
    return line;
}

/// The areas of a lane on top of each other; only the first lane's stand in the legend.
void addLane(QChart* chart, QValueAxis* time, QAbstractAxis* rows, const LaneOccupancy& occupancy,
             const Lane& lane, double base, bool named) {
    const double binSeconds = occupancy.seconds / static_cast<double>(drawnBins);
    std::vector<double> sums(drawnBins);
    QList<QPointF> below = stepsOf(sums, base, binSeconds);
    for (std::size_t index = 0; index < occupancy.activities.size(); ++index) {
        const ActivityRow& activity = rowOf(occupancy.activities[index]);
        addTo(sums, lane.share[index]);
        const QList<QPointF> above = stepsOf(sums, base, binSeconds);
        auto* area = new QAreaSeries(boundOf(chart, above), boundOf(chart, below));
        area->setParent(chart);
        area->setName(QCoreApplication::translate("RunCharts", activity.title));
        area->setBrush(ChartStyle::series(activity.color));
        area->setPen(Qt::NoPen);
        chart->addSeries(area);
        area->attachAxis(time);
        area->attachAxis(rows);
        chart->legend()->markers(area).first()->setVisible(named);
        below = above;
    }
}

std::unique_ptr<QChart> drawLanes(const LaneOccupancy& occupancy, const LaneWords& words) {
    auto chart = std::make_unique<QChart>();
    auto* time = new QValueAxis(chart.get());
    auto* rows = new QCategoryAxis(chart.get());
    const auto count = static_cast<int>(occupancy.lanes.size());
    rows->setRange(0, count);
    rows->setLabelsPosition(QCategoryAxis::AxisLabelsPositionCenter);
    time->setTitleText(QCoreApplication::translate("RunCharts", "Seconds of denoising"));
    chart->addAxis(time, Qt::AlignBottom);
    chart->addAxis(rows, Qt::AlignLeft);
    for (int row = 0; row < count; ++row) {
        const Lane& lane = occupancy.lanes[static_cast<std::size_t>(count - 1 - row)];
        addLane(chart.get(), time, rows, occupancy, lane, row + (1 - laneHeight) / 2, row == 0);
        rows->append(words.lane.arg(lane.number), row + 1);
    }
    setTicks(time, 0, occupancy.seconds);
    time->setMax(occupancy.seconds);
    ChartStyle::print().applyTo(*chart);
    rows->setGridLineVisible(false);
    chart->setTitle(words.title);
    return chart;
}

/// A row for each thread and bin.
DataTable binnedNumbers(const LaneOccupancy& occupancy) {
    DataTable numbers{.columns = {"thread", "start", "seconds"}, .rows = {}};
    for (const LaneActivity activity : occupancy.activities)
        numbers.columns.emplace_back(rowOf(activity).column);
    const double binSeconds = occupancy.seconds / static_cast<double>(drawnBins);
    for (const Lane& lane : occupancy.lanes)
        for (std::size_t bin = 0; bin < drawnBins; ++bin) {
            std::vector<DataCell> row{std::int64_t{lane.number}, static_cast<double>(bin) * binSeconds,
                                      binSeconds};
            for (const std::vector<double>& share : lane.share)
                row.emplace_back(share[bin]);
            numbers.rows.push_back(std::move(row));
        }
    return numbers;
}

ChartSheet tracedLaneSheet(const std::vector<TracedSpan>& trace) {
    const LaneOccupancy occupancy = tracedOccupancy(trace, drawnBins);
    const auto draw = [occupancy] {
        return drawLanes(occupancy, {.lane = QCoreApplication::translate("RunCharts", "Thread %1"),
                                     .title = QCoreApplication::translate(
                                         "RunCharts",
                                         "From the trace, as this run has no devices.csv: attention "
                                         "only, exchange and waiting in one")});
    };
    return {.draw = draw, .numbers = binnedNumbers(occupancy)};
}

}  // namespace

ChartSheet deviceLaneSheet(const std::vector<StepDeviceTimes>& steps) {
    const auto draw = [occupancy = laneOccupancy(steps, drawnBins)] {
        return drawLanes(occupancy,
                         {.lane = QCoreApplication::translate("RunCharts", "Device %1"), .title = QString()});
    };
    return {.draw = draw, .numbers = deviceTimeTable(steps)};
}

ChartSheet laneSheet(const std::vector<RunRecord>& runs) {
    const RunRecord& run = runs.front();
    if (!run.deviceTimes.empty())
        return deviceLaneSheet(run.deviceTimes);
    if (std::ranges::none_of(run.trace, [](const TracedSpan& span) { return span.category == "step"; }))
        throw Error(ErrorKind::Project, "This run recorded nothing of its devices", run.name,
                    "Name a run that finished a step");
    return tracedLaneSheet(run.trace);
}

}  // namespace meshreel

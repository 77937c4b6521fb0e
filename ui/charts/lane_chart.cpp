// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/lane_chart.h"

#include <QAreaSeries>
#include <QCategoryAxis>
#include <QCoreApplication>
#include <QLegendMarker>
#include <QLineSeries>
#include <QValueAxis>
#include <array>

#include "engine/base/error.h"
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

// In the order of LaneActivity.
constexpr std::array<ActivityRow, laneActivities> activities{{
    {QT_TRANSLATE_NOOP("RunCharts", "Attention"), "attention", 0},
    {QT_TRANSLATE_NOOP("RunCharts", "Other computing"), "computing", 5},
    {QT_TRANSLATE_NOOP("RunCharts", "Exchange and waiting"), "exchange", 1},
}};

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

/// The three areas of a lane on top of each other; only the first lane's stand in the legend.
void addLane(QChart* chart, QValueAxis* time, QAbstractAxis* rows, const Lane& lane, double base,
             double binSeconds, bool named) {
    std::vector<double> sums(lane.share[0].size());
    QList<QPointF> below = stepsOf(sums, base, binSeconds);
    for (std::size_t index = 0; index < laneActivities; ++index) {
        addTo(sums, lane.share.at(index));
        const QList<QPointF> above = stepsOf(sums, base, binSeconds);
        auto* area = new QAreaSeries(boundOf(chart, above), boundOf(chart, below));
        area->setParent(chart);
        area->setName(QCoreApplication::translate("RunCharts", activities.at(index).title));
        area->setBrush(ChartStyle::series(activities.at(index).color));
        area->setPen(Qt::NoPen);
        chart->addSeries(area);
        area->attachAxis(time);
        area->attachAxis(rows);
        chart->legend()->markers(area).first()->setVisible(named);
        below = above;
    }
}

std::unique_ptr<QChart> drawLanes(const LaneOccupancy& occupancy) {
    auto chart = std::make_unique<QChart>();
    auto* time = new QValueAxis(chart.get());
    auto* rows = new QCategoryAxis(chart.get());
    const auto count = static_cast<int>(occupancy.lanes.size());
    rows->setRange(0, count);
    rows->setLabelsPosition(QCategoryAxis::AxisLabelsPositionCenter);
    time->setTitleText(QCoreApplication::translate("RunCharts", "Seconds of denoising"));
    chart->addAxis(time, Qt::AlignBottom);
    chart->addAxis(rows, Qt::AlignLeft);
    const double binSeconds = occupancy.seconds / static_cast<double>(drawnBins);
    for (int device = count - 1; device >= 0; --device) {
        const int row = count - 1 - device;
        addLane(chart.get(), time, rows, occupancy.lanes[static_cast<std::size_t>(device)],
                row + (1 - laneHeight) / 2, binSeconds, row == 0);
        rows->append(QCoreApplication::translate("RunCharts", "Device %1").arg(device), row + 1);
    }
    setTicks(time, 0, occupancy.seconds);
    time->setMax(occupancy.seconds);
    ChartStyle::print().applyTo(*chart);
    rows->setGridLineVisible(false);
    return chart;
}

DataTable numbersOf(const LaneOccupancy& occupancy) {
    DataTable numbers{.columns = {"device", "start", "seconds"}, .rows = {}};
    for (const ActivityRow& activity : activities)
        numbers.columns.emplace_back(activity.column);
    const double binSeconds = occupancy.seconds / static_cast<double>(drawnBins);
    for (std::int64_t device = 0; const Lane& lane : occupancy.lanes) {
        for (std::size_t bin = 0; bin < drawnBins; ++bin) {
            std::vector<DataCell> row{device, static_cast<double>(bin) * binSeconds, binSeconds};
            for (const std::vector<double>& share : lane.share)
                row.emplace_back(share[bin]);
            numbers.rows.push_back(std::move(row));
        }
        ++device;
    }
    return numbers;
}

}  // namespace

ChartSheet laneSheet(const std::vector<RunRecord>& runs) {
    const LaneOccupancy occupancy = laneOccupancy(runs.front().trace, drawnBins);
    if (occupancy.lanes.empty())
        throw Error(ErrorKind::Project, "This run left no trace of its steps", runs.front().name,
                    "Name a finished run, whose folder holds trace.json");
    return {.draw = [occupancy] { return drawLanes(occupancy); }, .numbers = numbersOf(occupancy)};
}

}  // namespace meshreel

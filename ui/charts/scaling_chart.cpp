// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/scaling_chart.h"

#include <QCoreApplication>
#include <QLineSeries>
#include <QPen>
#include <QValueAxis>
#include <algorithm>

#include "engine/base/error.h"
#include "engine/timing/run_scaling.h"
#include "ui/charts/chart_axes.h"

namespace meshreel {

namespace {

constexpr double lineWidth = 2.0;
constexpr double markerSize = 5.0;

struct Extent {
    int fewest = 1;
    int most = 1;
    double speed = 1;  ///< the highest
};

Extent extentOf(const std::vector<ScalingLine>& lines) {
    Extent extent{.fewest = lines.front().points.front().devices};
    for (const ScalingLine& line : lines)
        for (const ScalingPoint& point : line.points) {
            extent.fewest = std::min(extent.fewest, point.devices);
            extent.most = std::max(extent.most, point.devices);
            extent.speed = std::max(extent.speed, point.speed);
        }
    return extent;
}

QString nameOf(const ScalingLine& line, bool severalSizes) {
    const QString attention = QString::fromStdString(line.attention);
    return severalSizes ? QStringLiteral("%1 %2").arg(attention, QString::fromStdString(line.size))
                        : attention;
}

std::unique_ptr<QChart> drawScaling(const std::vector<ScalingLine>& lines) {
    auto chart = std::make_unique<QChart>();
    auto* devices = new QValueAxis(chart.get());
    auto* speed = new QValueAxis(chart.get());
    devices->setTitleText(QCoreApplication::translate("RunCharts", "Devices"));
    speed->setTitleText(QCoreApplication::translate("RunCharts", "Speed"));
    chart->addAxis(devices, Qt::AlignBottom);
    chart->addAxis(speed, Qt::AlignLeft);
    const auto add = [&](QLineSeries* series) {
        chart->addSeries(series);
        series->attachAxis(devices);
        series->attachAxis(speed);
    };
    const bool severalSizes =
        std::ranges::any_of(lines, [&](const ScalingLine& line) { return line.size != lines.front().size; });
    for (int index = 0; const ScalingLine& line : lines) {
        auto* series = new QLineSeries(chart.get());
        series->setName(nameOf(line, severalSizes));
        series->setPen(QPen(ChartStyle::series(index++), lineWidth));
        series->setMarkerSize(markerSize);
        series->setPointsVisible(true);
        for (const ScalingPoint& point : line.points)
            series->append(point.devices, point.speed);
        add(series);
    }
    // Drawn as far as the measured speeds reach, so that it does not press them flat.
    const Extent extent = extentOf(lines);
    const double end = std::min<double>(extent.most, extent.fewest * extent.speed * 1.5);
    auto* perfect = new QLineSeries(chart.get());
    perfect->setName(QCoreApplication::translate("RunCharts", "Perfect scaling"));
    perfect->setPen(QPen(ChartStyle::print().reference, 1, Qt::DashLine));
    perfect->append(extent.fewest, 1);
    perfect->append(end, end / extent.fewest);
    add(perfect);
    setCountTicks(devices, extent.most);
    setTicks(speed, 0, std::max(extent.speed, end / extent.fewest));
    ChartStyle::print().applyTo(*chart);
    return chart;
}

}  // namespace

ChartSheet scalingSheet(const std::vector<RunRecord>& runs) {
    std::vector<ScalingLine> lines = scalingLines(runs);
    if (lines.empty())
        throw Error(ErrorKind::Project, "None of these runs finished a step", runs.front().name,
                    "Name runs that got as far as denoising");
    DataTable numbers{
        .columns = {"run", "attention", "size", "devices", "step_seconds", "speed", "efficiency"},
        .rows = {}};
    for (const ScalingLine& line : lines)
        for (const ScalingPoint& point : line.points)
            numbers.rows.push_back({point.run, line.attention, line.size, std::int64_t{point.devices},
                                    point.stepSeconds, point.speed, point.efficiency});
    return {.draw = [lines] { return drawScaling(lines); }, .numbers = std::move(numbers)};
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/scaling_chart.h"

#include <QCoreApplication>
#include <QLineSeries>
#include <QLocale>
#include <QPen>
#include <QValueAxis>
#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/runs/records/run_analysis.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/error_bars.h"
#include "ui/charts/hollow_marks.h"
#include "ui/charts/readable_chart.h"
#include "ui/charts/scaled_axis.h"
#include "ui/charts/series_groups.h"

namespace meshreel {

namespace {

constexpr double efficiencyWidth = 1.2;
constexpr double markerRadius = 5.0;
constexpr double hollowDiameter = 7.0;
constexpr double percent = 100;
constexpr double percentHeadroom = 1.1;  ///< for the mark of the run that all others are measured by
constexpr int deviationDigits = 3;

struct Extent {
    int fewest = 1;
    int most = 1;
    double speed = 1;  ///< the highest, with its deviation
    double leastSpeed = 1;
    double efficiency = 1;  ///< likewise
};

Extent scalingExtent(const std::vector<ScalingLine>& lines) {
    Extent extent{.fewest = lines.front().points.front().devices};
    for (const ScalingLine& line : lines)
        for (const ScalingPoint& point : line.points) {
            extent.fewest = std::min(extent.fewest, point.devices);
            extent.most = std::max(extent.most, point.devices);
            extent.speed = std::max(extent.speed, point.speed + point.speedDeviation);
            extent.leastSpeed = std::min(extent.leastSpeed, point.speed);
            extent.efficiency = std::max(extent.efficiency, point.efficiency + point.efficiencyDeviation);
        }
    return extent;
}

QString nameOf(const ScalingLine& line, bool severalSizes) {
    QString name = QString::fromStdString(line.attention);
    if (severalSizes)
        name += QLatin1Char(' ') + QString::fromStdString(line.size);
    if (!line.settings.empty())
        name += QStringLiteral(" (%1)").arg(QString::fromStdString(line.settings));
    return name;
}

/// Speed on the left axis, with the deviation of repeats as error bars, and efficiency on the right one.
class ScalingChart : public ReadableChart {
  public:
    explicit ScalingChart(std::vector<ScalingLine> lines);

    [[nodiscard]] std::optional<ChartValue> valueNear(const QPointF& position) override;
    [[nodiscard]] ScaledAxis* scaledAxis() override { return m_speed; }

  private:
    QLineSeries* add(const QString& name, const QPen& pen, QAbstractAxis* up);
    void addPerfect();
    void addLine(const ScalingLine& line, const QString& name, int index);
    HollowMarks* markHollow(QLineSeries& line);

    std::vector<ScalingLine> m_lines;
    QValueAxis* m_devices;
    ScaledAxis* m_speed;
    QValueAxis* m_percent;
    QLineSeries* m_efficiency;  ///< stands in the legend for the efficiency of all lines
};

ScalingChart::ScalingChart(std::vector<ScalingLine> lines)
    : m_lines(std::move(lines)),
      m_devices(new QValueAxis(this)),
      m_speed(new ScaledAxis(this)),
      m_percent(new QValueAxis(this)) {
    m_devices->setTitleText(QCoreApplication::translate("RunCharts", "Devices"));
    m_speed->setTitle(QCoreApplication::translate("RunCharts", "Speed"));
    m_percent->setTitleText(QCoreApplication::translate("RunCharts", "Efficiency in %"));
    addAxis(m_devices, Qt::AlignBottom);
    addAxis(m_percent, Qt::AlignRight);
    legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    m_efficiency = add(QCoreApplication::translate("RunCharts", "Efficiency"),
                       QPen(ChartStyle::guide(), efficiencyWidth, Qt::DotLine), m_percent);
    const bool severalSizes = std::ranges::any_of(
        m_lines, [&](const ScalingLine& line) { return line.size != m_lines.front().size; });
    for (int index = 0; const ScalingLine& line : m_lines)
        addLine(line, nameOf(line, severalSizes), index++);
    addPerfect();
    ChartStyle::print().applyTo(*this);
    m_percent->setGridLineVisible(false);
}

QLineSeries* ScalingChart::add(const QString& name, const QPen& pen, QAbstractAxis* up) {
    auto* series = new QLineSeries(this);
    series->setName(name);
    series->setPen(pen);
    addSeries(series);
    series->attachAxis(m_devices);
    series->attachAxis(up);
    return series;
}

void ScalingChart::addLine(const ScalingLine& line, const QString& name, int index) {
    QLineSeries* speeds = add(name, ChartStyle::seriesPen(index, seriesLineWidth), m_speed->axis());
    QLineSeries* efficiencies =
        add(name, QPen(ChartStyle::series(index), efficiencyWidth, Qt::DotLine), m_percent);
    std::vector<ErrorBar> spreads;
    std::vector<ErrorBar> efficiencySpreads;
    for (const ScalingPoint& point : line.points) {
        speeds->append(point.devices, point.speed);
        efficiencies->append(point.devices, point.efficiency * percent);
        if (point.repeats < 2)
            continue;
        spreads.push_back({static_cast<double>(point.devices), point.speed - point.speedDeviation,
                           point.speed + point.speedDeviation});
        efficiencySpreads.push_back({static_cast<double>(point.devices),
                                     (point.efficiency - point.efficiencyDeviation) * percent,
                                     (point.efficiency + point.efficiencyDeviation) * percent});
    }
    speeds->setMarkerSize(markerRadius);
    speeds->setPointsVisible(true);
    showWith(*efficiencies, {speeds, m_efficiency});
    showWith(*markHollow(*efficiencies), {speeds, m_efficiency});
    new ErrorBars(this, speeds, std::move(spreads));  // the chart's children
    new ErrorBars(this, efficiencies, std::move(efficiencySpreads));
}

HollowMarks* ScalingChart::markHollow(QLineSeries& line) {
    auto* marks = new HollowMarks(this);
    marks->setName(line.name());
    marks->setMarkerSize(hollowDiameter);
    marks->setBorderColor(line.pen().color());
    marks->append(line.points());
    addSeries(marks);
    const QList<QAbstractAxis*> axes = line.attachedAxes();
    for (QAbstractAxis* axis : axes)
        marks->attachAxis(axis);
    return marks;
}

// Drawn as far as the measured speeds reach, so that it does not press them flat.
void ScalingChart::addPerfect() {
    const Extent extent = scalingExtent(m_lines);
    const double end = std::min<double>(extent.most, extent.fewest * extent.speed * 1.5);
    QLineSeries* perfect = add(QCoreApplication::translate("RunCharts", "Perfect scaling"),
                               QPen(ChartStyle::guide(), 1, Qt::DashLine), m_speed->axis());
    perfect->append(extent.fewest, 1);
    perfect->append(end, end / extent.fewest);
    setCountTicks(m_devices, extent.most);
    m_speed->setExtent(
        {.from = 0, .least = extent.leastSpeed, .most = std::max(extent.speed, end / extent.fewest)});
    setFittedTicks(this, m_percent, std::max(1.0, extent.efficiency) * percent * percentHeadroom);
}

std::optional<ChartValue> ScalingChart::valueNear(const QPointF& position) {
    std::optional<ChartValue> value = nearestPoint(*this, position);
    if (!value)
        return value;
    for (const ScalingLine& line : m_lines)
        for (const ScalingPoint& point : line.points)
            if (point.repeats > 1 && value->point.x() == point.devices && value->point.y() == point.speed)
                value->words += QLatin1Char('\n') +
                                QCoreApplication::translate("RunCharts", "Standard deviation of %1 runs: %2")
                                    .arg(point.repeats)
                                    .arg(QLocale().toString(point.speedDeviation, 'g', deviationDigits));
    return value;
}

}  // namespace

ChartSheet scalingSheet(const std::vector<RunRecord>& runs) {
    std::vector<ScalingLine> lines = scalingLines(runs);
    if (lines.empty())
        throw Error(ErrorKind::Project, sentence("None of these runs finished a step"), runs.front().name,
                    sentence("Name runs that got as far as denoising"));
    DataTable numbers{
        .columns = {"run", "attention", "size", "settings", "devices", "repeats", "step_seconds",
                    "step_seconds_sd", "speed", "speed_sd", "efficiency", "efficiency_sd"},
        .rows = {}};
    for (const ScalingLine& line : lines) {
        const DataCell settings = line.settings.empty() ? DataCell() : DataCell(line.settings);
        for (const ScalingPoint& point : line.points) {
            const auto deviation = [&point](double value) {
                return point.repeats > 1 ? DataCell(value) : DataCell();
            };
            numbers.rows.push_back(
                {point.run, line.attention, line.size, settings, std::int64_t{point.devices},
                 std::int64_t{point.repeats}, point.stepSeconds, deviation(point.stepDeviation), point.speed,
                 deviation(point.speedDeviation), point.efficiency, deviation(point.efficiencyDeviation)});
        }
    }
    return {.draw = [lines]() -> std::unique_ptr<QChart> { return std::make_unique<ScalingChart>(lines); },
            .numbers = std::move(numbers)};
}

}  // namespace meshreel

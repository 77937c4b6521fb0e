// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/run_charts.h"

#include <QChart>
#include <QCoreApplication>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLocale>
#include <QPen>
#include <QStringList>
#include <QValueAxis>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/units.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/records/run_analysis.h"
#include "engine/runs/records/run_record.h"
#include "engine/timing/step_record.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_legend.h"
#include "ui/charts/chart_marks.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/dense_line.h"
#include "ui/charts/lane_chart.h"
#include "ui/charts/quality_chart.h"
#include "ui/charts/stage_charts.h"
#include "ui/charts/tile_chart.h"
#include "ui/theme/plain_text.h"

namespace meshreel {

namespace {

QList<QPointF> toPoints(const RunRecord& run) {
    QList<QPointF> points;
    points.reserve(static_cast<qsizetype>(run.steps.size()));
    for (const StepRecord& step : run.steps)
        points.append({static_cast<double>(step.step + firstShownStep), step.seconds});
    return points;
}

ValueExtent runSeconds(const std::vector<RunRecord>& runs) {
    ValueExtent extent;
    bool first = true;
    for (const RunRecord& run : runs)
        for (const StepRecord& step : run.steps) {
            extent.least = first ? step.seconds : std::min(extent.least, step.seconds);
            extent.most = std::max(extent.most, step.seconds);
            first = false;
        }
    return extent;
}

/// A line a run, redrawn for the visible part of the steps.
class RunStepsChart : public ReadableChart {
  public:
    explicit RunStepsChart(const std::vector<RunRecord>& runs);

    [[nodiscard]] std::optional<ChartValue> valueNear(const QPointF& position) override;
    [[nodiscard]] ScaledAxis* scaledAxis() override { return m_seconds; }

  private:
    void addLine(const RunRecord& run, int index);
    void drawVisible();

    QValueAxis* m_steps;
    ScaledAxis* m_seconds;
    std::vector<DenseLine*> m_lines;
};

RunStepsChart::RunStepsChart(const std::vector<RunRecord>& runs)
    : m_steps(new QValueAxis(this)), m_seconds(new ScaledAxis(this)) {
    addAxis(m_steps, Qt::AlignBottom);
    m_steps->setTitleText(QCoreApplication::translate("RunCharts", "Step"));
    m_seconds->setTitle(QCoreApplication::translate("RunCharts", "Seconds"));
    int last = 0;
    std::vector<StepMark> switches;
    for (int index = 0; const RunRecord& run : runs) {
        addLine(run, index++);
        std::ranges::move(expertSwitches(run.steps, m_lines.back()->line()), std::back_inserter(switches));
        if (!run.steps.empty())
            last = std::max(last, run.steps.back().step + firstShownStep);
    }
    auto* marks = new StepMarks(this);
    marks->setMarks(std::move(switches));
    legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    setCountTicks(m_steps, last);
    m_seconds->setExtent(runSeconds(runs));
    ChartStyle::print().applyTo(*this);
    connect(m_steps, &QValueAxis::rangeChanged, this, &RunStepsChart::drawVisible);
    connect(this, &QChart::plotAreaChanged, this, &RunStepsChart::drawVisible);
    connect(m_seconds, &ScaledAxis::replaced, this, &RunStepsChart::drawVisible);
    drawVisible();
}

void RunStepsChart::addLine(const RunRecord& run, int index) {
    auto* line = new DenseLine(this);
    line->setPen(ChartStyle::seriesPen(index, seriesLineWidth));
    line->line().setName(QString::fromStdString(run.name));
    line->setPoints(toPoints(run));
    line->attach(m_steps, m_seconds->axis());
    m_lines.push_back(line);
    if (run.steps.empty())
        return;
    const auto round = (m_lines.size() - 1) / static_cast<std::size_t>(ChartStyle::seriesColors);
    addColdMark(*this, line->line(), round)->append(coldPoints(run.steps, run.resumedFrom));
}

void RunStepsChart::drawVisible() {
    for (DenseLine* line : m_lines)
        line->drawBetween(m_steps->min(), m_steps->max());
}

std::optional<ChartValue> RunStepsChart::valueNear(const QPointF& position) {
    std::optional<ChartValue> nearest;
    for (const DenseLine* line : m_lines) {
        const std::optional<QPointF> point = line->nearest(position);
        if (!point)
            continue;
        const QPointF at = mapToPosition(*point, &line->line());
        if (!nearest || QLineF(at, position).length() < QLineF(nearest->position, position).length())
            nearest = {at, *point, pointWords(line->line(), *point)};
    }
    return nearest;
}

/// Seconds of every step, a line a run; steps that met cold caches are marked. Throws
/// Error{Project} when no run has a step.
ChartSheet runStepsSheet(const std::vector<RunRecord>& runs) {
    DataTable numbers{.columns = {"run", "step", "timestep", "sigma", "seconds", "expert"}, .rows = {}};
    for (const RunRecord& run : runs)
        for (const StepRecord& step : run.steps)
            numbers.rows.push_back({run.name, std::int64_t{step.step + firstShownStep}, step.timestep,
                                    step.sigma, step.seconds, std::int64_t{step.expert}});
    if (numbers.rows.empty())
        throw Error(ErrorKind::Project, sentence("None of these runs finished a step"), runs.front().name,
                    sentence("Name runs that got as far as denoising"));
    return {.draw = [runs]() -> std::unique_ptr<QChart> { return std::make_unique<RunStepsChart>(runs); },
            .numbers = std::move(numbers)};
}

constexpr double efficiencyWidth = 1.2;
constexpr double markerRadius = 5.0;
constexpr double hollowDiameter = 7.0;
constexpr double percentHeadroom = 1.1;  ///< for the mark of the run that all others are measured by
constexpr int deviationDigits = 3;

struct Extent {
    int fewest = 1;
    int most = 1;
    double speed = 1;  ///< the highest, with its deviation
    double leastSpeed = 1;
    double efficiency = 1;  ///< as above
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

/// Speed against the number of devices: a line for each attention mode and size, relative to the slowest run
/// on the fewest devices of that size, beside the line of perfect scaling. Throws Error{Project} when no run
/// has a step.
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

/// The entries of the legend, which it shortens when they have no room, and the whole names of the runs,
/// which are reduced to where they differ.
QString legendHelp(const QLegend& legend, const std::vector<RunRecord>& runs) {
    QStringList lines;
    const QList<QLegendMarker*> entries = legend.markers();
    for (const QLegendMarker* entry : entries)
        lines += wholeLabel(*entry);
    for (const RunRecord& run : runs)
        lines += QString::fromStdString(run.name);
    lines.removeDuplicates();
    return asPlainText(lines.join(QLatin1Char('\n')));
}

using SheetOf = ChartSheet (*)(const std::vector<RunRecord>& runs);

/// The numbers under the whole names of the runs, the drawing under short ones.
ChartSheet drawnWithShortNames(SheetOf sheetOf, const std::vector<RunRecord>& runs) {
    ChartSheet sheet = sheetOf(runs);
    sheet.draw = [draw = sheetOf(withShortNames(runs)).draw, runs] {
        std::unique_ptr<QChart> chart = draw();
        chart->legend()->setToolTip(legendHelp(*chart->legend(), runs));
        new FittedLegend(*chart);  // the chart's child
        return chart;
    };
    return sheet;
}

void requireRuns(const std::vector<RunRecord>& runs) {
    if (runs.empty())
        throw Error(ErrorKind::Project, sentence("A chart of runs needs a run"), {},
                    sentence("Name one or more run folders"));
}

}  // namespace

ChartSheet runChart(ChartKind kind, const std::vector<RunRecord>& runs) {
    static constexpr std::array<SheetOf, 7> sheets{runStepsSheet, stageSheet,  scalingSheet, tileSheet,
                                                   laneSheet,     memorySheet, qualitySheet};
    requireRuns(runs);
    const auto index = static_cast<std::size_t>(kind);
    const ChartKindRow& row = chartKinds()[index];
    if (row.oneRun && runs.size() > 1)
        throw Error(ErrorKind::Project, sentence("A chart of {} shows one run", row.name), runs[1].name,
                    sentence("Name one run folder"));
    return drawnWithShortNames(sheets.at(index), runs);
}

ChartSheet inferenceChart(const std::vector<RunRecord>& runs) {
    requireRuns(runs);
    return drawnWithShortNames(inferenceSheet, runs);
}

}  // namespace meshreel

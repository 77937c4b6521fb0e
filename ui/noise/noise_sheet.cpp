// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/noise/noise_sheet.h"

#include <QCoreApplication>
#include <QLegendMarker>
#include <QLineSeries>
#include <QPen>
#include <QValueAxis>
#include <set>

#include "engine/base/error.h"
#include "ui/charts/chart_axes.h"

namespace meshreel {

namespace {

struct NoiseSheet {
    Q_DECLARE_TR_FUNCTIONS(meshreel::NoiseSheet)
};

constexpr double sheetLineWidth = 2.0;
constexpr std::size_t mostDots = 60;
constexpr int unshiftedColor = 6;  ///< of ChartStyle::series

double numberOf(std::size_t step) {
    return static_cast<double>(step + 1);
}

/// Steps in a row of one expert, joined to the step before them.
QLineSeries* lineOf(const NoiseLevels& levels, std::size_t first, std::size_t end, QChart* chart) {
    const int expert = levels.steps[first].expert;
    auto* line = new QLineSeries(chart);
    for (std::size_t step = first == 0 ? first : first - 1; step < end; ++step)
        line->append(numberOf(step), levels.steps[step].level);
    line->setName(expertText(levels, expert));
    line->setPen(QPen(ChartStyle::series(expert - 1), sheetLineWidth));
    line->setPointsVisible(levels.steps.size() <= mostDots);
    if (first > 0)  // the dot of the step before has its own expert's colour
        line->setPointConfiguration(0, QXYSeries::PointConfiguration::Visibility, false);
    return line;
}

QLineSeries* unshiftedLine(const NoiseLevels& levels, QChart* chart) {
    auto* line = new QLineSeries(chart);
    for (std::size_t step = 0; step < levels.unshifted.size(); ++step)
        line->append(numberOf(step), levels.unshifted[step]);
    line->setName(NoiseSheet::tr("without the flow shift"));
    line->setPen(QPen(ChartStyle::series(unshiftedColor), 1, Qt::DotLine));
    return line;
}

QLineSeries* boundaryLine(double level, double end, QChart* chart) {
    auto* line = new QLineSeries(chart);
    line->append(0, level);
    line->append(end, level);
    line->setName(NoiseSheet::tr("boundary"));
    line->setPen(QPen(ChartStyle::print().text, 1, Qt::DashLine));
    return line;
}

std::unique_ptr<QChart> drawNoiseChart(const NoiseLevels& levels) {
    auto chart = std::make_unique<QChart>();
    auto* steps = new QValueAxis(chart.get());
    auto* level = new QValueAxis(chart.get());
    steps->setTitleText(NoiseSheet::tr("Step"));
    level->setTitleText(NoiseSheet::tr("Noise level"));
    setCountTicks(steps, static_cast<int>(levels.steps.size()));
    setTicks(level, 0, 1);
    chart->addAxis(steps, Qt::AlignBottom);
    chart->addAxis(level, Qt::AlignLeft);
    const auto add = [&](QLineSeries* line) {
        chart->addSeries(line);
        line->attachAxis(steps);
        line->attachAxis(level);
    };
    std::set<int> named;
    for (std::size_t first = 0, end = 0; first < levels.steps.size(); first = end) {
        const int expert = levels.steps[first].expert;
        while (end < levels.steps.size() && levels.steps[end].expert == expert)
            ++end;
        QLineSeries* line = lineOf(levels, first, end, chart.get());
        add(line);
        chart->legend()->markers(line).first()->setVisible(named.insert(expert).second);
    }
    if (!levels.unshifted.empty())
        add(unshiftedLine(levels, chart.get()));
    if (levels.boundary)
        add(boundaryLine(*levels.boundary, steps->max(), chart.get()));
    ChartStyle::print().applyTo(*chart);
    return chart;
}

}  // namespace

ChartSheet noiseSheet(const NoiseLevels& levels) {
    if (levels.steps.empty())
        throw Error(
            ErrorKind::Project, NoiseSheet::tr("There are no steps to draw yet").toStdString(), {},
            NoiseSheet::tr("See Problems for what keeps the project from being planned").toStdString());
    DataTable numbers{.columns = {"step", "level", "sigma", "expert", "guidance", "level_without_shift"},
                      .rows = {}};
    for (std::size_t step = 0; step < levels.steps.size(); ++step) {
        const NoiseStep& each = levels.steps[step];
        numbers.rows.push_back({static_cast<std::int64_t>(step), each.level, each.sigma,
                                std::int64_t{each.expert}, each.guidance,
                                levels.unshifted.empty() ? DataCell() : DataCell(levels.unshifted[step])});
    }
    return {.draw = [levels] { return drawNoiseChart(levels); }, .numbers = std::move(numbers)};
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/run_steps_chart.h"

#include <QCoreApplication>
#include <QLegendMarker>
#include <QLineSeries>
#include <QPen>
#include <QScatterSeries>
#include <QValueAxis>
#include <algorithm>

#include "engine/base/error.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/point_reduction.h"

namespace meshreel {

namespace {

constexpr double lineWidth = 2.0;
constexpr double coldMarkerSize = 9.0;
constexpr double headroom = 1.08;  ///< share of the value axis kept above the highest value
constexpr int drawnColumns = 1200;

QList<QPointF> pointsOf(const RunRecord& run) {
    QList<QPointF> points;
    points.reserve(static_cast<qsizetype>(run.steps.size()));
    for (const StepRecord& step : run.steps)
        points.append({static_cast<double>(step.step + 1), step.seconds});
    return points;
}

std::unique_ptr<QChart> drawSteps(const std::vector<RunRecord>& runs) {
    auto chart = std::make_unique<QChart>();
    auto* steps = new QValueAxis(chart.get());
    auto* seconds = new QValueAxis(chart.get());
    chart->addAxis(steps, Qt::AlignBottom);
    chart->addAxis(seconds, Qt::AlignLeft);
    const auto add = [&](QXYSeries* series) {
        chart->addSeries(series);
        series->attachAxis(steps);
        series->attachAxis(seconds);
    };
    int last = 0;
    double most = 0;
    for (int index = 0; const RunRecord& run : runs) {
        const QColor color = ChartStyle::series(index++);
        const QList<QPointF> points = pointsOf(run);
        auto* line = new QLineSeries(chart.get());
        line->setName(QString::fromStdString(run.name));
        line->setPen(QPen(color, lineWidth));
        line->replace(reducedPoints(points, drawnColumns));
        add(line);
        if (points.isEmpty())
            continue;
        auto* cold = new QScatterSeries(chart.get());
        cold->append(points.first());
        cold->setMarkerSize(coldMarkerSize);
        cold->setColor(Qt::white);
        cold->setBorderColor(color);
        add(cold);
        chart->legend()->markers(cold).first()->setVisible(false);
        last = std::max(last, run.steps.back().step + 1);
        most = std::max(most, std::ranges::max(run.steps, {}, &StepRecord::seconds).seconds);
    }
    steps->setTitleText(QCoreApplication::translate("RunCharts", "Step"));
    seconds->setTitleText(QCoreApplication::translate("RunCharts", "Seconds"));
    setCountTicks(steps, last);
    setTicks(seconds, 0, most * headroom);
    ChartStyle::print().applyTo(*chart);
    return chart;
}

}  // namespace

ChartSheet runStepsSheet(const std::vector<RunRecord>& runs) {
    DataTable numbers{.columns = {"run", "step", "timestep", "sigma", "seconds"}, .rows = {}};
    for (const RunRecord& run : runs)
        for (const StepRecord& step : run.steps)
            numbers.rows.push_back(
                {run.name, std::int64_t{step.step}, step.timestep, step.sigma, step.seconds});
    if (numbers.rows.empty())
        throw Error(ErrorKind::Project, "None of these runs finished a step", runs.front().name,
                    "Name runs that got as far as denoising");
    return {.draw = [runs] { return drawSteps(runs); }, .numbers = std::move(numbers)};
}

}  // namespace meshreel

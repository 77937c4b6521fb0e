// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/run_steps_chart.h"

#include <QCoreApplication>
#include <QLineSeries>
#include <QValueAxis>
#include <algorithm>

#include "engine/base/error.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/cold_mark.h"
#include "ui/charts/dense_line.h"
#include "ui/charts/readable_chart.h"
#include "ui/charts/scaled_axis.h"
#include "ui/charts/series_groups.h"
#include "ui/charts/step_marks.h"
#include "ui/charts/step_numbers.h"

namespace meshreel {

namespace {

QList<QPointF> pointsOf(const RunRecord& run) {
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

/// A line a run, drawn anew for what of the steps is visible.
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
    line->setPoints(pointsOf(run));
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

}  // namespace

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

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/step_chart.h"

#include <QAreaSeries>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLocale>
#include <QPen>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_marks.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/dense_line.h"

namespace meshreel {

namespace {

double meanSeconds(const std::vector<StepRecord>& records) {
    const double sum = std::accumulate(records.begin(), records.end(), 0.0,
                                       [](double total, const StepRecord& r) { return total + r.seconds; });
    return records.empty() ? 0.0 : sum / static_cast<double>(records.size());
}

ValueExtent extentOf(const std::vector<StepRecord>& records, StepMetric metric) {
    if (records.empty())
        return {};
    const bool seconds = metric == StepMetric::Seconds;
    const auto least = seconds ? &StepRecord::seconds : &StepRecord::latentMin;
    const auto most = seconds ? &StepRecord::seconds : &StepRecord::latentMax;
    ValueExtent extent;
    extent.least = std::ranges::min(records, {}, least).*least;
    extent.most = std::max(0.0, std::ranges::max(records, {}, most).*most);
    extent.from = std::min(0.0, extent.least);
    return extent;
}

}  // namespace

StepChart::StepChart(QGraphicsItem* parent)
    : ReadableChart(parent),
      m_steps(new QValueAxis(this)),
      m_values(new ScaledAxis(this)),
      m_line(new DenseLine(this)),
      m_reference(new QLineSeries(this)),
      m_lower(new QLineSeries(this)),
      m_upper(new QLineSeries(this)),
      m_range(new QAreaSeries(m_upper, m_lower)),
      m_marks(new StepMarks(this)) {
    m_range->setParent(this);
    addAxis(m_steps, Qt::AlignBottom);
    m_line->attach(m_steps, m_values->axis(), {m_range, m_reference});
    m_cold = addColdMark(*this, m_line->line());
    m_steps->setMinorTickCount(0);
    legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    connect(m_steps, &QValueAxis::rangeChanged, this, &StepChart::drawVisible);
    connect(this, &QChart::plotAreaChanged, this, &StepChart::drawVisible);
    connect(m_values, &ScaledAxis::replaced, this, &StepChart::drawVisible);
    setStyle(ChartStyle::print());
    keepTitleOfHighChart(this, m_steps);
    showMetric();
}

StepChart::~StepChart() = default;

void StepChart::setMetric(StepMetric metric) {
    m_metric = metric;
    showMetric();
}

void StepChart::setRecords(const std::vector<StepRecord>& records, int expectedSteps,
                           const std::vector<int>& resumedFrom) {
    m_records = records;
    m_resumedFrom = resumedFrom;
    m_expectedSteps = expectedSteps;
    refresh();
}

void StepChart::setStyle(const ChartStyle& style) {
    style.applyTo(*this);
    m_line->setPen(QPen(style.line, seriesLineWidth));
    m_cold->setBorderColor(style.line);
    m_reference->setPen(QPen(style.reference, 1, Qt::DashLine));
    m_range->setPen(Qt::NoPen);
    m_style = style;
    styleRange();
}

void StepChart::styleRange() {
    m_range->setBrush(m_style.fill);
    const QList<QLegendMarker*> markers = legend()->markers(m_range);
    for (QLegendMarker* marker : markers) {
        marker->setShape(QLegend::MarkerShapeRectangle);
        marker->setBrush(m_style.fill);
        marker->setPen(m_style.line);
    }
}

int StepChart::pointCount() const {
    return m_line->pointCount();
}

QList<QPointF> StepChart::toPoints(double StepRecord::*value) const {
    QList<QPointF> points;
    points.reserve(static_cast<qsizetype>(m_records.size()));
    std::ranges::transform(m_records, std::back_inserter(points), [value](const StepRecord& record) {
        return QPointF(record.step + 1, record.*value);
    });
    return points;
}

void StepChart::drawVisible() {
    m_line->drawBetween(m_steps->min(), m_steps->max());
    if (m_metric == StepMetric::Latents)
        drawRange();
}

void StepChart::drawRange() {
    const auto first = std::ranges::lower_bound(m_records, m_steps->min() - 2, {}, &StepRecord::step);
    const auto last = std::ranges::upper_bound(first, m_records.end(), m_steps->max(), {}, &StepRecord::step);
    const auto width = static_cast<int>(plotArea().width());
    const int columns = width > 0 ? width : usualColumns;
    const auto reduced = [&](double StepRecord::*value) {
        QList<QPointF> points;
        points.reserve(last - first);
        std::transform(first, last, std::back_inserter(points),
                       [value](const StepRecord& record) { return QPointF(record.step + 1, record.*value); });
        return reducedPoints(points, columns);
    };
    m_lower->replace(reduced(&StepRecord::latentMin));
    m_upper->replace(reduced(&StepRecord::latentMax));
}

// Only here and with the first record, so that what the reader hid stays hidden during the run.
void StepChart::showMetric() {
    const bool seconds = m_metric == StepMetric::Seconds;
    m_line->line().setVisible(true);
    m_line->line().setName(seconds ? tr("Seconds per step") : tr("Latent mean"));
    m_range->setName(tr("Latent minimum to maximum"));
    m_steps->setTitleText(tr("Step"));
    m_range->setVisible(!seconds);
    m_hasMean = seconds && !m_records.empty();
    m_reference->setVisible(m_hasMean);
    refresh();
    styleRange();
}

void StepChart::drawMean(int steps) {
    const bool has = m_metric == StepMetric::Seconds && !m_records.empty();
    const double mean = meanSeconds(m_records);
    m_reference->replace(has ? QList<QPointF>{{0, mean}, {static_cast<double>(steps), mean}}
                             : QList<QPointF>());
    m_reference->setName(tr("Mean: %1 s").arg(QLocale().toString(mean, 'f', mean < 1 ? 3 : 2)));
    if (has != m_hasMean)
        m_reference->setVisible(has);
    m_hasMean = has;
}

void StepChart::drawCold() {
    m_cold->replace(m_metric == StepMetric::Seconds ? coldPoints(m_records, m_resumedFrom)
                                                    : QList<QPointF>());
}

void StepChart::refresh() {
    const int lastStep = m_records.empty() ? 0 : m_records.back().step + 1;
    const int steps = std::max(m_expectedSteps, lastStep);
    const bool seconds = m_metric == StepMetric::Seconds;
    drawMean(steps);
    drawCold();
    m_line->setPoints(toPoints(seconds ? &StepRecord::seconds : &StepRecord::latentMean));
    m_marks->setMarks(expertSwitches(m_records, m_line->line()));
    m_values->setExtent(extentOf(m_records, m_metric));
    setCountTicks(m_steps, steps);
    drawVisible();
}

std::optional<ChartValue> StepChart::valueNear(const QPointF& position) {
    const std::optional<QPointF> point = m_line->nearest(position);
    if (!point)
        return std::nullopt;
    const auto record = std::ranges::lower_bound(m_records, static_cast<int>(std::lround(point->x())) - 1, {},
                                                 &StepRecord::step);
    return ChartValue{mapToPosition(*point, &m_line->line()), *point,
                      tr("Step %1: %2 s, sigma %3, latents %4 to %5")
                          .arg(record->step + 1)
                          .arg(record->seconds, 0, 'f', 3)
                          .arg(record->sigma, 0, 'f', 4)
                          .arg(record->latentMin, 0, 'f', 2)
                          .arg(record->latentMax, 0, 'f', 2)};
}

}  // namespace meshreel

#include "moc_step_chart.cpp"

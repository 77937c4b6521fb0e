// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/step_chart.h"

#include <QAreaSeries>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QPen>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "ui/charts/chart_axes.h"
#include "ui/charts/point_reduction.h"

namespace meshreel {

namespace {

constexpr double lineWidth = 2.0;
constexpr double markerSize = 4.0;
constexpr double headroom = 1.08;    ///< share of the value axis kept above the highest value
constexpr int mostMarkers = 60;      ///< more points than these run into each other
constexpr int usualColumns = 1200;   ///< of pixels, before the chart has a size
constexpr double usualHeight = 500;  ///< likewise

double meanSeconds(const std::vector<StepRecord>& records) {
    const double sum = std::accumulate(records.begin(), records.end(), 0.0,
                                       [](double total, const StepRecord& r) { return total + r.seconds; });
    return records.empty() ? 0.0 : sum / static_cast<double>(records.size());
}

}  // namespace

StepChart::StepChart(QGraphicsItem* parent)
    : QChart(parent),
      m_steps(new QValueAxis(this)),
      m_values(new QValueAxis(this)),
      m_line(new QLineSeries(this)),
      m_reference(new QLineSeries(this)),
      m_lower(new QLineSeries(this)),
      m_upper(new QLineSeries(this)),
      m_range(new QAreaSeries(m_upper, m_lower)) {
    m_range->setParent(this);
    addAxis(m_steps, Qt::AlignBottom);
    addAxis(m_values, Qt::AlignLeft);
    for (QAbstractSeries* series : std::initializer_list<QAbstractSeries*>{m_range, m_reference, m_line}) {
        addSeries(series);
        series->attachAxis(m_steps);
        series->attachAxis(m_values);
    }
    m_line->setMarkerSize(markerSize);
    m_steps->setMinorTickCount(0);
    legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    connect(m_steps, &QValueAxis::rangeChanged, this, &StepChart::drawVisible);
    connect(this, &QChart::plotAreaChanged, this, &StepChart::drawVisible);
    connect(this, &QChart::plotAreaChanged, this, &StepChart::placeValueTicks);
    connect(m_line, &QLineSeries::hovered, this, &StepChart::describeHoveredPoint);
    connect(m_range, &QAreaSeries::hovered, this, &StepChart::describeHoveredPoint);
    setStyle(ChartStyle::print());
    refresh();
}

StepChart::~StepChart() = default;

void StepChart::setMetric(StepMetric metric) {
    m_metric = metric;
    refresh();
}

void StepChart::setRecords(const std::vector<StepRecord>& records, int expectedSteps) {
    m_records = records;
    m_expectedSteps = expectedSteps;
    refresh();
}

void StepChart::setStyle(const ChartStyle& style) {
    style.applyTo(*this);
    m_line->setPen(QPen(style.line, lineWidth));
    m_reference->setPen(QPen(style.reference, 1, Qt::DashLine));
    m_range->setPen(Qt::NoPen);
    m_style = style;
    styleRange();
}

void StepChart::styleRange() {
    m_range->setBrush(m_dense ? m_style.line : m_style.fill);
    const QList<QLegendMarker*> markers = legend()->markers(m_range);
    for (QLegendMarker* marker : markers) {
        marker->setVisible(m_metric == StepMetric::Latents);
        marker->setShape(QLegend::MarkerShapeRectangle);
        marker->setBrush(m_style.fill);
        marker->setPen(m_style.line);
    }
}

int StepChart::pointCount() const {
    return static_cast<int>(m_dense ? m_lower->count() + m_upper->count() : m_line->count());
}

void StepChart::drawVisible() {
    // One step beyond each edge, so that the line leaves the chart.
    const auto first = std::ranges::lower_bound(m_records, m_steps->min() - 2, {}, &StepRecord::step);
    const auto last = std::ranges::upper_bound(first, m_records.end(), m_steps->max(), {}, &StepRecord::step);
    const auto width = static_cast<int>(plotArea().width());
    const int columns = width > 0 ? width : usualColumns;
    const auto pointsOf = [&](double StepRecord::*value) {
        QList<QPointF> points;
        points.reserve(last - first);
        std::transform(first, last, std::back_inserter(points),
                       [value](const StepRecord& record) { return QPointF(record.step + 1, record.*value); });
        return points;
    };
    const bool wasShown = m_range->isVisible();
    const bool wasDense = m_dense;
    if (m_metric == StepMetric::Seconds) {
        drawSeconds(pointsOf(&StepRecord::seconds), columns);
    } else {
        m_dense = false;
        m_line->replace(reducedPoints(pointsOf(&StepRecord::latentMean), columns));
        m_lower->replace(reducedPoints(pointsOf(&StepRecord::latentMin), columns));
        m_upper->replace(reducedPoints(pointsOf(&StepRecord::latentMax), columns));
    }
    m_line->setPointsVisible(m_line->count() <= mostMarkers);
    const bool shown = m_dense || m_metric == StepMetric::Latents;
    if (shown == wasShown && m_dense == wasDense)
        return;  // to style the legend lays the chart out anew
    m_range->setVisible(shown);
    styleRange();
}

// A line with several points to a pixel fills a band: to paint that takes a tenth of what its strokes take.
void StepChart::drawSeconds(QList<QPointF> points, int columns) {
    m_dense = points.size() > columns;
    Envelope band;
    if (m_dense) {
        band = envelopeOf(points, (m_steps->max() - m_steps->min()) / columns);
        points.clear();
        const double height = plotArea().height() > 0 ? plotArea().height() : usualHeight;
        const double half = lineWidth / 2 * (m_values->max() - m_values->min()) / height;
        for (QPointF& point : band.lower)
            point.ry() -= half;
        for (QPointF& point : band.upper)
            point.ry() += half;
    }
    const auto replace = [](QLineSeries& series, const QList<QPointF>& with) {
        if (series.count() > 0 || !with.isEmpty())
            series.replace(with);
    };
    replace(*m_line, points);
    replace(*m_lower, band.lower);
    replace(*m_upper, band.upper);
}

void StepChart::placeValueTicks() {
    const double height = plotArea().height();
    const int ticks = height > 0 ? ticksInHeight(*m_values, height) : usualTicks;
    if (ticks == m_ticks)
        return;  // the reader may have zoomed
    m_ticks = ticks;
    setTicks(m_values, m_lowest, m_highest * headroom, ticks);
}

void StepChart::refresh() {
    const bool seconds = m_metric == StepMetric::Seconds;
    const int lastStep = m_records.empty() ? 0 : m_records.back().step + 1;
    const int steps = std::max(m_expectedSteps, lastStep);
    const double mean = meanSeconds(m_records);

    const bool showsMean = seconds && !m_records.empty();
    m_reference->replace(showsMean ? QList<QPointF>{{0, mean}, {static_cast<double>(steps), mean}}
                                   : QList<QPointF>());
    m_reference->setVisible(showsMean);
    m_range->setVisible(!seconds || m_dense);
    styleRange();

    m_line->setName(seconds ? tr("Seconds per step") : tr("Latent mean"));
    m_range->setName(tr("Latent minimum to maximum"));
    m_reference->setName(tr("Mean: %1 s").arg(mean, 0, 'f', mean < 1 ? 3 : 2));
    m_steps->setTitleText(tr("Step"));

    m_lowest = 0;
    m_highest = 0;
    for (const StepRecord& record : m_records) {
        m_lowest = std::min(m_lowest, seconds ? 0.0 : record.latentMin);
        m_highest = std::max(m_highest, seconds ? record.seconds : record.latentMax);
    }
    m_ticks = 0;
    placeValueTicks();
    setCountTicks(m_steps, steps);
    drawVisible();
}

void StepChart::describeHoveredPoint(QPointF point, bool entered) {
    const auto row = static_cast<std::size_t>(std::lround(point.x())) - 1;
    if (!entered || row >= m_records.size()) {
        emit pointHovered({});
        return;
    }
    const StepRecord& record = m_records[row];
    emit pointHovered(tr("Step %1: %2 s, sigma %3, latents %4 to %5")
                          .arg(record.step + 1)
                          .arg(record.seconds, 0, 'f', 3)
                          .arg(record.sigma, 0, 'f', 4)
                          .arg(record.latentMin, 0, 'f', 2)
                          .arg(record.latentMax, 0, 'f', 2));
}

}  // namespace meshreel

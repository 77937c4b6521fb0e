// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/dense_line.h"

#include <QAreaSeries>
#include <QChart>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

constexpr qsizetype pointsPerColumn = 2;

using Position = QList<QPointF>::const_iterator;

void appendColumn(Position begin, Position end, QList<QPointF>& reduced) {
    const auto [lowest, highest] = std::minmax_element(
        begin, end, [](const QPointF& left, const QPointF& right) { return left.y() < right.y(); });
    const auto [first, second] = std::minmax(lowest, highest);
    reduced.append(*first);
    if (second != first)
        reduced.append(*second);
}

}  // namespace

QList<QPointF> reducedPoints(const QList<QPointF>& points, int columns) {
    if (points.size() <= columns * pointsPerColumn)
        return points;
    const double left = points.first().x();
    const double width = (points.last().x() - left) / columns;
    QList<QPointF> reduced;
    Position begin = points.begin();
    for (int column = 1; column <= columns && begin != points.end(); ++column) {
        const double border = left + width * column;
        const Position end =
            column == columns ? points.end()
                              : std::find_if(begin, points.end(),
                                             [border](const QPointF& point) { return point.x() >= border; });
        if (end != begin)
            appendColumn(begin, end, reduced);
        begin = end;
    }
    if (reduced.first() != points.first())
        reduced.prepend(points.first());
    if (reduced.last() != points.last())
        reduced.append(points.last());
    return reduced;
}

Envelope computeEnvelope(const QList<QPointF>& points, double width) {
    Envelope envelope;
    if (points.isEmpty())
        return envelope;
    double before = points.first().y();  // where the line enters a part
    for (Position begin = points.begin(); begin != points.end();) {
        const double part = std::floor(begin->x() / width);
        double lowest = before;
        double highest = before;
        do {  // the first belongs to this part, however its border is rounded
            lowest = std::min(lowest, begin->y());
            highest = std::max(highest, begin->y());
            before = begin->y();
            ++begin;
        } while (begin != points.end() && begin->x() < (part + 1) * width);
        const double middle = (part + 1.0 / 2) * width;
        envelope.lower.append({middle, lowest});
        envelope.upper.append({middle, highest});
    }
    return envelope;
}

namespace {

constexpr double usualHeight = 500;  ///< as above
constexpr int mostMarkers = 60;      ///< more points than these run into each other
constexpr double markerSize = 4.0;

void replace(QLineSeries& series, const QList<QPointF>& points) {
    if (series.count() > 0 || !points.isEmpty())
        series.replace(points);
}

}  // namespace

DenseLine::DenseLine(QChart* chart)
    : QObject(chart),
      m_chart(chart),
      m_line(new QLineSeries(this)),
      m_lower(new QLineSeries(this)),
      m_upper(new QLineSeries(this)),
      m_band(new QAreaSeries(m_upper, m_lower)) {
    m_band->setPen(Qt::NoPen);
    m_band->setVisible(false);
    m_line->setMarkerSize(markerSize);
}

DenseLine::~DenseLine() = default;

void DenseLine::attach(QAbstractAxis* across, QAbstractAxis* up, const QList<QAbstractSeries*>& between) {
    const QList<QAbstractSeries*> all =
        QList<QAbstractSeries*>{m_band} + between + QList<QAbstractSeries*>{m_line};
    for (QAbstractSeries* series : all) {
        m_chart->addSeries(series);
        series->attachAxis(across);
        series->attachAxis(up);
    }
    leaveOutOfLegend(*m_band);
    connect(m_line, &QLineSeries::visibleChanged, this, &DenseLine::showBand);
}

void DenseLine::setPen(const QPen& pen) {
    m_line->setPen(pen);
    m_band->setBrush(pen.color());
}

void DenseLine::setPoints(QList<QPointF> points) {
    m_points = std::move(points);
}

void DenseLine::drawBetween(double low, double high) {
    auto first = std::ranges::lower_bound(m_points, low, {}, &QPointF::x);
    auto last = std::ranges::upper_bound(m_points, high, {}, &QPointF::x);
    if (first != m_points.begin())
        --first;
    if (last != m_points.end())
        ++last;
    QList<QPointF> points(first, last);
    const auto width = static_cast<int>(m_chart->plotArea().width());
    const int columns = width > 0 ? width : usualColumns;
    m_dense = points.size() > columns;
    Envelope band;
    // Painting a band takes a tenth of the time that the strokes of a line with several points to a pixel
    // take.
    if (m_dense) {
        band = computeEnvelope(points, (high - low) / columns);
        points.clear();
        thicken(band.lower, -m_line->pen().widthF() / 2);
        thicken(band.upper, m_line->pen().widthF() / 2);
    }
    replace(*m_line, points);
    replace(*m_lower, band.lower);
    replace(*m_upper, band.upper);
    m_line->setPointsVisible(m_line->count() <= mostMarkers);
    showBand();
}

void DenseLine::thicken(QList<QPointF>& bound, double pixels) const {
    const double height = m_chart->plotArea().height() > 0 ? m_chart->plotArea().height() : usualHeight;
    const QAbstractAxis* up = m_line->attachedAxes().constLast();
    if (const auto* linear = qobject_cast<const QValueAxis*>(up))
        for (QPointF& point : bound)
            point.ry() += pixels * (linear->max() - linear->min()) / height;
    if (const auto* logarithmic = qobject_cast<const QLogValueAxis*>(up))
        for (QPointF& point : bound)
            point.ry() *= std::pow(logarithmic->max() / logarithmic->min(), pixels / height);
}

void DenseLine::showBand() {
    const bool shown = m_dense && m_line->isVisible();
    if (shown != m_band->isVisible())
        setShown(*m_band, shown);
}

int DenseLine::pointCount() const {
    return static_cast<int>(m_dense ? m_lower->count() + m_upper->count() : m_line->count());
}

std::optional<QPointF> DenseLine::nearest(const QPointF& position) const {
    if (!m_line->isVisible())
        return std::nullopt;
    const QPointF reach(pointingReach, 0);
    const auto first = std::ranges::lower_bound(m_points, m_chart->mapToValue(position - reach, m_line).x(),
                                                {}, &QPointF::x);
    const auto last = std::ranges::upper_bound(
        first, m_points.end(), m_chart->mapToValue(position + reach, m_line).x(), {}, &QPointF::x);
    std::optional<QPointF> nearest;
    double distance = pointingReach;
    for (auto point = first; point != last; ++point) {
        const QPointF at = m_chart->mapToPosition(*point, m_line);
        const double away = QLineF(at, position).length();
        if (away >= distance || !m_chart->plotArea().contains(at))
            continue;
        distance = away;
        nearest = *point;
    }
    return nearest;
}

}  // namespace meshreel

#include "moc_dense_line.cpp"

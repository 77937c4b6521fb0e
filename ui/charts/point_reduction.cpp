// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/point_reduction.h"

#include <algorithm>
#include <cmath>

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

Envelope envelopeOf(const QList<QPointF>& points, double width) {
    Envelope envelope;
    if (points.isEmpty())
        return envelope;
    double before = points.first().y();  // where the line enters a part
    for (Position begin = points.begin(); begin != points.end();) {
        const double part = std::floor(begin->x() / width);
        double lowest = before;
        double highest = before;
        do {  // the first is of this part, however its border is rounded
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

}  // namespace meshreel

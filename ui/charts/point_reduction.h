// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>

namespace meshreel {

/// The lowest and the highest point of each of `columns` equal parts of the horizontal extent, in the order
/// of the line, between its first and its last: drawn that many pixels wide, it looks the same. `points` rise
/// in x. Lines of no more than two points a column come back as they are.
QList<QPointF> reducedPoints(const QList<QPointF>& points, int columns);

/// The band that a line fills where it has many points to a pixel.
struct Envelope {
    QList<QPointF> lower;
    QList<QPointF> upper;
};

/// The lowest and the highest that a line through `points`, which rise in x, gets to within each part of
/// `width`, at its middle. The parts begin at multiples of `width`: a line that is moved keeps its shape.
Envelope envelopeOf(const QList<QPointF>& points, double width);

}  // namespace meshreel

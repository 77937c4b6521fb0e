// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>

namespace meshreel {

/// The lowest and the highest point of each of `columns` equal parts of the horizontal extent, in the order
/// of the line, between its first and its last: drawn that many pixels wide, it looks the same. `points` rise
/// in x. Lines of no more than two points a column come back as they are.
QList<QPointF> reducedPoints(const QList<QPointF>& points, int columns);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>

namespace meshreel {

/// At most four points for each of `columns` equal parts of the horizontal extent: the first, the lowest, the
/// highest and the last, in the order of the line, so that it looks the same when drawn that many pixels
/// wide. `points` rise in x. Lines of no more points than that come back as they are.
QList<QPointF> reducedPoints(const QList<QPointF>& points, int columns);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScatterSeries>

class QChart;
class QXYSeries;

namespace meshreel {

/// A hollow mark for the first step of a line, which meets cold caches; shown while the line is, on its axes
/// and in its colour. `round` tells apart lines that share a colour. The chart, which has the line, takes the
/// mark.
QScatterSeries* addColdMark(QChart& chart, QXYSeries& line, std::size_t round = 0);

}  // namespace meshreel

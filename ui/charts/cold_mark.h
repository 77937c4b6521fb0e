// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>
#include <QScatterSeries>
#include <span>

#include "engine/timing/step_record.h"

class QChart;
class QXYSeries;

namespace meshreel {

/// Hollow marks for the steps of a line that met cold caches; shown while the line is, on its axes and in its
/// colour. `round` tells apart lines that share a colour. The chart, which has the line, takes the
/// mark.
QScatterSeries* addColdMark(QChart& chart, QXYSeries& line, std::size_t round = 0);

/// The places of these marks in a chart of seconds per step. `resumedFrom` as of coldSteps().
QList<QPointF> coldPoints(std::span<const StepRecord> steps, std::span<const int> resumedFrom);

}  // namespace meshreel

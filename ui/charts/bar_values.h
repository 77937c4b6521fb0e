// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/charts/readable_chart.h"

class QAbstractBarSeries;
class QBarSet;

namespace meshreel {

/// The bar's category, its name, and its length by the title of its axis, on a line each.
QString barWords(QAbstractBarSeries& series, int index, const QBarSet& bars);

/// The bars of a chart in the order of reading: category by category, those without length left out. Empty
/// for charts without bars.
std::vector<ChartValue> barValues(QChart& chart);

}  // namespace meshreel

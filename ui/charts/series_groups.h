// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>

class QAbstractSeries;

namespace meshreel {

// What belongs together in a chart while its reader hides and shows series by the legend.

/// The series has no entry of its own in the legend of its chart.
void leaveOutOfLegend(QAbstractSeries& series);

/// Hides or shows a series that is left out of the legend: Qt Charts gives it its entry back with every
/// change.
void setShown(QAbstractSeries& series, bool shown);

/// The series, without an entry of its own, is shown while all of the others are.
void showWith(QAbstractSeries& series, std::initializer_list<QAbstractSeries*> others);

}  // namespace meshreel

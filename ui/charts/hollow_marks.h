// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScatterSeries>

namespace meshreel {

/// Marks on the points of a line, filled with the ground of the chart by ChartStyle.
class HollowMarks : public QScatterSeries {
    Q_OBJECT

  public:
    using QScatterSeries::QScatterSeries;
};

}  // namespace meshreel

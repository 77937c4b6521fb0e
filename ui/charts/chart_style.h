// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

class QPalette;

namespace meshreel {

/// Colours of a chart.
struct ChartStyle {
    QColor ground;
    QColor text;
    QColor grid;
    QColor line;       ///< the measured quantity
    QColor fill;       ///< ranges, under the line
    QColor reference;  ///< means and other guides

    /// Follows the palette of the window the chart stands in.
    static ChartStyle of(const QPalette& palette);

    /// Dark on white, for files and print.
    static ChartStyle print();
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QPen>

class QChart;
class QPalette;

namespace meshreel {

constexpr double seriesLineWidth = 2.0;
constexpr int significantDigits = 5;    ///< of a value that is written out
constexpr double categoryMiddle = 0.5;  ///< of a category's share of its axis
constexpr int usualColumns = 1200;      ///< of pixels, before a chart has a size

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

    /// Of everything that is written in a chart.
    static QFont font();

    /// For guides beside several series: none of their colours, seen on light and dark grounds.
    static QColor guide();

    static constexpr int seriesColors = 7;

    /// Colour of series `index` of several: Okabe and Ito's palette, which colour-blind people can tell
    /// apart; it repeats.
    [[nodiscard]] static QColor series(int index);

    /// Line of series `index` of several: where the colours repeat, dashed in another way.
    [[nodiscard]] static QPen seriesPen(int index, double width);

    /// Bars of series `index` of several: where the colours repeat, hatched in another way.
    [[nodiscard]] static QBrush seriesBrush(int index);

    /// Ground, title, legend, margins, and the axes that the chart has by now.
    void applyTo(QChart& chart) const;
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChart>
#include <QColor>
#include <QFont>
#include <QList>
#include <QPen>
#include <QScatterSeries>
#include <initializer_list>
#include <optional>

class QAbstractSeries;
class QBarSet;
class QChart;
class QPalette;

namespace meshreel {

class ScaledAxis;

/// Marks on the points of a line, filled with the ground of the chart by ChartStyle.
class HollowMarks : public QScatterSeries {
    Q_OBJECT

  public:
    using QScatterSeries::QScatterSeries;
};

constexpr double seriesLineWidth = 2.0;
constexpr int significantDigits = 5;    ///< in a value that is written out
constexpr double categoryMiddle = 0.5;  ///< as a part of a category's share of its axis
constexpr int usualColumns = 1200;      ///< of pixels, before a chart has a size

/// Three significant digits and no exponent: "0.0123", "1.20", "12.3", "1,234".
QString threeDigits(double value);

/// Colours of a chart.
struct ChartStyle {
    QColor ground;
    QColor text;
    QColor grid;
    QColor line;       ///< the measured quantity
    QColor fill;       ///< ranges, under the line
    QColor reference;  ///< means and other guides

    /// Follows the palette of the window that contains the chart.
    static ChartStyle of(const QPalette& palette);

    /// Dark on white, for files and print.
    static ChartStyle print();

    /// Returns the font of all texts of a chart.
    static QFont font();

    /// Returns the colour of guides beside several series: none of their colours, visible on light and dark
    /// backgrounds.
    static QColor guide();

    static constexpr int seriesColors = 7;

    /// Returns the colour of series `index` of several: Okabe and Ito's palette, which colour-blind people
    /// can distinguish; it repeats.
    [[nodiscard]] static QColor series(int index);

    /// Line of series `index` of several: where the colours repeat, dashed in another way.
    [[nodiscard]] static QPen seriesPen(int index, double width);

    /// Bars of series `index` of several: where the colours repeat, hatched in another way and outlined, so
    /// that they are seen to their end on any ground.
    static void fillBars(QBarSet& bars, int index);

    /// Ground, title, legend, margins, and the axes that the chart has by now.
    void applyTo(QChart& chart) const;
};

// What belongs together in a chart while its reader hides and shows series by the legend.

/// Removes the series' entry from the legend of its chart.
void leaveOutOfLegend(QAbstractSeries& series);

/// Hides or shows a series that is left out of the legend: Qt Charts gives it its entry back with every
/// change.
void setShown(QAbstractSeries& series, bool shown);

/// The series, without an entry of its own, is shown while all of the others are.
void showWith(QAbstractSeries& series, std::initializer_list<QAbstractSeries*> others);

/// A value of a chart that a reader points at.
struct ChartValue {
    QPointF position;  ///< in the chart's coordinates
    QPointF point;     ///< on the axes
    QString words;     ///< what it is, with its units
};

/// How far from a value one may point at it, in pixels.
inline constexpr double pointingReach = 24;

/// Returns the point nearest to `position`, in the chart's coordinates, among those of its lines that are
/// shown; none when none is within reach.
std::optional<ChartValue> nearestPoint(QChart& chart, const QPointF& position);

/// Returns the points of the lines that are shown and the upper bounds of areas, within the plot area, in the
/// chart's coordinates.
QList<QPointF> pointPlaces(QChart& chart);

/// Returns the series' name, "X: 4" and "Y: 0.25" on a line each, by the titles of its axes.
QString pointWords(QAbstractSeries& series, const QPointF& point);

/// A chart that can describe its values better than Qt's own do.
class ReadableChart : public QChart {
    Q_OBJECT

  public:
    using QChart::QChart;

    /// Returns the value nearest to `position`, in the chart's coordinates; none when none is within reach.
    [[nodiscard]] virtual std::optional<ChartValue> valueNear(const QPointF& position);

    /// Returns the places at which values are described one after the other: valueNear() has one for each.
    [[nodiscard]] virtual QList<QPointF> valuePlaces() { return pointPlaces(*this); }

    /// Returns the axis that may be logarithmic; null when none may.
    [[nodiscard]] virtual ScaledAxis* scaledAxis() { return nullptr; }
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChart>
#include <QList>
#include <optional>

class QAbstractSeries;

namespace meshreel {

class ScaledAxis;

/// A value of a chart that a reader points at.
struct ChartValue {
    QPointF position;  ///< in the chart's coordinates
    QPointF point;     ///< on the axes
    QString words;     ///< what it is, with its units
};

/// How far from a value one may point at it, in pixels.
inline constexpr double pointingReach = 24;

/// The point nearest to `position`, in the chart's coordinates, among those of its lines that are shown; none
/// where none is within reach.
std::optional<ChartValue> nearestPoint(QChart& chart, const QPointF& position);

/// The points of the lines that are shown and the upper bounds of areas, within the plot area, in the chart's
/// coordinates.
QList<QPointF> pointPlaces(QChart& chart);

/// The series' name, "X: 4" and "Y: 0.25" on a line each, by the titles of its axes.
QString pointWords(QAbstractSeries& series, const QPointF& point);

/// A chart that can tell more than Qt's own do.
class ReadableChart : public QChart {
    Q_OBJECT

  public:
    using QChart::QChart;

    /// The value nearest to `position`, in the chart's coordinates; none where none is within reach.
    [[nodiscard]] virtual std::optional<ChartValue> valueNear(const QPointF& position);

    /// Where values are to be told one after the other: valueNear() has one for each.
    [[nodiscard]] virtual QList<QPointF> valuePlaces() { return pointPlaces(*this); }

    /// The axis that may be logarithmic; null where none may.
    [[nodiscard]] virtual ScaledAxis* scaledAxis() { return nullptr; }
};

}  // namespace meshreel

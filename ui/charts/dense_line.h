// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QPen>
#include <QPointF>
#include <optional>

class QAbstractAxis;
class QAbstractSeries;
class QAreaSeries;
class QChart;
class QLineSeries;

namespace meshreel {

/// Returns the lowest and the highest point of each of `columns` equal parts of the horizontal extent, in the
/// order of the line, between its first and its last: drawn that many pixels wide, it looks the same.
/// `points` rise in x. Returns lines of no more than two points a column unchanged.
QList<QPointF> reducedPoints(const QList<QPointF>& points, int columns);

/// The band that a line fills when it has many points to a pixel.
struct Envelope {
    QList<QPointF> lower;
    QList<QPointF> upper;
};

/// Returns the lowest and the highest that a line through `points`, which rise in x, gets to within each part
/// of `width`, at its middle. The parts begin at multiples of `width`: a line that is moved keeps its shape.
Envelope computeEnvelope(const QList<QPointF>& points, double width);

/// A line of a chart that may have many more points than the chart has pixels: while more of them are visible
/// than there are columns, the band that the line fills is drawn in its place.
class DenseLine : public QObject {
    Q_OBJECT

  public:
    explicit DenseLine(QChart* chart);
    ~DenseLine() override;

    /// Adds the series to the chart, on these axes: the band under those `between`, the line over them.
    void attach(QAbstractAxis* across, QAbstractAxis* up, const QList<QAbstractSeries*>& between = {});

    [[nodiscard]] QLineSeries& line() const { return *m_line; }
    void setPen(const QPen& pen);

    /// They rise in x.
    void setPoints(QList<QPointF> points);

    /// Gives the series what is visible between these places, and the points beside them, so that the line
    /// leaves the chart; Qt Charts paints every point that it is given.
    void drawBetween(double low, double high);

    /// Returns how many points are drawn.
    [[nodiscard]] int pointCount() const;

    /// Returns the point nearest to `position`, in the chart's coordinates, within its plot area and reach.
    [[nodiscard]] std::optional<QPointF> nearest(const QPointF& position) const;

  private:
    /// Moves the bound up by so many pixels: a band is as thick as its line if that is level.
    void thicken(QList<QPointF>& bound, double pixels) const;
    void showBand();

    QChart* m_chart;
    QLineSeries* m_line;
    QLineSeries* m_lower;  ///< owned by this object: QAreaSeries does not take its bounds
    QLineSeries* m_upper;
    QAreaSeries* m_band;
    QList<QPointF> m_points;
    bool m_dense = false;
};

}  // namespace meshreel

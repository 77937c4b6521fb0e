// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <optional>

class QAbstractAxis;
class QChart;

namespace meshreel {

/// A part of an axis.
struct AxisSpan {
    double low = 0;
    double high = 1;

    [[nodiscard]] double length() const { return high - low; }
    friend bool operator==(const AxisSpan&, const AxisSpan&) = default;
};

/// What part of their horizontal axis charts show, and which place on it is marked: shared by charts with the
/// same quantity on that axis.
class ChartZoom : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// None: all that each chart has.
    [[nodiscard]] const std::optional<AxisSpan>& part() const { return m_part; }
    void show(const std::optional<AxisSpan>& part);

    [[nodiscard]] const std::optional<double>& mark() const { return m_mark; }
    void setMark(const std::optional<double>& mark);

  signals:
    void partChanged();
    void markChanged();

  private:
    std::optional<AxisSpan> m_part;
    std::optional<double> m_mark;
};

/// An axis of values whose reader looks at a part of it, linear, logarithmic, or with names between values.
/// The chart may continue to set its range, which is the whole; the part that is looked at stays.
class ZoomedAxis : public QObject {
    Q_OBJECT

  public:
    /// Returns whether parts of the axis can be shown: not for an axis of bars.
    [[nodiscard]] static bool canZoom(const QAbstractAxis& axis);

    /// The axis, for which canZoom() must hold, and its chart must outlive this object.
    ZoomedAxis(QAbstractAxis& axis, const QChart& chart, QObject* parent);

    [[nodiscard]] const AxisSpan& whole() const { return m_whole; }
    [[nodiscard]] AxisSpan shown() const;
    /// Shows the available part of the span; everything when there is none of it.
    void show(const std::optional<AxisSpan>& part);

    /// Returns the shown part, `factor` times as long, about the place at that share of it; none when that is
    /// everything.
    [[nodiscard]] std::optional<AxisSpan> zoomed(double factor, double share) const;
    /// Returns the shown part, moved by that share of its length, but not past the ends.
    [[nodiscard]] std::optional<AxisSpan> moved(double share) const;
    /// Returns the part between two shares of the shown one.
    [[nodiscard]] std::optional<AxisSpan> between(double from, double to) const;

  private:
    void takeWhole();
    void keepPart();
    void apply();
    [[nodiscard]] int ticks() const;
    /// Returns where equal ratios are equally long on a logarithmic axis.
    [[nodiscard]] AxisSpan onScale(const AxisSpan& span) const;
    [[nodiscard]] std::optional<AxisSpan> withinWhole(AxisSpan onScale) const;
    [[nodiscard]] double leastLength() const;

    QAbstractAxis& m_axis;
    const QChart& m_chart;
    AxisSpan m_whole;  ///< as the chart set it
    std::optional<AxisSpan> m_part;
    bool m_applying = false;
};

/// Which part of a chart is shown: on its horizontal axis the part that a zoom selects, which others may
/// share, on its left axis one of its own. Axes of bars are always shown whole. Shares are of what is shown,
/// from the left and from the bottom.
class ZoomedChart : public QObject {
    Q_OBJECT

  public:
    /// The chart outlives this.
    ZoomedChart(QChart& chart, ChartZoom& zoom, QObject* parent);

    [[nodiscard]] bool canZoom() const { return m_across != nullptr || m_upright != nullptr; }
    [[nodiscard]] bool canZoomAcross() const { return m_across != nullptr; }
    /// Returns how far along what is shown a place on the horizontal axis lies; none on an axis of bars.
    [[nodiscard]] std::optional<double> shareOf(double place) const;

    /// Makes what is shown so many times as long, about a share of it; vertically when the horizontal axis is
    /// of bars.
    void zoomAcross(double factor, double share);
    void zoomUpright(double factor, double share);
    /// Shows what is to the right of it, or above, by those shares.
    void move(double right, double up);
    /// Shows the part of the horizontal axis between two shares of its length.
    void showBetween(double from, double to);
    void showEverything();

  signals:
    void partChanged();

  private:
    void followUpright();
    void showPart();

    QChart& m_chart;
    QPointer<ChartZoom> m_zoom;
    ZoomedAxis* m_across = nullptr;   ///< null when the axis is of bars
    ZoomedAxis* m_upright = nullptr;  ///< for the vertical axis
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

#include "ui/charts/chart_zoom.h"

class QAbstractAxis;
class QChart;

namespace meshreel {

/// An axis of values whose reader looks at a part of it, linear, logarithmic, or with names between values.
/// The chart may go on setting its range, which is the whole; the part that is looked at stays.
class ZoomedAxis : public QObject {
    Q_OBJECT

  public:
    /// Whether parts of the axis can be shown: not of one of bars.
    [[nodiscard]] static bool canZoom(const QAbstractAxis& axis);

    /// The axis, of which canZoom(), and its chart outlive this object.
    ZoomedAxis(QAbstractAxis& axis, const QChart& chart, QObject* parent);

    [[nodiscard]] const AxisSpan& whole() const { return m_whole; }
    [[nodiscard]] AxisSpan shown() const;
    /// Shows so much of the part as there is; all where there is none of it.
    void show(const std::optional<AxisSpan>& part);

    /// What is shown, `factor` times as long, about the place at that share of it; none when that is all.
    [[nodiscard]] std::optional<AxisSpan> zoomed(double factor, double share) const;
    /// What is shown, moved by that share of its length, but not past the ends.
    [[nodiscard]] std::optional<AxisSpan> moved(double share) const;
    /// What lies between two shares of what is shown.
    [[nodiscard]] std::optional<AxisSpan> between(double from, double to) const;

  private:
    void takeWhole();
    void keepPart();
    void apply();
    [[nodiscard]] int ticks() const;
    /// Where equal ratios are equally long on a logarithmic axis.
    [[nodiscard]] AxisSpan onScale(const AxisSpan& span) const;
    [[nodiscard]] std::optional<AxisSpan> withinWhole(AxisSpan onScale) const;
    [[nodiscard]] double leastLength() const;

    QAbstractAxis& m_axis;
    const QChart& m_chart;
    AxisSpan m_whole;  ///< as the chart set it
    std::optional<AxisSpan> m_part;
    bool m_applying = false;
};

}  // namespace meshreel

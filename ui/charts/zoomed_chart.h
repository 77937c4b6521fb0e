// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <optional>

#include "ui/charts/chart_zoom.h"

class QChart;

namespace meshreel {

class ZoomedAxis;

/// Which part of a chart is shown: of its horizontal axis the one that a zoom tells, which others may share,
/// of its left axis one of its own. Axes of bars are always shown whole. Shares are of what is shown, from
/// the left and from the bottom.
class ZoomedChart : public QObject {
    Q_OBJECT

  public:
    /// The chart outlives this.
    ZoomedChart(QChart& chart, ChartZoom& zoom, QObject* parent);

    [[nodiscard]] bool canZoom() const { return m_across != nullptr || m_upright != nullptr; }
    [[nodiscard]] bool canZoomAcross() const { return m_across != nullptr; }
    /// How far along what is shown a place on the horizontal axis lies; none on an axis of bars.
    [[nodiscard]] std::optional<double> shareOf(double place) const;

    /// Makes what is shown so many times as long, about a share of it; upright where the horizontal axis is
    /// of bars.
    void zoomAcross(double factor, double share);
    void zoomUpright(double factor, double share);
    /// Shows what lies to the right of it, or above, by those shares.
    void move(double right, double up);
    /// Of the horizontal axis what lies between two shares.
    void showBetween(double from, double to);
    void showEverything();

  signals:
    void partChanged();

  private:
    void followUpright();
    void showPart();

    QChart& m_chart;
    QPointer<ChartZoom> m_zoom;
    ZoomedAxis* m_across = nullptr;   ///< null where the axis is of bars
    ZoomedAxis* m_upright = nullptr;  ///< likewise
};

}  // namespace meshreel

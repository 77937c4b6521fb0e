// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QRectF>

class QChart;
class QHorizontalStackedBarSeries;

namespace meshreel {

/// How far past the longest bar an axis reaches that leaves room for totals.
inline constexpr double totalsRoom = 1.12;

/// The sum of what is shown of each lying bar, written at its end, over the plot area of the chart that it
/// belongs to. Segments that the legend has hidden do not count.
class BarTotals : public QGraphicsItem {
  public:
    /// The chart has the series on its axes by now.
    BarTotals(QChart& chart, QHorizontalStackedBarSeries& bars);

    /// Of the bar of a category, from below.
    [[nodiscard]] double totalOf(int category) const;

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    QChart& m_chart;
    QHorizontalStackedBarSeries& m_bars;
    QRectF m_area;
};

}  // namespace meshreel

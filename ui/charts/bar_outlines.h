// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QPen>
#include <vector>

class QBarSeries;
class QBarSet;
class QChart;

namespace meshreel {

/// Outlines around the bars of a set, which may be longer or shorter than these: a length a category.
struct BarOutline {
    QPen pen;
    std::vector<double> lengths;
};

/// The outlines of a series of bars beside each other, one for each of its sets, drawn over them. Those of a
/// set that the legend has hidden are hidden as well.
class BarOutlines : public QGraphicsItem {
  public:
    /// The chart, to which this belongs, has the series on its axes by now.
    BarOutlines(QChart* chart, QBarSeries* bars, std::vector<BarOutline> outlines);

    /// 0 while it is hidden.
    [[nodiscard]] double lengthOf(int set, int category) const;

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    [[nodiscard]] bool isHidden(int set) const;

    QChart* m_chart;
    QBarSeries* m_bars;
    std::vector<BarOutline> m_outlines;
    std::vector<bool> m_hasBars;  ///< sets with anything to hide
    QRectF m_area;
};

}  // namespace meshreel

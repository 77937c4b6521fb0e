// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <vector>

class QChart;
class QXYSeries;

namespace meshreel {

/// How far values spread about a point of a line.
struct ErrorBar {
    double place = 0;  ///< on the horizontal axis
    double low = 0;
    double high = 0;
};

/// The error bars of a line, drawn as it is and shown while it is, within the plot area of the chart that
/// they belong to.
class ErrorBars : public QGraphicsItem {
  public:
    ErrorBars(QChart* chart, QXYSeries* line, std::vector<ErrorBar> bars);

    [[nodiscard]] const std::vector<ErrorBar>& bars() const { return m_bars; }
    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    QChart* m_chart;
    QXYSeries* m_line;
    std::vector<ErrorBar> m_bars;
    QRectF m_area;
};

}  // namespace meshreel

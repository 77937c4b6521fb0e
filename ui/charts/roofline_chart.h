// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QGraphicsItem>
#include <QMargins>
#include <QString>
#include <vector>

#include "engine/runs/records/roofline.h"
#include "ui/charts/chart_sheet.h"

class QChart;
class QLineSeries;

namespace meshreel {

/// A numbered point of a roofline chart.
struct RooflineMark {
    QString name;
    QPointF value;   ///< on the axes
    int family = 0;  ///< selects its colour
};

/// What is over and beside the plot of a roofline chart: a title, a name on each roof, a number beside each
/// point, and the key of the numbers. Belongs to the chart.
class RooflineWords : public QGraphicsItem {
  public:
    /// Roofs are named as their series, at their last points; marks of a family follow each other.
    RooflineWords(QChart& chart, QString title, QString machine, std::vector<QLineSeries*> roofs,
                  std::vector<RooflineMark> marks);

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    [[nodiscard]] double keyLines() const;
    [[nodiscard]] int keyColumns() const;
    [[nodiscard]] double columnWidth() const;
    void makeRoom();
    void writeTitle(QPainter& painter) const;
    [[nodiscard]] std::vector<QRectF> writeRoofs(QPainter& painter) const;
    void writeNumbers(QPainter& painter, std::vector<QRectF> taken) const;
    void writeKey(QPainter& painter) const;

    QChart& m_chart;
    QString m_title;
    QString m_machine;
    std::vector<QLineSeries*> m_roofs;
    std::vector<RooflineMark> m_marks;
    QRectF m_area;
};

/// How long the points of such a chart are across.
inline constexpr double rooflineMarkSize = 9;

/// Returns the font of all texts of the roofline, of a family that programs without Qt find in an SVG, too.
QFont rooflineFont();

/// Shows operations under the machine's limits, both axes logarithmic: points are numbered, a key beside them
/// names them. Needs at least one point and one peak.
ChartSheet rooflineSheet(Roofline roofline);

}  // namespace meshreel

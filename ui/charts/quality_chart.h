// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QRectF>
#include <QString>
#include <cstddef>
#include <vector>

#include "engine/runs/records/quality_rows.h"
#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"

class QChart;
class QXYSeries;

namespace meshreel {

/// What is drawn beside the points of a chart of quality against time: how sure their shares are, how far
/// their seconds spread, and their names, wherever these have room. Belongs to the chart.
class QualityMarks : public QGraphicsItem {
  public:
    /// The chart has the series on its axes by now, with a point for each row.
    QualityMarks(QChart& chart, QXYSeries& points, std::vector<QualityRow> rows);

    /// Where the name of each row is written; empty where it has no room.
    [[nodiscard]] std::vector<QRectF> namePlaces() const;

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    [[nodiscard]] QString nameOf(std::size_t row) const;

    QChart& m_chart;
    QXYSeries& m_points;
    std::vector<QualityRow> m_rows;
    QRectF m_area;
};

/// How often each setting is preferred against its seconds of inference, a point a setting. Only the settings
/// of the group with the most votes are drawn: others were not compared with them. Throws Error{Project} when
/// nobody voted on these runs, or none of them is finished.
ChartSheet qualitySheet(const std::vector<RunRecord>& runs);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QString>
#include <span>
#include <vector>

#include "engine/timing/step_record.h"

class QChart;
class QXYSeries;

namespace meshreel {

/// Something that happened between two steps of a line.
struct StepMark {
    double place = 0;  ///< on the horizontal axis
    QString words;
    QXYSeries* line = nullptr;  ///< the mark is shown while this is
};

/// A mark wherever a run goes on with another expert, between the two steps, counted from 1.
std::vector<StepMark> expertSwitches(std::span<const StepRecord> steps, QXYSeries& line);

/// Dashed lines with words over the plot area of the chart that they belong to. Lines at one place are one,
/// in the colour of the text where they belong to several series.
class StepMarks : public QGraphicsItem {
  public:
    explicit StepMarks(QChart* chart);

    void setMarks(std::vector<StepMark> marks);
    [[nodiscard]] const std::vector<StepMark>& marks() const { return m_marks; }

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    QChart* m_chart;
    QRectF m_area;
    std::vector<StepMark> m_marks;  ///< by rising place
};

}  // namespace meshreel

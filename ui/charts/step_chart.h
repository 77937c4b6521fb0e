// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChart>
#include <QPointF>
#include <vector>

#include "engine/timing/step_record.h"
#include "ui/charts/chart_style.h"

class QAreaSeries;
class QLineSeries;
class QValueAxis;
class QXYSeries;

namespace meshreel {

/// What the step chart shows on its vertical axis.
enum class StepMetric {
    Seconds,  ///< wall clock of each step, with their mean
    Latents,  ///< range and mean of the latents after each step
};

/// Line chart over the denoising steps, counted from 1.
class StepChart : public QChart {
    Q_OBJECT

  public:
    explicit StepChart(QGraphicsItem* parent = nullptr);
    ~StepChart() override;

    void setMetric(StepMetric metric);
    [[nodiscard]] StepMetric metric() const { return m_metric; }

    /// The steps so far. `expectedSteps` fixes the horizontal axis while the run goes on; 0 fits the records.
    void setRecords(const std::vector<StepRecord>& records, int expectedSteps = 0);

    void setStyle(const ChartStyle& style);

    /// How many points the line has: those of the visible steps, or two for each column of pixels.
    [[nodiscard]] int pointCount() const;

  signals:
    /// The pointer entered the point of a step (text explains it), or left it (empty text).
    void pointHovered(const QString& text);

  private:
    void refresh();
    void placeValueTicks();
    /// Gives the series what is visible of the records; Qt Charts paints every point that it is given.
    void drawVisible();
    void drawSeconds(QList<QPointF> points, int columns);
    void styleRange();
    void describeHoveredPoint(QPointF point, bool entered);

    std::vector<StepRecord> m_records;
    int m_expectedSteps = 0;
    double m_lowest = 0;   ///< on the vertical axis
    double m_highest = 0;  ///< likewise
    int m_ticks = 0;       ///< on the vertical axis; 0: not placed yet
    ChartStyle m_style;
    StepMetric m_metric = StepMetric::Seconds;
    QValueAxis* m_steps;
    QValueAxis* m_values;
    QLineSeries* m_line;       ///< seconds unless they are dense, or the latents' mean
    QLineSeries* m_reference;  ///< mean of the seconds
    QLineSeries* m_lower;      ///< owned by this object: QAreaSeries does not take its bounds
    QLineSeries* m_upper;
    QAreaSeries* m_range;  ///< minimum to maximum of the latents, or seconds that are dense
    bool m_dense = false;  ///< seconds have more steps than pixels
};

}  // namespace meshreel

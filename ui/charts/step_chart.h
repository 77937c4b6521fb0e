// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/timing/step_record.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"

class QAreaSeries;
class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace meshreel {

class DenseLine;
class StepMarks;

/// What the step chart shows on its vertical axis.
enum class StepMetric {
    Seconds,  ///< wall clock of each step, with their mean
    Latents,  ///< range and mean of the latents after each step
};

/// Line chart over the denoising steps, counted from 1; those that met cold caches and switches to another
/// expert are marked.
class StepChart : public ReadableChart {
    Q_OBJECT

  public:
    explicit StepChart(QGraphicsItem* parent = nullptr);
    ~StepChart() override;

    void setMetric(StepMetric metric);
    [[nodiscard]] StepMetric metric() const { return m_metric; }

    /// The steps so far. `expectedSteps` fixes the horizontal axis during the run; 0 fits the records.
    /// `resumedFrom`: the steps that resumes of the run began with, counted from 0.
    void setRecords(const std::vector<StepRecord>& records, int expectedSteps = 0,
                    const std::vector<int>& resumedFrom = {});

    void setStyle(const ChartStyle& style);

    /// Returns how many points the line has: those of the visible steps, or two for each column of pixels.
    [[nodiscard]] int pointCount() const;

    [[nodiscard]] std::optional<ChartValue> valueNear(const QPointF& position) override;
    [[nodiscard]] ScaledAxis* scaledAxis() override { return m_values; }

  private:
    void refresh();
    void showMetric();
    void drawMean(int steps);
    void drawCold();
    [[nodiscard]] QList<QPointF> toPoints(double StepRecord::*value) const;
    /// Gives the series what is visible of the records.
    void drawVisible();
    void drawRange();
    void styleRange();

    std::vector<StepRecord> m_records;
    std::vector<int> m_resumedFrom;
    int m_expectedSteps = 0;
    ChartStyle m_style;
    StepMetric m_metric = StepMetric::Seconds;
    QValueAxis* m_steps;
    ScaledAxis* m_values;
    DenseLine* m_line;         ///< seconds, or the latents' mean
    QLineSeries* m_reference;  ///< mean of the seconds
    QLineSeries* m_lower;      ///< owned by this object: QAreaSeries does not take its bounds
    QLineSeries* m_upper;
    QAreaSeries* m_range;              ///< minimum to maximum of the latents
    QScatterSeries* m_cold = nullptr;  ///< steps that met cold caches
    StepMarks* m_marks;
    bool m_hasMean = false;
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <filesystem>
#include <vector>

#include "engine/timing/step_record.h"

class QComboBox;
class QStackedWidget;

namespace meshreel {

class ChartView;
class ChartZoom;
class EmptyState;
class ExportButton;
class StepChart;

/// The step chart of a run, growing with its steps, with a choice of what is shown and export to files.
class ChartPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ChartPanel(QWidget* parent = nullptr);

    /// Another run. `resumedFrom`: the steps that resumes of it began with, counted from 0.
    void setSteps(std::vector<StepRecord> steps, std::vector<int> resumedFrom = {});
    void addSteps(const std::vector<StepRecord>& steps);
    [[nodiscard]] const std::vector<StepRecord>& steps() const { return m_steps; }

    /// Length of the horizontal axis during a run; 0 fits the steps there are.
    void setExpectedSteps(int steps);
    [[nodiscard]] const StepChart& chart() const { return *m_chart; }

    /// Returns the range of steps in view, which other charts of steps follow.
    [[nodiscard]] ChartZoom& zoom() const { return *m_zoom; }

    /// Exports in the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;

  signals:
    /// The user chose a file to export to.
    void exportRequested(const QString& file);
    /// There are no steps: the user wants to choose a run.
    void runsRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeHeader();
    void showAllSteps();
    void refresh();

    std::vector<StepRecord> m_steps;
    std::vector<int> m_resumedFrom;
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    ChartZoom* m_zoom;
    StepChart* m_chart;
    ChartView* m_view;
    QComboBox* m_metric;
    ExportButton* m_export;
    int m_expectedSteps = 0;
};

}  // namespace meshreel

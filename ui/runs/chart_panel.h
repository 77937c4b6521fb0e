// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <filesystem>
#include <vector>

#include "engine/timing/step_record.h"
#include "ui/charts/step_chart.h"

class QComboBox;
class QStackedWidget;

namespace meshreel {

class ChartView;
class ChartZoom;
class EmptyState;
class ExportButton;
class StepChart;

/// The step chart of a run, growing with its model, with a choice of what is shown and export to files.
class ChartPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ChartPanel(StepTableModel& steps, QWidget* parent = nullptr);

    /// Length of the horizontal axis while a run goes on; 0 fits the steps there are.
    void setExpectedSteps(int steps);
    [[nodiscard]] const StepChart& chart() const { return *m_chart; }

    /// Of the steps, for other charts of steps.
    [[nodiscard]] ChartZoom& zoom() const { return *m_zoom; }

    /// In the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;

  signals:
    /// The user chose a file to export to.
    void exportRequested(const QString& file);
    /// There are no steps: a run is to be chosen.
    void runsRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeHeader();
    void showAllSteps();
    void refresh();

    StepTableModel& m_steps;
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

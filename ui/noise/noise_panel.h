// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <filesystem>
#include <vector>

#include "engine/planning/project_forecast.h"
#include "ui/charts/chart_sheet.h"
#include "ui/noise/noise_view.h"
#include "ui/project/plan_watch.h"

class QLabel;

namespace meshreel {

class BoundField;
class ExportButton;
class LastPlanMark;
class NoiseView;
class ProjectDocument;

/// Returns the noise level of every step, a line for each expert, beside the levels without the flow shift
/// and the boundary if there are any. Throws Error{Project} without steps.
ChartSheet noiseSheet(const NoiseLevels& levels);

/// How the noise goes down from step to step, with the settings that shape it.
class NoisePanel : public QWidget {
    Q_OBJECT

  public:
    explicit NoisePanel(ProjectDocument& document, QWidget* parent = nullptr);

    void showForecast(const ProjectForecast& forecast);
    [[nodiscard]] NoiseView& view() const { return *m_view; }
    [[nodiscard]] QString detailText() const;

    /// The chart, in the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;

  signals:
    /// The user chose a file to export to.
    void exportRequested(const QString& file);

  private:
    QWidget* makeFields(ProjectDocument& document);
    void showDetail();
    void showNothing(const QString& reason);

    NoiseLevels m_levels;
    std::vector<BoundField*> m_fields;
    NoiseView* m_view;
    ExportButton* m_export;
    QLabel* m_detail;
    LastPlanMark* m_lastPlan;
};

}  // namespace meshreel

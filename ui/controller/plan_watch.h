// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "engine/planning/plan_findings.h"
#include "engine/project/project_problem.h"
#include "engine/runs/launch/host_file.h"
#include "ui/controller/latest_only.h"

namespace meshreel {

class ProjectDocument;
struct ModelFacts;
struct Prediction;
struct PredictionBasis;
struct Project;
struct RunPlan;

/// What a project means to the engine: its plan, or why there is none. A value; what it points to never
/// changes.
struct ProjectForecast {
    std::shared_ptr<const RunPlan> plan;  ///< memory.available is what the machine can give now
    /// Also where the project cannot be planned; null: not installed.
    std::shared_ptr<const ModelFacts> model;
    /// That take the ranks; empty: this process alone, or a file that one of the problems is about.
    std::vector<Host> hosts;
    /// That the project has with this model, mesh, machine and file of hosts.
    std::vector<ProjectProblem> problems;
    std::vector<PlanNote> notes;                   ///< what its adapters change
    std::optional<Trouble> trouble;                ///< what keeps it from being planned and concerns no key
    std::shared_ptr<const PredictionBasis> basis;  ///< null: not read yet
    std::shared_ptr<const Prediction> prediction;  ///< of the plan; null where there is none to make
};

/// Plans as the runner would, but for three things that do not keep anybody from editing: an empty prompt,
/// too little memory and a file of hosts that cannot be read, which are among the problems. Reads the headers
/// of the checkpoint and the file of hosts.
ProjectForecast forecastOf(const Project& project, std::shared_ptr<const PredictionBasis> basis = {});

/// Keeps the forecast of a document up to date, on another thread, a little after the last edit.
class PlanWatch : public QObject {
    Q_OBJECT

  public:
    explicit PlanWatch(ProjectDocument& document, QObject* parent = nullptr);

    /// The latest one; empty at first.
    [[nodiscard]] const ProjectForecast& forecast() const { return m_forecast; }
    /// What seconds are predicted from, from now on.
    void setBasis(std::shared_ptr<const PredictionBasis> basis);

  signals:
    void forecastChanged(const meshreel::ProjectForecast& forecast);

  private:
    void ask();

    ProjectDocument& m_document;
    ProjectForecast m_forecast;
    std::shared_ptr<const PredictionBasis> m_basis;
    QTimer m_pause;
    LatestOnly m_planning;
};

}  // namespace meshreel

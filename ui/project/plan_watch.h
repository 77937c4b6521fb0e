// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>

#include "engine/planning/forecast.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/target_hardware.h"
#include "ui/values/background.h"

namespace meshreel {

class ProjectDocument;
struct Project;

/// Keeps the forecast of a document up to date, on another thread, a little after the last edit. Errors are
/// looked at again every few seconds: a model may have come, another program may have given memory back.
///
/// Plans the project as it changes. Every change of the question begins a revision, and each answer belongs
/// to its revision. Only answers to the newest are reported, and every newest one is asked.
class PlanWatch : public QObject {
    Q_OBJECT

  public:
    /// As makeForecast(); called on other threads.
    using Planner = std::function<ProjectForecast(const Project&, const ForecastOptions&, OpenedFiles&)>;

    explicit PlanWatch(ProjectDocument& document, QObject* parent = nullptr);

    /// Returns the latest one; empty at first, and while that of another project comes.
    [[nodiscard]] const ProjectForecast& forecast() const { return m_forecast; }
    /// Returns whether the plan has changed since: another forecast is on its way.
    [[nodiscard]] bool isPending() const { return m_told != m_revision; }
    /// Waits for the forecast of what is planned now, but no longer than `most`. Returns whether it has been
    /// reported.
    bool settle(std::chrono::milliseconds most);
    /// Sets the planner, from the next question on.
    void setPlanner(Planner planner);
    /// Sets how long errors wait until they are looked at again.
    void setPatience(std::chrono::milliseconds patience) { m_again.setInterval(patience); }
    /// What seconds are predicted from, from now on.
    void setBasis(std::shared_ptr<const PredictionBasis> basis);
    /// What is planned for, from now on; null: this machine.
    void setTarget(std::shared_ptr<const TargetHardware> target);

  signals:
    void forecastChanged(const meshreel::ProjectForecast& forecast);

  private:
    using Answer = std::shared_future<ProjectForecast>;

    void await();
    void ask();
    void lookAgain();
    void take(ProjectForecast forecast);
    void forgetPlan();
    /// Runs on another thread; does not plan when the revision is no longer the newest.
    [[nodiscard]] std::function<ProjectForecast()> question(int revision);

    ProjectDocument& m_document;
    ProjectForecast m_forecast;
    std::shared_ptr<const PredictionBasis> m_basis;
    std::shared_ptr<const TargetHardware> m_target;
    std::shared_ptr<OpenedFiles> m_files = noOpenedFiles();
    QTimer m_pause;
    QTimer m_again;
    bool m_hadPlan = false;
    Planner m_planner;
    std::atomic<int> m_revision = 0;  ///< read by other threads
    int m_asked = 0;                  ///< the revision that was asked last
    int m_told = 0;                   ///< that of the forecast
    Answer m_answer;                  ///< to the latest question
    Background m_planning;            ///< ends first, as its threads use the others
};

}  // namespace meshreel

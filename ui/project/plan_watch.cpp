// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/plan_watch.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/runs/run_history.h"
#include "ui/project/project_document.h"

namespace meshreel {

namespace {

constexpr int pauseMilliseconds = 120;   ///< after a keystroke
constexpr int againMilliseconds = 5000;  ///< while there are errors

bool hasObstacle(const ProjectForecast& forecast) {
    return forecast.plan == nullptr || forecast.obstacle || hasErrors(forecast.problems);
}

/// Whether the same is wrong; numbers may be others.
bool blamesTheSame(const ProjectForecast& one, const ProjectForecast& other) {
    const auto isSame = [](const Problem& a, const Problem& b) {
        return a.id == b.id && a.key == b.key && a.severity == b.severity;
    };
    const auto obstacleOf = [](const ProjectForecast& forecast) {
        return forecast.obstacle ? std::optional(forecast.obstacle->id) : std::nullopt;
    };
    return (one.plan == nullptr) == (other.plan == nullptr) && obstacleOf(one) == obstacleOf(other) &&
           std::ranges::equal(one.problems, other.problems, isSame);
}

ProjectForecast whyNotPlanned(const Problem& problem) {
    ProjectForecast forecast;
    forecast.obstacle = problem;
    forecast.problems = {problem};
    return forecast;
}

}  // namespace

PlanWatch::PlanWatch(ProjectDocument& document, QObject* parent)
    : QObject(parent),
      m_document(document),
      m_planner([](const Project& project, const ForecastOptions& options, OpenedFiles& files) {
          return makeForecast(project, options, files);
      }) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseMilliseconds);
    m_again.setSingleShot(true);
    m_again.setInterval(againMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, &PlanWatch::ask);
    connect(&m_again, &QTimer::timeout, this, &PlanWatch::lookAgain);
    connect(&m_document, &ProjectDocument::changed, this, &PlanWatch::await);
    connect(&m_document, &ProjectDocument::fileChanged, this, &PlanWatch::await);  // inputs lie beside it
    connect(&m_document, &ProjectDocument::replaced, this, &PlanWatch::forgetPlan);
    await();
}

void PlanWatch::setPlanner(Planner planner) {
    m_planner = std::move(planner);
    await();
}

void PlanWatch::setBasis(std::shared_ptr<const PredictionBasis> basis) {
    m_basis = std::move(basis);
    await();
}

void PlanWatch::setTarget(std::shared_ptr<const TargetHardware> target) {
    if (target == m_target)
        return;
    m_target = std::move(target);
    await();
}

void PlanWatch::await() {
    ++m_revision;
    m_pause.start();
}

void PlanWatch::forgetPlan() {
    m_hadPlan = false;
    m_forecast = {};
}

std::function<ProjectForecast()> PlanWatch::question(int revision) {
    ForecastOptions options{.basis = m_basis, .target = m_target, .runsFolder = runsFolder()};
    return [this, revision, planner = m_planner, project = m_document.runnableProject(),
            options = std::move(options), files = m_files] {
        if (revision != m_revision)
            return ProjectForecast{};  // nobody will look at it, and the newest may wait for this thread
        return planner(project, options, *files);
    };
}

void PlanWatch::ask() {
    m_pause.stop();
    if (m_asked == m_revision)
        return;
    const int revision = m_asked = m_revision;
    auto asked = std::make_shared<std::packaged_task<ProjectForecast()>>(question(revision));
    m_answer = asked->get_future().share();
    m_planning.run(
        [asked, answer = m_answer] {
            (*asked)();
            return answer.get();
        },
        [this, revision](ProjectForecast forecast) {
            if (revision == m_revision && revision != m_told)
                take(std::move(forecast));
        },
        [this, revision](const Problem& problem) {
            if (revision == m_revision && revision != m_told)
                take(whyNotPlanned(problem));
        });
}

bool PlanWatch::settle(std::chrono::milliseconds most) {
    if (!isPending())
        return true;
    ask();
    if (m_answer.wait_for(most) != std::future_status::ready)
        return false;
    ProjectForecast forecast;
    try {
        forecast = m_answer.get();
    } catch (...) {
        forecast = whyNotPlanned(currentProblem());
    }
    take(std::move(forecast));
    return true;
}

/// Never in place of a question: what comes of that begins the timer anew.
void PlanWatch::lookAgain() {
    if (isPending())
        return;
    const int revision = m_revision;
    m_planning.run(
        question(revision),
        [this, revision](ProjectForecast forecast) {
            if (revision != m_revision)
                return;
            if (blamesTheSame(forecast, m_forecast))
                m_again.start();  // nobody has to draw it anew
            else
                take(std::move(forecast));
        },
        [this, revision](const Problem&) {
            if (revision == m_revision)
                m_again.start();
        });
}

void PlanWatch::take(ProjectForecast forecast) {
    m_told = m_revision;
    m_hadPlan = m_hadPlan || forecast.plan != nullptr;
    m_forecast = std::move(forecast);
    m_forecast.hadPlan = m_hadPlan;
    if (hasObstacle(m_forecast))
        m_again.start();
    else
        m_again.stop();
    emit forecastChanged(m_forecast);
}

}  // namespace meshreel

#include "moc_plan_watch.cpp"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controller/plan_watch.h"

#include <algorithm>
#include <utility>

#include "ui/models/project_document.h"

namespace meshreel {

namespace {

constexpr int pauseMilliseconds = 120;   ///< after a keystroke
constexpr int againMilliseconds = 5000;  ///< while there are errors

bool hasObstacle(const ProjectForecast& forecast) {
    return forecast.plan == nullptr || hasErrors(forecast.problems);
}

/// Whether the same keys are to blame; numbers may be others.
bool blamesTheSame(const ProjectForecast& one, const ProjectForecast& other) {
    return (one.plan == nullptr) == (other.plan == nullptr) &&
           std::ranges::equal(one.problems, other.problems, {}, &ProjectProblem::key, &ProjectProblem::key);
}

}  // namespace

PlanWatch::PlanWatch(ProjectDocument& document, QObject* parent) : QObject(parent), m_document(document) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseMilliseconds);
    m_again.setSingleShot(true);
    m_again.setInterval(againMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, &PlanWatch::ask);
    connect(&m_again, &QTimer::timeout, this, &PlanWatch::askAgain);
    connect(&m_document, &ProjectDocument::changed, this, &PlanWatch::await);
    connect(&m_document, &ProjectDocument::replaced, this, &PlanWatch::forgetPlan);
    await();
}

void PlanWatch::setBasis(std::shared_ptr<const PredictionBasis> basis) {
    m_basis = std::move(basis);
    m_pause.start();
}

void PlanWatch::await() {
    m_isPending = true;
    m_pause.start();
}

void PlanWatch::forgetPlan() {
    m_planning.forget();
    m_hadPlan = false;
}

void PlanWatch::ask() {
    m_planning.run([project = m_document.runnableProject(), basis = m_basis,
                    files = m_files] { return forecastOf(project, basis, *files); },
                   [this](ProjectForecast forecast) { take(std::move(forecast)); }, [](const Trouble&) {});
}

void PlanWatch::askAgain() {
    if (m_pause.isActive())
        return;
    m_planning.run([project = m_document.runnableProject(), basis = m_basis,
                    files = m_files] { return forecastOf(project, basis, *files); },
                   [this](ProjectForecast forecast) {
                       if (blamesTheSame(forecast, m_forecast))
                           m_again.start();  // nobody has to draw it anew
                       else
                           take(std::move(forecast));
                   },
                   [](const Trouble&) {});
}

void PlanWatch::take(ProjectForecast forecast) {
    m_isPending = m_pause.isActive();
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

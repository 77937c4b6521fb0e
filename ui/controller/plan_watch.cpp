// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controller/plan_watch.h"

#include <limits>
#include <utility>

#include "engine/planning/memory/system_resources.h"
#include "engine/planning/model/model_library.h"
#include "engine/planning/run_plan.h"
#include "engine/runs/past_runs.h"
#include "ui/models/project_document.h"

namespace meshreel {

namespace {

constexpr int pauseMilliseconds = 120;  ///< after a keystroke

/// Null for a model that is not installed or cannot be used; makePlan() tells why.
std::shared_ptr<const ModelFacts> factsOf(const Project& project) {
    try {
        return std::make_shared<const ModelFacts>(readModelFacts(findModel(project.model)));
    } catch (const Error&) {
        return nullptr;
    }
}

/// Null where none can be made.
std::shared_ptr<const Prediction> predictionOf(const RunPlan& plan, const PredictionBasis* basis) {
    if (basis == nullptr || !plan.project.hosts.empty())
        return nullptr;  // the network between hosts is not known
    const std::optional<Prediction> prediction = predictPlan(plan, *basis);
    return prediction ? std::make_shared<const Prediction>(*prediction) : nullptr;
}

}  // namespace

ProjectForecast forecastOf(const Project& project, std::shared_ptr<const PredictionBasis> basis) {
    Project planned = project;
    if (planned.prompt.empty())
        planned.prompt = "-";  // what a prompt says changes nothing of the plan
    ProjectForecast forecast{.plan = {},
                             .model = factsOf(project),
                             .problems = {},
                             .trouble = {},
                             .basis = std::move(basis),
                             .prediction = {}};
    try {
        RunPlan plan = makePlan(planned, {.memoryBytes = std::numeric_limits<std::uint64_t>::max()});
        plan.memory.available = availableMemory();
        forecast.prediction = predictionOf(plan, forecast.basis.get());
        forecast.plan = std::make_shared<const RunPlan>(std::move(plan));
    } catch (const ProjectError& error) {
        forecast.problems = error.problems();
    } catch (...) {
        forecast.trouble = Trouble::ofCurrentException();
    }
    return forecast;
}

PlanWatch::PlanWatch(ProjectDocument& document, QObject* parent) : QObject(parent), m_document(document) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, &PlanWatch::ask);
    connect(&m_document, &ProjectDocument::changed, &m_pause, qOverload<>(&QTimer::start));
    m_pause.start();
}

void PlanWatch::setBasis(std::shared_ptr<const PredictionBasis> basis) {
    m_basis = std::move(basis);
    m_pause.start();
}

void PlanWatch::ask() {
    const int number = ++m_asked;
    m_background.run(
        [project = m_document.runnableProject(), basis = m_basis] { return forecastOf(project, basis); },
        [this, number](ProjectForecast forecast) {
            if (number != m_asked)
                return;
            m_forecast = std::move(forecast);
            emit forecastChanged(m_forecast);
        },
        [](const Trouble&) {});
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controller/plan_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "engine/base/paths.h"
#include "engine/base/worker_pool.h"
#include "engine/planning/memory/system_resources.h"
#include "engine/planning/model/model_library.h"
#include "engine/planning/project_check.h"
#include "engine/planning/run_plan.h"
#include "engine/runs/mesh_advice.h"
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

/// The hosts that a launch would take, or what is wrong with their file.
void readHostsOf(const Project& project, ProjectForecast& forecast) {
    if (project.hosts.empty())
        return;
    try {
        forecast.hosts = readHosts(expandTilde(project.hosts));
    } catch (const Error& refused) {
        forecast.problems.push_back({.key = "hosts",
                                     .message = sentence("{}: {}", refused.where(), refused.message()),
                                     .hint = refused.hint()});
    }
}

/// At the key of the model, with others that are installed.
ProjectProblem unusableModel(const Error& refused) {
    constexpr std::size_t few = 3;
    const std::string key = "pretrained_model_name_or_path";
    ProjectProblem problem{.key = key, .message = refused.message(), .hint = refused.hint()};
    for (const ModelInfo& model : installedModels())
        if (problem.changes.size() < few)
            problem.changes.push_back({.key = key, .value = model.name});
    return problem;
}

PlanOptions regardlessOfMemory(int ranks = 1) {
    return {.ranks = ranks, .memoryBytes = std::numeric_limits<std::uint64_t>::max()};
}

/// Where memory does not do, that is told, and the plan made without regard to it.
RunPlan planOf(const Project& project, ProjectForecast& forecast) {
    const int ranks = std::max(1, slotsOf(forecast.hosts));
    try {
        return makePlan(project, {.ranks = ranks});
    } catch (const Error& refused) {
        if (refused.kind() != ErrorKind::Resources)
            throw;
        forecast.problems.push_back(
            {.key = "memory_budget", .message = refused.message(), .hint = refused.hint()});
    }
    return makePlan(project, regardlessOfMemory(ranks));
}

}  // namespace

ProjectForecast forecastOf(const Project& project, std::shared_ptr<const PredictionBasis> basis) {
    Project planned = project;
    if (planned.prompt.empty())
        planned.prompt = "-";  // what a prompt says changes nothing of the plan
    ProjectForecast forecast{.plan = {},
                             .model = factsOf(project),
                             .hosts = {},
                             .problems = {},
                             .notes = {},
                             .trouble = {},
                             .basis = std::move(basis),
                             .prediction = {}};
    readHostsOf(project, forecast);
    try {
        RunPlan plan = planOf(planned, forecast);
        AdapterFindings adapters = adapterFindings(plan);
        std::ranges::move(planWarnings(plan, availableCpus()), std::back_inserter(forecast.problems));
        std::ranges::move(adapters.warnings, std::back_inserter(forecast.problems));
        forecast.notes = std::move(adapters.notes);
        plan.memory.available = availableMemory();
        forecast.prediction = predictionOf(plan, forecast.basis.get());
        if (forecast.prediction)
            if (auto slow = slowMeshWarning(planned, regardlessOfMemory(), plan, *forecast.prediction,
                                            *forecast.basis))
                forecast.problems.push_back(std::move(*slow));
        forecast.plan = std::make_shared<const RunPlan>(std::move(plan));
    } catch (const ProjectError& error) {
        std::ranges::copy(error.problems(), std::back_inserter(forecast.problems));
    } catch (const Error& refused) {
        forecast.trouble = Trouble::ofCurrentException();
        if (forecast.model)
            std::ranges::move(problemsOnInstalledModel(planned), std::back_inserter(forecast.problems));
        else
            forecast.problems.push_back(unusableModel(refused));
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
    m_planning.run(
        [project = m_document.runnableProject(), basis = m_basis] { return forecastOf(project, basis); },
        [this](ProjectForecast forecast) {
            m_forecast = std::move(forecast);
            emit forecastChanged(m_forecast);
        },
        [](const Trouble&) {});
}

}  // namespace meshreel

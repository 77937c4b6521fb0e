// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/project_forecast.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/system.h"
#include "engine/base/worker_pool.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/planning/forecast.h"
#include "engine/planning/foresight/target_hardware.h"
#include "engine/planning/memory_fit.h"
#include "engine/planning/model_fit.h"
#include "engine/planning/project_check.h"
#include "engine/planning/run_plan.h"
#include "engine/project/input_files.h"
#include "engine/text/prompt_cleaning.h"
#include "engine/text/tokenizer.h"

namespace meshreel {

namespace {

/// Counts the tokens of prompts with the tokenizer of the model at hand, which is read once.
class PromptCounter {
  public:
    std::optional<std::int64_t> count(const std::string& prompt, const std::filesystem::path& modelFolder) {
        const std::scoped_lock lock(m_mutex);
        try {
            if (!m_tokenizer || m_folder != modelFolder) {
                m_tokenizer = Tokenizer::open(modelFolder / "tokenizer");
                m_folder = modelFolder;
            }
            return static_cast<std::int64_t>(m_tokenizer->ids(cleanPrompt(prompt)).size());
        } catch (const Error&) {
            return {};  // planning says what is wrong with the model
        }
    }

  private:
    std::mutex m_mutex;
    std::filesystem::path m_folder;
    std::optional<Tokenizer> m_tokenizer;
};

}  // namespace

struct OpenedFiles {
    InputInspector inputs;
    PromptLengths prompts;
    PromptCounter counter;
};

namespace {

constexpr std::string_view memoryKey = "memory_budget";
constexpr std::uint64_t regardlessOfMemory = std::numeric_limits<std::uint64_t>::max();

/// Null where none can be made.
std::shared_ptr<const Prediction> predictOrNull(const RunPlan& plan, const PredictionBasis* basis) {
    if (basis == nullptr || !plan.project.hosts.empty())
        return nullptr;  // the network between hosts is not known
    const std::optional<Prediction> prediction = predictPlan(plan, *basis);
    return prediction ? std::make_shared<const Prediction>(*prediction) : nullptr;
}

/// The hosts that a launch would take, or what is wrong with their file.
void readProjectHosts(const Project& project, ProjectForecast& forecast) {
    if (project.hosts.empty())
        return;
    try {
        forecast.hosts = readHosts(expandTilde(project.hosts));
    } catch (const Error& refused) {
        Problem problem = atKey("hosts", atPlace({}, refused.problem()));
        problem.id = "hosts-unreadable";
        problem.message = sentence("{}: {}", refused.where(), refused.message());
        forecast.problems.push_back(std::move(problem));
    }
}

void inspectInputFiles(const Project& project, InputInspector& inspector, ProjectForecast& forecast) {
    InputFindings found = inspector.inspect(project);
    std::ranges::move(found.problems, std::back_inserter(forecast.problems));
    std::ranges::move(found.warnings, std::back_inserter(forecast.problems));
    for (InputNote& note : found.notes)
        forecast.notes.push_back({.id = "input-sampled",
                                  .severity = Severity::Note,
                                  .key = std::move(note.key),
                                  .message = std::move(note.message),
                                  .fixes = byHand(std::move(note.detail))});
}

/// Installed models, those first with which the fewest things are wrong with the project.
std::vector<std::string> modelsFor(const Project& project, int ranks) {
    std::multimap<std::ptrdiff_t, std::string> byErrors;
    for (const ModelInfo& model : installedModels()) {
        try {
            const ModelFacts facts = readModelFacts(model.folder);
            const std::vector<Problem> problems = check(project, &facts, ranks);
            byErrors.emplace(std::ranges::count(problems, Severity::Error, &Problem::severity), model.name);
        } catch (const Error&) {
            continue;  // it could not be used either
        }
    }
    std::vector<std::string> names;
    for (auto& [errors, name] : byErrors)
        names.push_back(std::move(name));
    return names;
}

int countRanks(const ProjectForecast& forecast) {
    return std::max(1, slotsOf(forecast.hosts));
}

/// At the key of the model, with others that are installed.
void tellUnusableModel(const Project& project, const Error& refused, ProjectForecast& forecast) {
    constexpr std::size_t few = 3;
    std::vector<std::string> others = modelsFor(project, countRanks(forecast));
    others.resize(std::min(others.size(), few));
    Problem problem = problemOfModel(refused);
    problem.fixes = setKey(problem.hint(), problem.key, others);
    forecast.problems.push_back(std::move(problem));
}

/// Gives the model as it was released where it cannot be used as it is, which is told; null where it can be,
/// and where makePlan() has to tell.
std::shared_ptr<const ModelFacts> loadProjectModel(const Project& project, ProjectForecast& forecast) {
    const ProjectModel model = readProjectModel(project);
    forecast.model = model.facts;
    if (!model.isReleased())
        return nullptr;
    tellUnusableModel(project, *model.refused, forecast);
    return model.facts;
}

/// Other hardware carries any number of devices, and has a memory of its own.
RunPlan planForTarget(const Project& project, PlanOptions options) {
    options.oversubscribe = true;
    options.beyondMemory = true;
    return makePlan(project, options);
}

/// Adds what the hardware that is planned for says. It keeps nothing from running here, so all of it are
/// warnings; what is wrong with the project itself has been told of this machine.
void foresee(const Project& project, const PlanOptions& options, ProjectForecast& forecast) {
    try {
        if (forecast.plan == nullptr) {
            RunPlan plan = planForTarget(project, options);
            plan.memory.available = availableMemory();
            forecast.plan = std::make_shared<const RunPlan>(std::move(plan));
        }
        forecast.outlook =
            std::make_shared<const TargetOutlook>(foreseePlan(*forecast.plan, *forecast.target));
        std::ranges::copy(forecast.outlook->problems, std::back_inserter(forecast.problems));
    } catch (const Error&) {
        if (forecast.obstacle || hasErrors(forecast.problems))
            return;
        Problem problem = currentProblem();
        problem.severity = Severity::Warning;
        forecast.problems.push_back(std::move(problem));
    }
}

/// Where memory does not do, that is told, and the plan that was refused made.
RunPlan planOf(const Project& project, PlanOptions options, ProjectForecast& forecast) {
    try {
        return makePlan(project, options);
    } catch (const Error& refused) {
        if (refused.problem().id != ProblemId("memory-short"))
            throw;
        forecast.problems.push_back(atKey(memoryKey, refused.problem()));
        PlanOptions fitting = options;
        if (project.lora.empty() && !wantsDistilledAdapter(project))
            fitting.model = forecast.model;  // many plans of it, and only adapters need its files
        forecast.fit = std::make_shared<const ModelFit>(findFit(project, fitting));
    }
    options.beyondMemory = true;
    return makePlan(project, options);
}

}  // namespace

std::shared_ptr<OpenedFiles> noOpenedFiles() {
    return std::make_shared<OpenedFiles>();
}

ProjectForecast makeForecast(const Project& project, std::shared_ptr<const PredictionBasis> basis) {
    OpenedFiles files;
    return makeForecast(project, std::move(basis), files);
}

ProjectForecast makeForecast(const Project& project, std::shared_ptr<const PredictionBasis> basis,
                             OpenedFiles& files, std::shared_ptr<const TargetHardware> target) {
    Project planned = project;
    if (planned.prompt.empty())
        planned.prompt = "-";  // what a prompt says changes nothing of the plan
    ProjectForecast forecast{.plan = {},
                             .model = {},
                             .hosts = {},
                             .problems = {},
                             .notes = {},
                             .obstacle = {},
                             .basis = std::move(basis),
                             .prediction = {},
                             .promptTokens = {},
                             .target = std::move(target)};
    readProjectHosts(project, forecast);
    inspectInputFiles(project, files.inputs, forecast);
    const PlanOptions options{.ranks = countRanks(forecast), .model = loadProjectModel(planned, forecast)};
    try {
        RunPlan plan = planOf(planned, options, forecast);
        AdapterFindings adapters = adapterFindings(plan);
        std::ranges::move(planWarnings(plan, availableCpus()), std::back_inserter(forecast.problems));
        std::ranges::move(adapters.warnings, std::back_inserter(forecast.problems));
        std::ranges::move(adapters.notes, std::back_inserter(forecast.notes));
        std::ranges::move(files.prompts.warnings(plan.project, plan.modelFolder),
                          std::back_inserter(forecast.problems));
        if (!project.prompt.empty() && !plan.modelFolder.empty())
            forecast.promptTokens = files.counter.count(project.prompt, plan.modelFolder);
        plan.memory.available = availableMemory();
        forecast.prediction = predictOrNull(plan, forecast.basis.get());
        if (forecast.prediction)
            if (auto slow =
                    slowMeshWarning(planned, {.memoryBytes = regardlessOfMemory, .model = options.model},
                                    plan, *forecast.prediction, *forecast.basis))
                forecast.problems.push_back(std::move(*slow));
        forecast.plan = std::make_shared<const RunPlan>(std::move(plan));
    } catch (const ProjectError& error) {
        std::ranges::copy(error.problems(), std::back_inserter(forecast.problems));
    } catch (const Error& refused) {
        forecast.obstacle = currentProblem();
        if (forecast.model)
            std::ranges::move(problemsOnInstalledModel(planned), std::back_inserter(forecast.problems));
        else
            tellUnusableModel(planned, refused, forecast);
    } catch (...) {
        forecast.obstacle = currentProblem();
    }
    if (forecast.target != nullptr)
        foresee(planned, options, forecast);
    return forecast;
}

bool isShortOfMemory(const Problem& problem) {
    return problem.id == ProblemId("memory-short");
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/project_forecast.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/system.h"
#include "engine/base/worker_pool.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/checks/project_check.h"
#include "engine/checks/prompt_lengths.h"
#include "engine/estimates/prediction.h"
#include "engine/planning/forecast.h"
#include "engine/planning/memory_fit.h"
#include "engine/planning/model_fit.h"
#include "engine/planning/plan_warnings.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/target_hardware.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/input_files.h"
#include "engine/project/maxdiffusion_import.h"
#include "engine/project/numbers.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_settings.h"
#include "engine/project/timed_prompt.h"
#include "engine/project/wildcards.h"
#include "engine/text/prompt_cleaning.h"
#include "engine/text/tokenizer.h"

namespace meshreel {

namespace {

/// Counts the tokens of prompts with the tokenizer of the current model, which is read once.
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

/// Rates of the disks that models lie on, each measured once: that takes a tenth of a second.
class DiskRates {
  public:
    std::shared_ptr<const DiskRate> of(const std::filesystem::path& model) {
        const std::lock_guard lock(m_mutex);
        std::shared_ptr<const DiskRate>& rate = m_rates[model];
        if (rate == nullptr)
            rate = std::make_shared<const DiskRate>(modelDiskRate(model));
        return rate;
    }

  private:
    std::mutex m_mutex;
    std::map<std::filesystem::path, std::shared_ptr<const DiskRate>> m_rates;
};

}  // namespace

struct OpenedFiles {
    InputInspector inputs;
    PromptLengths prompts;
    PromptCounter counter;
    DiskRates disks;
};

namespace {

constexpr std::string_view memoryKey = "memory_budget";
constexpr std::uint64_t regardlessOfMemory = std::numeric_limits<std::uint64_t>::max();

/// Null when none can be made.
std::shared_ptr<const Prediction> predictOrNull(const RunPlan& plan, const PredictionBasis* basis) {
    if (basis == nullptr || !plan.project.hosts.empty())
        return nullptr;  // the network between hosts is not known
    const std::optional<Prediction> prediction = predictPlan(plan, *basis);
    return prediction ? std::make_shared<const Prediction>(*prediction) : nullptr;
}

/// Adds faults that are not known yet.
void tell(ProjectForecast& forecast, std::vector<Problem> found) {
    addUnknown(forecast.problems, std::move(found));
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
        tell(forecast, {std::move(problem)});
    }
}

void tellNote(ProjectForecast& forecast, InputNote note) {
    forecast.notes.push_back({.id = "input-sampled",
                              .severity = Severity::Note,
                              .key = std::move(note.key),
                              .message = std::move(note.message),
                              .fixes = byHand(std::move(note.detail))});
}

void inspectInputFiles(const Project& project, InputInspector& inspector, ProjectForecast& forecast) {
    InputFindings found = inspector.inspect(project);
    tell(forecast, std::move(found.problems));
    tell(forecast, std::move(found.warnings));
    for (InputNote& note : found.notes)
        tellNote(forecast, std::move(note));
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

int countRanks(const ProjectForecast& forecast, const ForecastOptions& options) {
    return options.ranks ? *options.ranks : std::max(1, countSlots(forecast.hosts));
}

/// At the key of the model, with others that are installed. A released one that is not here can be planned,
/// and is run once it has come.
void tellUnusableModel(const Project& project, const Error& refused, bool isToCome, int ranks,
                       ProjectForecast& forecast) {
    constexpr std::size_t few = 3;
    std::vector<std::string> others = modelsFor(project, ranks);
    others.resize(std::min(others.size(), few));
    Problem problem = problemOfModel(refused);
    problem.severity = isToCome ? Severity::Warning : Severity::Error;
    problem.fixes = setKey(problem.hint(), problem.key, others);
    tell(forecast, {std::move(problem)});
}

/// Returns the model as released if it cannot be used as it is, which is reported; null when it can be, and
/// when makePlan() has to report it.
std::shared_ptr<const ModelFacts> loadProjectModel(const Project& project, int ranks,
                                                   ProjectForecast& forecast) {
    const ProjectModel model = readProjectModel(project);
    forecast.model = model.facts;
    if (!model.isReleased())
        return nullptr;
    tellUnusableModel(project, *model.refused, !model.onDisk, ranks, forecast);
    forecast.obstacle = model.refused->problem();
    forecast.refusal = model.refused->kind();
    return model.facts;
}

/// Other hardware carries any number of devices, and has a memory and processors of its own.
PlanPtr planForTarget(Project project, PlanOptions options) {
    project.gpus = GpuChoice::none();
    options.oversubscribe = true;
    options.beyondMemory = true;
    options.runsFolder.clear();
    return makePlan(project, options);
}

/// Adds what the planned hardware says. It keeps nothing from running here, so all of it are warnings; what
/// is wrong with the project itself is already reported for this machine, unless too few CPUs were found
/// before.
void foresee(const Project& project, const PlanOptions& options, ProjectForecast& forecast) {
    try {
        if (forecast.plan == nullptr)
            forecast.plan = planForTarget(project, options);
        forecast.outlook =
            std::make_shared<const TargetOutlook>(foreseePlan(*forecast.plan, *forecast.target));
        tell(forecast, forecast.outlook->problems);
    } catch (const Error&) {
        if (forecast.obstacle || areObstacles(forecast.problems, forecast.target.get()))
            return;
        Problem problem = currentProblem();
        if (forecast.plan != nullptr)
            problem.severity = Severity::Warning;
        tell(forecast, {std::move(problem)});
    }
}

/// Reports when memory or disk are too small, and makes the plan that was refused.
PlanPtr planOf(const Project& project, PlanOptions options, ProjectForecast& forecast) {
    constexpr ProblemId memoryShort = "memory-short";
    constexpr ProblemId diskShort = "disk-short";
    try {
        return makePlan(project, options);
    } catch (const Error& refused) {
        const ProblemId id = refused.problem().id;
        if (id != memoryShort && id != diskShort)
            throw;
        forecast.refusal = refused.kind();
        if (refused.problem().key == GpuChoice::key)
            throw;  // no memory of the host's helps
        if (id == diskShort) {
            tell(forecast, {refused.problem()});
            options.runsFolder.clear();
            return makePlan(project, options);
        }
        tell(forecast, {atKey(memoryKey, refused.problem())});
        PlanOptions fitting = options;
        fitting.runsFolder.clear();
        if (project.lora.empty() && !wantsDistilledAdapter(project))
            fitting.model = forecast.model;  // many plans of it, and only adapters need its files
        forecast.fit = std::make_shared<const ModelFit>(findFit(project, fitting));
    }
    options.beyondMemory = true;
    return planOf(project, options, forecast);
}

/// What the finished plan says, and what follows from it.
void tellPlan(const Project& project, const PlanOptions& options, PlanPtr made, OpenedFiles& files,
              ProjectForecast& forecast) {
    const RunPlan& plan = *made;
    tell(forecast, check(project, &plan.model, plan.ranks));
    std::vector<Problem> warnings = plan.warnings;
    if (std::ranges::any_of(forecast.problems, isShortOfMemory))
        std::erase_if(warnings,
                      [](const Problem& problem) { return problem.id == ProblemId("memory-tight"); });
    tell(forecast, std::move(warnings));
    AdapterFindings adapters = adapterFindings(plan);
    tell(forecast, std::move(adapters.warnings));
    std::ranges::move(adapters.notes, std::back_inserter(forecast.notes));
    tell(forecast, files.prompts.warnings(plan.project, plan.modelFolder));
    forecast.prediction = predictOrNull(plan, forecast.basis.get());
    if (forecast.prediction) {
        PlanOptions unlimited = options;
        unlimited.memoryBytes = regardlessOfMemory;
        unlimited.runsFolder.clear();
        if (auto slow = slowMeshWarning(project, unlimited, plan, *forecast.prediction, *forecast.basis))
            tell(forecast, {std::move(*slow)});
    }
    if (!plan.modelFolder.empty() && (forecast.fit != nullptr || diskBytesPerStep(plan) > 0))
        forecast.disk = files.disks.of(plan.modelFolder);
    forecast.plan = std::move(made);
}

/// Counts the prompt's tokens, as its text encoder gets them, and those of the parts of a prompt that has
/// any.
void tellPrompt(const Project& project, OpenedFiles& files, ProjectForecast& forecast) {
    const std::filesystem::path& folder = forecast.plan->modelFolder;
    if (!project.prompt.empty())
        for (const std::string& text : spokenPrompt(project, project.prompt).texts)
            if (const auto tokens = files.counter.count(text, folder))
                forecast.promptTokens = std::max(forecast.promptTokens.value_or(0), *tokens);
    if (const SpokenPrompt& first = forecast.plan->prompts.front(); first.isTimed() || first.texts.size() > 1)
        forecast.promptParts = files.prompts.parts(project, folder);
}

/// Reports a refusal that concerns no project key, and what its model says at its key if that can be read.
void tellRefusal(const Project& project, const Error& refused, int ranks, ProjectForecast& forecast) {
    forecast.obstacle = refused.problem();
    forecast.refusal = refused.kind();
    if (forecast.model == nullptr)
        return tellUnusableModel(project, refused, false, ranks, forecast);
    tell(forecast, problemsOnInstalledModel(project, ranks));
    const bool isNamed = refused.problem().id != ProblemId();  // others say those by names of their own
    if (isNamed || !hasErrors(forecast.problems))
        tell(forecast, {refused.problem()});
}

/// Returns the project as its run says it: with words drawn for its wildcards, or as it is written where that
/// cannot be, which is reported.
Project spokenProject(const Project& project, ProjectForecast& forecast) {
    DrawnWords drawn = drawWords(project);
    tell(forecast, std::move(drawn.problems));
    if (!namesWildcards(project) || namesWildcards(drawn.project))
        return std::move(drawn.project);
    const std::vector<BatchItem> written = batchItems(project);
    const std::vector<BatchItem> said = batchItems(drawn.project);
    const auto [was, is] = std::ranges::mismatch(written, said, {}, &BatchItem::prompt, &BatchItem::prompt);
    const bool isPrompt = was != written.end() && is != said.end();
    const Sentence words = isPrompt ? Sentence(is->prompt) : Sentence(drawn.project.negativePrompt);
    const Seed seed = written.front().seed;
    forecast.notes.push_back(
        {.id = "wildcards-drawn",
         .severity = Severity::Note,
         .key = !isPrompt                      ? "negative_prompt"
                : project.batchPrompts.empty() ? "prompt"
                                               : "batch_prompts",
         .message = seed ? sentence("Seed {} draws: {}", seedText(seed), words)
                         : sentence("Each run draws by its own seed, for example: {}", words)});
    return std::move(drawn.project);
}

}  // namespace

std::shared_ptr<OpenedFiles> noOpenedFiles() {
    return std::make_shared<OpenedFiles>();
}

ProjectForecast makeForecast(const Project& project, const ForecastOptions& options) {
    OpenedFiles files;
    return makeForecast(project, options, files);
}

ProjectForecast makeForecast(const Project& project, const ForecastOptions& options, OpenedFiles& files) {
    ProjectForecast forecast;
    forecast.basis = options.basis;
    forecast.target = options.target;
    tell(forecast, check(project));
    const Project spoken = spokenProject(project, forecast);
    Project planned = spoken;
    if (planned.prompt.empty())
        planned.prompt = "-";  // what a prompt says changes nothing of the plan
    readProjectHosts(project, forecast);
    const int ranks = countRanks(forecast, options);
    const bool areRanksKnown = options.ranks || project.hosts.empty() || !forecast.hosts.empty();
    inspectInputFiles(project, files.inputs, forecast);
    const PlanOptions planning{.ranks = ranks,
                               .workers = options.workers,
                               .oversubscribe = options.oversubscribe || !areRanksKnown,
                               .measuresMagRatios = options.measuresMagRatios,
                               .model = loadProjectModel(planned, ranks, forecast),
                               .runsFolder = options.runsFolder};
    try {
        tellPlan(planned, planning, planOf(planned, planning, forecast), files, forecast);
        tell(forecast,
             files.inputs.clipProblems(project, forecast.plan->takenFrames(), forecast.plan->clipCount()));
        if (std::optional<InputNote> note =
                files.inputs.trackNote(project, static_cast<std::size_t>(forecast.plan->trackPoints())))
            tellNote(forecast, *std::move(note));
        if (!forecast.plan->modelFolder.empty())
            tellPrompt(spoken, files, forecast);
    } catch (const ProjectError& error) {
        tell(forecast, error.problems());
        tell(forecast, problemsOnInstalledModel(planned, ranks));
    } catch (const Error& refused) {
        tellRefusal(planned, refused, ranks, forecast);
    } catch (...) {
        forecast.obstacle = currentProblem();
        forecast.refusal = ErrorKind::Internal;
        tell(forecast, {*forecast.obstacle});
    }
    if (forecast.target != nullptr)
        foresee(planned, planning, forecast);
    return forecast;
}

namespace {

/// Returns whether the other findings are about another project than was meant.
bool hidesOthers(const Problem& problem) {
    return problem.severity == Severity::Error && problem.id != ProblemId("prompt-empty");
}

bool isOfModelAlone(const Problem& problem) {
    return problem.id == ProblemId("model-unusable") && problem.involved.empty();
}

}  // namespace

std::vector<Problem> listProblems(const LoadedProject& read, std::vector<Problem> found) {
    std::vector<Problem> all = read.problems;
    if (std::ranges::any_of(all, hidesOthers))
        std::erase_if(found, [](const Problem& problem) { return !isOfModelAlone(problem); });
    for (Problem& problem : found)
        if (!problem.key.empty() || problem.place.file.empty())
            read.locate(problem);
    addUnknown(all, std::move(found));
    putInFileOrder(all);
    putErrorsFirst(all);
    return all;
}

std::vector<Problem> listProblems(const Project& project, std::vector<Problem> found) {
    LoadedProject unread;
    unread.project = project;
    return listProblems(unread, std::move(found));
}

std::vector<Problem> listProblems(const MaxDiffusionImport& imported) {
    std::vector<Problem> all = imported.problems;
    addUnknown(all, missingModelProblems(imported.project));
    putErrorsFirst(all);
    return all;
}

namespace {

/// What a project names its model by.
auto modelNames(const Project& project) {
    return std::tie(project.model, project.transformerFile, project.transformer2File, project.textEncoderFile,
                    project.vaeFile, project.previewFile, project.imageEncoderFile, project.audioEncoderFile,
                    project.tokenizerFile);
}

}  // namespace

std::vector<Problem> problemsOfVariant(const Project& variant, const Project& base,
                                       const ProjectForecast& examined) {
    const bool hasItsModel = modelNames(variant) == modelNames(base);
    const int ranks = std::max(1, countSlots(examined.hosts));
    std::vector<Problem> problems =
        check(variant, hasItsModel ? examined.model.get() : nullptr, std::optional(ranks));
    if (!hasErrors(problems))
        addUnknown(problems, loadProblems(variant, ranks, availableCpus()));
    return listProblems(variant, std::move(problems));
}

bool isShortOfMemory(const Problem& problem) {
    return problem.id == ProblemId("memory-short");
}

bool isOfThisMachine(const Problem& problem) {
    constexpr std::array<ProblemId, 5> limits{"memory-short", "disk-short", "devices-too-many",
                                              "gpu-not-here", "gpus-for-one-device"};
    return problem.severity == Severity::Error && std::ranges::find(limits, problem.id) != limits.end();
}

bool areObstacles(std::span<const Problem> problems, const TargetHardware* target) {
    return std::ranges::any_of(problems, [&](const Problem& problem) {
        return problem.severity == Severity::Error && (target == nullptr || !isOfThisMachine(problem));
    });
}

}  // namespace meshreel

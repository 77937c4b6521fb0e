// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/project_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/catalogue/model_facts.h"
#include "engine/mesh/machine_load.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/planning/video_shape.h"
#include "engine/project/input_files.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"
#include "engine/text/prompt_cleaning.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::string_view modelKey = "pretrained_model_name_or_path";

// The task.

bool contains(std::span<const std::string_view> keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
}

bool isGiven(const Project& project, std::string_view key) {
    return !(project.*findInputKey(key)->member).empty();
}

WanTask taskOfInputs(const Project& project, const ModelFamily& family) {
    if (family.tasks.size() == 1)
        return family.tasks.front();
    if (family.traits.animates)
        return isGiven(project, "background_video") ? WanTask::Replacement : WanTask::Animation;
    if (isGiven(project, "last_image"))
        return WanTask::FirstLastFrame;
    if (isGiven(project, "image"))
        return WanTask::ImageToVideo;
    if (isGiven(project, "video"))
        return WanTask::VideoToVideo;
    return family.tasks.front();
}

bool claims(const WanTaskRow& task, std::string_view key) {
    return contains(task.needs, key) || contains(task.takes, key) || contains(task.settings, key);
}

/// The key that made the task: the task's own, or the input that it follows from.
std::string keyToBlame(const Project& project, const WanTaskRow& task) {
    if (project.task != automaticTask || task.needs.empty())
        return "task";
    return std::string(task.needs.back());
}

}  // namespace

TaskChoice chooseTask(const Project& project, const ModelFamily& family) {
    const WanTaskRow* named = findWanTask(project.task);
    TaskChoice choice{.task = named != nullptr ? named->task : taskOfInputs(project, family), .problems = {}};
    const WanTaskRow& task = rowOf(choice.task);
    if (!offers(family, choice.task)) {
        choice.problems.push_back(
            {.key = keyToBlame(project, task),
             .message = sentence("The model ({}) does not do {} ({})", tableText(family.title), task.name,
                                 tableText(task.title)),
             .hint = sentence("It does {}; {} is done by {}", taskNames(family), task.name,
                              familyTitles(choice.task))});
        return choice;
    }
    for (const std::string_view key : task.needs)
        if (!isGiven(project, key))
            choice.problems.push_back(
                {.key = "task",
                 .message = sentence("{} ({}) needs {}", tableText(task.title), task.name, key),
                 .hint = sentence("Name a file: {}: PATH", key)});
    for (const InputKey& input : inputKeys())
        if (isGiven(project, input.name) && !claims(task, input.name))
            choice.problems.push_back({.key = std::string(input.name),
                                       .message = sentence("{} is not used by {} ({})", input.name,
                                                           tableText(task.title), task.name),
                                       .hint = sentence("Remove the line, or choose another task")});
    if (choice.task == WanTask::VaceEditing && isGiven(project, "mask") && !isGiven(project, "video"))
        choice.problems.push_back({.key = "mask",
                                   .message = sentence("mask is given without the video that it belongs to"),
                                   .hint = sentence("Name the video, too: video: PATH")});
    return choice;
}

bool mayRead(const Project& project, const ModelFamily& family, std::string_view key) {
    const auto claimed = [&](const WanTaskRow& task) { return claims(task, key); };
    if (std::ranges::none_of(wanTasks(), claimed))
        return true;
    if (const WanTaskRow* named = findWanTask(project.task))
        return claimed(*named);
    return std::ranges::any_of(family.tasks, [&](WanTask task) { return claimed(rowOf(task)); });
}

namespace {

// Warnings and notes of a plan.

ProjectProblem warning(std::string key, Sentence message, std::vector<KeyChanges> cures = {}) {
    return {.severity = Severity::Warning,
            .key = std::move(key),
            .message = std::move(message),
            .cures = std::move(cures)};
}

/// What is worth knowing about the files of a project's model, at the keys that name them.
std::vector<ProjectProblem> modelFileWarnings(const Project& project, const ModelFacts& model) {
    std::vector<ProjectProblem> warnings;
    for (const PartRemark& remark : model.remarks) {
        const bool isAsked = askedFile(project, remark.part) != nullptr;
        warnings.push_back(warning(isAsked ? "parts." + remark.part : std::string(modelKey), remark.message));
    }
    return warnings;
}

/// A frame rate that was left at the project's default, on a model that makes videos of another.
std::optional<ProjectProblem> frameRateWarning(const RunPlan& plan) {
    const double own = plan.model.family->defaults.fps;
    if (plan.project.fps != Project().fps || own == plan.project.fps)
        return std::nullopt;
    return warning("fps",
                   sentence("fps is {}, and the model ({}) makes {} frames a second", plan.project.fps,
                            tableText(plan.model.family->title), own),
                   {{{.key = "fps", .value = fmt::format("{}", own)}}});
}

std::optional<ProjectProblem> stepCacheWarning(const RunPlan& plan) {
    if (plan.stepCache.warning.empty())
        return std::nullopt;
    return warning("use_magcache", plan.stepCache.warning);
}

Sentence oversubscription(int devices, int workersPerDevice, int cpus) {
    const Sentence shared = cpus == 1 ? sentence("{} CPU", cpus) : sentence("{} CPUs", cpus);
    if (devices == 1)
        return sentence("{} workers share {}; more workers than CPUs are slower", workersPerDevice, shared);
    if (workersPerDevice == 1)
        return sentence("{} devices of {} worker share {}; more workers than CPUs are slower", devices,
                        workersPerDevice, shared);
    return sentence("{} devices of {} workers share {}; more workers than CPUs are slower", devices,
                    workersPerDevice, shared);
}

std::optional<ProjectProblem> oversubscriptionWarning(const RunPlan& plan, int cpus) {
    const int devices = plan.devicesPerRank();
    if (devices * plan.workersPerDevice <= cpus)
        return std::nullopt;
    return warning(plan.workersPerDevice > 1 ? "workers" : "devices",
                   oversubscription(devices, plan.workersPerDevice, cpus));
}

std::optional<ProjectProblem> memoryWarning(const RunPlan& plan) {
    constexpr double tight = 0.9;
    if (static_cast<double>(plan.memory.peak()) <= tight * static_cast<double>(plan.memory.available))
        return std::nullopt;
    return warning("memory_budget",
                   sentence("The run takes about {} of the {} of memory that are available",
                            formatBytes(plan.memory.peak()), formatBytes(plan.memory.available)));
}

/// The first few of the collapsed names, and how many more there are.
Sentence fewNames(std::span<const std::string> names) {
    constexpr std::size_t few = 6;
    std::vector<std::string> shown = collapsedNames(names);
    const std::size_t all = shown.size();
    shown.resize(std::min(all, few));
    const std::string list = fmt::format("{}", fmt::join(shown, ", "));
    return all > few ? sentence("{} and {} more", list, all - few) : Sentence(list);
}

}  // namespace

std::vector<ProjectProblem> planWarnings(const RunPlan& plan, int cpus) {
    std::vector<ProjectProblem> warnings = modelFileWarnings(plan.project, plan.model);
    for (std::optional<ProjectProblem> found : {frameRateWarning(plan), stepCacheWarning(plan),
                                                oversubscriptionWarning(plan, cpus), memoryWarning(plan)})
        if (found)
            warnings.push_back(std::move(*found));
    return warnings;
}

AdapterFindings adapterFindings(const RunPlan& plan) {
    AdapterFindings findings;
    const std::string key = plan.presetAdapters ? "preset" : "lora";
    for (const PlannedAdapter& planned : plan.adapters) {
        for (const Sentence& warning : planned.adapter->warnings())
            findings.warnings.push_back(
                {.severity = Severity::Warning,
                 .key = key,
                 .message = sentence("{}: {}", planned.adapter->path().filename().string(), warning)});
        const Sentence headline = adapterHeadline(planned);
        const Sentence changes = sentence("Changes {}", fewNames(planned.adapter->changedNames()));
        const std::vector<std::string>& unmatched = planned.adapter->unmatchedKeys();
        if (unmatched.empty())
            findings.notes.push_back({.key = key, .message = headline, .detail = changes});
        else
            findings.warnings.push_back(
                {.severity = Severity::Warning,
                 .key = key,
                 .message = headline,
                 .hint = sentence("{}; fits nothing: {}", changes, fewNames(unmatched))});
    }
    return findings;
}

namespace {

// Prompts that are cut.

struct NamedPrompt {
    std::string key;
    Sentence name;
    std::string text;
};

bool readsNegativePrompt(const Project& project) {
    return std::max({project.guidanceScale, project.guidanceScaleHigh, project.guidanceScaleLow}) > 1.0;
}

std::vector<NamedPrompt> promptsOf(const Project& project) {
    std::vector<NamedPrompt> prompts;
    const std::string key = project.batchPrompts.empty() ? "prompt" : "batch_prompts";
    for (const BatchItem& item : batchItems(project)) {
        if (std::ranges::find(prompts, item.prompt, &NamedPrompt::text) != prompts.end())
            continue;  // with another seed
        const Sentence name = project.batchPrompts.empty()
                                  ? Sentence(key)
                                  : sentence("prompt {} of batch_prompts", prompts.size() + 1);
        prompts.push_back({key, name, item.prompt});
    }
    if (readsNegativePrompt(project))
        prompts.push_back({"negative_prompt", "negative_prompt", project.negativePrompt});
    return prompts;
}

/// A token stands for a byte at least; cleaning makes at most 11 bytes of one (NFKC of U+FDFA).
bool mayBeCut(const std::string& text, std::int64_t maxSequenceLength) {
    constexpr std::size_t frame = 2;  // eos, and the mark of a word's beginning
    constexpr std::size_t expansion = 11;
    const bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return text.size() * (ascii ? 1 : expansion) + frame > static_cast<std::size_t>(maxSequenceLength);
}

ProjectProblem cutPrompt(const NamedPrompt& prompt, const Tokenizer::Cut& cut, const Project& project) {
    const std::int64_t trained = Project().maxSequenceLength;
    ProjectProblem problem{
        .severity = Severity::Warning,
        .key = prompt.key,
        .message = sentence("{} has {} tokens, of which {} are used: it is cut before \"{}\"", prompt.name,
                            cut.tokens, project.maxSequenceLength, cut.leftOut),
        .hint = sentence("Shorten it")};
    if (project.maxSequenceLength < trained) {
        problem.hint = sentence("Shorten it, or set max_sequence_length: {}", trained);
        problem.cures = {{{.key = "max_sequence_length", .value = std::to_string(trained)}}};
    }
    return problem;
}

}  // namespace

std::vector<ProjectProblem> cutPrompts(const Project& project, const Tokenizer& tokenizer) {
    std::vector<ProjectProblem> found;
    for (const NamedPrompt& prompt : promptsOf(project))
        if (mayBeCut(prompt.text, project.maxSequenceLength))
            if (const auto cut = tokenizer.findCut(cleanPrompt(prompt.text), project.maxSequenceLength))
                found.push_back(cutPrompt(prompt, *cut, project));
    return found;
}

std::shared_ptr<const Tokenizer> PromptLengths::open(const fs::path& folder) {
    std::error_code failure;
    fs::file_time_type written = fs::last_write_time(folder / "tokenizer.json", failure);
    if (failure)
        written = fs::last_write_time(folder / "spiece.model", failure);
    Opened& opened = m_opened[folder];
    if (!opened.tokenizer || opened.written != written)
        opened = {written, std::make_shared<const Tokenizer>(Tokenizer::open(folder))};
    return opened.tokenizer;
}

std::vector<ProjectProblem> PromptLengths::warnings(const Project& project, const fs::path& modelFolder) {
    if (modelFolder.empty() || std::ranges::none_of(promptsOf(project), [&](const NamedPrompt& prompt) {
            return mayBeCut(prompt.text, project.maxSequenceLength);
        }))
        return {};
    try {
        const std::scoped_lock lock(m_mutex);
        return cutPrompts(project, *open(modelFolder / "tokenizer"));
    } catch (const Error&) {
        return {};  // planning says what is wrong with the model
    }
}

namespace {

// A project on its model.

/// What is asked of a second transformer that is not there, or left open where it is.
std::vector<ProjectProblem> expertProblems(const Project& project, const ModelFacts& model) {
    std::vector<ProjectProblem> problems;
    const bool two = model.experts() == 2;
    const auto refuseForOne = [&](const std::string& key, double value) {
        if (!two && value > 0)
            problems.push_back(
                {.key = key,
                 .message = sentence("{} is for models with two transformers, and this has one", key),
                 .hint = sentence("Remove the line, or use guidance_scale")});
    };
    refuseForOne("guidance_scale_high", project.guidanceScaleHigh);
    refuseForOne("guidance_scale_low", project.guidanceScaleLow);
    refuseForOne("boundary_ratio", project.boundaryRatio);
    if (two && project.boundaryRatio == 0 && !model.boundaryRatio)
        problems.push_back(
            {.key = "boundary_ratio",
             .message = sentence("the model has two transformers and does not say where the second "
                                 "takes over"),
             .hint = sentence("Write boundary_ratio: 0.875 (Wan 2.2 text to video) or 0.9 "
                              "(image to video)")});
    return problems;
}

/// A scale for each VACE block, or one for all.
std::vector<ProjectProblem> controlProblems(const Project& project, const ModelFacts& model) {
    const auto read = parseNumbers(project.conditioningScale);
    const auto* scales = std::get_if<std::vector<double>>(&read);
    const std::size_t blocks = model.transformer.vaceLayers.size();
    if (blocks == 0 || scales == nullptr || scales->size() == 1 || scales->size() == blocks)
        return {};
    return {{.key = "conditioning_scale",
             .message = sentence("conditioning_scale holds {} numbers, and the model has {} VACE blocks",
                                 scales->size(), blocks),
             .hint = sentence("Write one number for all, or one for each")}};
}

std::vector<ProjectProblem> adapterProblems(const Project& project, const ModelFacts& model,
                                            const fs::path& folder) {
    constexpr std::string_view presetKey = "preset";
    try {
        static_cast<void>(planAdapters(adaptersOf(project, *model.family, folder), folder));
    } catch (const Error& refused) {
        if (refused.where() == presetKey)
            return {{.key = refused.where(), .message = refused.message(), .hint = refused.hint()}};
        return {{.key = "lora",
                 .message = sentence("{}: {}", refused.where(), refused.message()),
                 .hint = refused.hint()}};
    }
    return {};
}

}  // namespace

std::vector<ProjectProblem> modelProblems(const Project& project, const ModelFacts& model,
                                          std::optional<int> ranks) {
    std::vector<ProjectProblem> problems = projectMeshProblems(project, ranks,
                                                               {.heads = model.transformer.heads,
                                                                .headDim = model.transformer.headDim,
                                                                .feedForward = model.transformer.ffnDim});
    std::ranges::move(expertProblems(project, model), std::back_inserter(problems));
    std::ranges::move(controlProblems(project, model), std::back_inserter(problems));
    std::ranges::move(stepCacheProblems(project, model), std::back_inserter(problems));
    std::ranges::move(chooseTask(project, *model.family).problems, std::back_inserter(problems));
    try {
        static_cast<void>(latentShapeOf(project, model));
    } catch (const Error& refused) {
        problems.push_back({.key = refused.where(), .message = refused.message(), .hint = refused.hint()});
    }
    return problems;
}

std::vector<ProjectProblem> loadProblems(const Project& project, int ranks, int cpus) {
    const auto resolved = resolveMesh(meshRequest(project, ranks));
    const auto* layout = std::get_if<MeshLayout>(&resolved);
    if (layout == nullptr)
        return {};
    const std::optional<Overload> overload = deviceOverload(layout->devices() / ranks, cpus);
    if (!overload)
        return {};
    return {{.key = "devices", .message = overload->message, .hint = overload->hint}};
}

void suggestModels(std::vector<ProjectProblem>& problems, const Project& project, const ModelFacts& model) {
    const TaskChoice choice = chooseTask(project, *model.family);
    if (offers(*model.family, choice.task))
        return;
    const auto refused =
        std::ranges::find(problems, choice.problems.front().message, &ProjectProblem::message);
    if (refused == problems.end())
        return;
    const std::vector<std::string> names = installedModelsFor(choice.task);
    if (names.empty())
        return;
    refused->hint = sentence("{}; installed: {}", refused->hint, fmt::to_string(fmt::join(names, ", ")));
    for (const std::string& name : names)
        refused->cures.push_back({{.key = std::string(modelKey), .value = name}});
}

std::vector<ProjectProblem> problemsOnInstalledModel(const Project& project, std::optional<int> ranks) {
    try {
        const fs::path folder = modelFolderOf(project);
        const ModelFacts model = readModelFacts(folder);
        std::vector<ProjectProblem> problems = modelProblems(project, model, ranks);
        suggestModels(problems, project, model);
        std::ranges::move(adapterProblems(project, model, folder), std::back_inserter(problems));
        return problems;
    } catch (const ProjectError& refused) {
        return refused.problems();
    } catch (const Error&) {
        return {};
    }
}

std::vector<ProjectProblem> missingModelProblems(const Project& project) {
    if (isMadeOfFiles(project))
        return {};
    try {
        modelFolderOf(project);
        return {};  // it is here: modelFileProblems() reads it
    } catch (const Error&) {
        // said below, with what a released model of that name allows
    }
    const ProjectModel model = readProjectModel(project);
    if (!model.refused)
        return {};
    ProjectProblem problem = problemOfModel(*model.refused);
    problem.severity = model.isReleased() ? Severity::Warning : Severity::Error;
    return {problem};
}

std::vector<ProjectProblem> modelFileProblems(const Project& project) {
    bool isHere = false;
    try {
        isHere = isMadeOfFiles(project) && !askedParts(project).empty();
        const fs::path folder = modelFolderOf(project);
        isHere = true;
        return modelFileWarnings(project, readModelFacts(folder));
    } catch (const ProjectError& refused) {
        return refused.problems();
    } catch (const Error& refused) {
        return isHere ? std::vector{problemOfModel(refused)} : std::vector<ProjectProblem>();
    }
}

ProjectProblem problemOfModel(const Error& refused) {
    const bool isKey = refused.where().empty() || refused.where() == modelKey;
    return {.key = std::string(modelKey),
            .message = isKey ? refused.message() : sentence("{}: {}", refused.where(), refused.message()),
            .hint = refused.hint()};
}

std::vector<std::string> adapterDescriptions(const Project& project) {
    std::vector<std::string> descriptions;
    if (project.lora.empty() && !wantsDistilledAdapter(project))
        return descriptions;
    try {
        const fs::path folder = modelFolderOf(project);
        const ModelFacts model = readModelFacts(folder);
        for (const PlannedAdapter& planned : planAdapters(adaptersOf(project, *model.family, folder), folder))
            descriptions.push_back(describeAdapter(planned).text());
    } catch (const Error&) {
        return {};
    }
    return descriptions;
}

}  // namespace meshreel

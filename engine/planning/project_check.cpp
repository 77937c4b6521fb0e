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
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/models/families/model_identity.h"
#include "engine/planning/gpu_plan.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/planning/video_shape.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
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
    if (family.traits.trained == TrainedInput::Subjects && isGiven(project, "reference_images"))
        return WanTask::SubjectsToVideo;
    if (family.traits.trained == TrainedInput::Tracks && isGiven(project, "tracks"))
        return WanTask::TracksToVideo;
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
            {.id = "task-not-offered",
             .key = keyToBlame(project, task),
             .message = sentence("The model ({}) does not support {} ({})", tableText(family.title),
                                 task.name, tableText(task.title)),
             .fixes = byHand(sentence("It does {}; {} is done by {}", taskNames(family), task.name,
                                      familyTitles(choice.task)))});
        return choice;
    }
    for (const std::string_view key : task.needs)
        if (!isGiven(project, key))
            choice.problems.push_back(
                {.id = "task-input-missing",
                 .key = "task",
                 .involved = {std::string(key)},
                 .message = sentence("{} ({}) needs {}", tableText(task.title), task.name, key),
                 .fixes = byHand(sentence("Name a file: {}: PATH", key))});
    for (const InputKey& input : inputKeys())
        if (input.kind != InputKind::Sound && isGiven(project, input.name) && !claims(task, input.name))
            choice.problems.push_back({.id = "task-input-unused",
                                       .key = std::string(input.name),
                                       .involved = {"task"},
                                       .message = sentence("{} is not used by {} ({})", input.name,
                                                           tableText(task.title), task.name),
                                       .fixes = byHand(sentence("Remove the line, or choose another task"))});
    if (choice.task == WanTask::VaceEditing && isGiven(project, "mask") && !isGiven(project, "video"))
        choice.problems.push_back({.id = "mask-without-video",
                                   .key = "mask",
                                   .involved = {"video"},
                                   .message = sentence("mask is given without the video that it belongs to"),
                                   .fixes = byHand(sentence("Name the video, too: video: PATH"))});
    return choice;
}

bool guidesImages(const Project& project, const ModelFamily& family) {
    return project.guidanceScale > 1 && project.guidanceScaleImage > 1 &&
           chooseTask(project, family).task == WanTask::SubjectsToVideo;
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

Problem warning(ProblemId id, std::string key, Sentence message, std::vector<Fix> fixes = {}) {
    return {.id = id,
            .severity = Severity::Warning,
            .key = std::move(key),
            .message = std::move(message),
            .fixes = std::move(fixes)};
}

/// What the model was trained with and the project does not give it, at the key that would.
std::optional<Problem> trainedInputWarning(const Project& project, const ModelFamily& family) {
    const TrainedInput trained = family.traits.trained;
    const WanTask task = chooseTask(project, family).task;
    if (trained == TrainedInput::None || task == WanTask::SubjectsToVideo || task == WanTask::TracksToVideo)
        return std::nullopt;
    return warning("trained-input-missing", trained == TrainedInput::Tracks ? "tracks" : "reference_images",
                   describeTrainedInput(trained));
}

/// What is worth knowing about the files of a project's model, at the keys that name them.
std::vector<Problem> modelFileWarnings(const Project& project, const ModelFacts& model) {
    std::vector<Problem> warnings;
    for (const PartRemark& remark : model.remarks) {
        const bool isAsked = askedFile(project, remark.part) != nullptr;
        warnings.push_back(warning("model-files-remark",
                                   isAsked ? "parts." + remark.part : std::string(modelKey), remark.message));
    }
    if (std::optional<Problem> lacking = trainedInputWarning(project, *model.family))
        warnings.push_back(*std::move(lacking));
    std::ranges::move(expertContradictions(project), std::back_inserter(warnings));
    return warnings;
}

/// A frame rate that was left at the project's default, on a model that makes videos of another.
std::optional<Problem> frameRateWarning(const RunPlan& plan) {
    const double own = plan.model.family->defaults.fps;
    if (plan.project.fps != Project().fps || own == plan.project.fps)
        return std::nullopt;
    return warning("frame-rate-differs", "fps",
                   sentence("fps is {}, and the model ({}) makes {} frames a second", plan.project.fps,
                            tableText(plan.model.family->title), own),
                   setKey({}, "fps", {fmt::format("{}", own)}));
}

std::optional<Problem> stepCacheWarning(const RunPlan& plan) {
    if (plan.stepCache.warning.empty())
        return std::nullopt;
    return warning("curve-of-other-model", "use_magcache", plan.stepCache.warning);
}

Sentence oversubscription(int devices, int workersPerDevice, int cpus) {
    const Sentence shared = cpus == 1 ? sentence("{} CPU", cpus) : sentence("{} CPUs", cpus);
    if (devices == 1)
        return sentence("{} workers share {}; running more workers than CPUs slows things down",
                        workersPerDevice, shared);
    if (workersPerDevice == 1)
        return sentence("{} devices of {} worker share {}; running more workers than CPUs slows things down",
                        devices, workersPerDevice, shared);
    return sentence("{} devices of {} workers share {}; running more workers than CPUs slows things down",
                    devices, workersPerDevice, shared);
}

std::optional<Problem> oversubscriptionWarning(const RunPlan& plan, int cpus) {
    const int devices = plan.devicesPerRank();
    if (devices * plan.workersPerDevice <= cpus)
        return std::nullopt;
    return warning("cpus-oversubscribed", plan.workersPerDevice > 1 ? "workers" : "devices",
                   oversubscription(devices, plan.workersPerDevice, cpus));
}

std::optional<Problem> memoryWarning(const RunPlan& plan) {
    constexpr double tight = 0.9;
    if (static_cast<double>(plan.memory.peak()) <= tight * static_cast<double>(plan.memory.available))
        return std::nullopt;
    return warning("memory-tight", "memory_budget",
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

std::vector<Problem> planWarnings(const RunPlan& plan, int cpus) {
    std::vector<Problem> warnings = modelFileWarnings(plan.project, plan.model);
    for (std::optional<Problem> found : {frameRateWarning(plan), stepCacheWarning(plan),
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
                {.id = "adapter-remark",
                 .severity = Severity::Warning,
                 .key = key,
                 .message = sentence("{}: {}", planned.adapter->path().filename().string(), warning)});
        for (const Sentence& remark : planned.remarks)
            findings.warnings.push_back(
                warning("adapter-remark", key,
                        sentence("{}: {}", planned.adapter->path().filename().string(), remark)));
        const Sentence headline = adapterHeadline(planned);
        const Sentence changes = sentence("Changes {}", fewNames(planned.adapter->changedNames()));
        const std::vector<std::string>& unmatched = planned.adapter->unmatchedKeys();
        if (unmatched.empty())
            findings.notes.push_back({.id = "adapter-works",
                                      .severity = Severity::Note,
                                      .key = key,
                                      .message = headline,
                                      .fixes = byHand(changes)});
        else
            findings.warnings.push_back(
                {.id = "adapter-partly-fits",
                 .severity = Severity::Warning,
                 .key = key,
                 .message = headline,
                 .fixes = byHand(sentence("{}; fits nothing: {}", changes, fewNames(unmatched)))});
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

std::vector<NamedPrompt> listPrompts(const Project& project) {
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

/// A token stands for at least one byte; cleaning makes at most 11 bytes from one (NFKC of U+FDFA).
bool mayBeCut(const std::string& text, std::int64_t maxSequenceLength) {
    constexpr std::size_t frame = 2;  // eos, and the mark of a word's beginning
    constexpr std::size_t expansion = 11;
    const bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return text.size() * (ascii ? 1 : expansion) + frame > static_cast<std::size_t>(maxSequenceLength);
}

Problem cutPrompt(const NamedPrompt& prompt, const Tokenizer::Cut& cut, const Project& project) {
    const std::int64_t trained = Project().maxSequenceLength;
    Problem problem{.id = "prompt-cut",
                    .severity = Severity::Warning,
                    .key = prompt.key,
                    .message = sentence("{} has {} tokens, of which {} are used: it is cut before \"{}\"",
                                        prompt.name, cut.tokens, project.maxSequenceLength, cut.leftOut),
                    .fixes = byHand(sentence("Shorten it"))};
    if (project.maxSequenceLength < trained) {
        problem.fixes = setKey(sentence("Shorten it, or set max_sequence_length: {}", trained),
                               "max_sequence_length", {std::to_string(trained)});
    }
    return problem;
}

}  // namespace

std::vector<Problem> cutPrompts(const Project& project, const Tokenizer& tokenizer) {
    std::vector<Problem> found;
    for (const NamedPrompt& prompt : listPrompts(project))
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

std::vector<Problem> PromptLengths::warnings(const Project& project, const fs::path& modelFolder) {
    if (modelFolder.empty() || std::ranges::none_of(listPrompts(project), [&](const NamedPrompt& prompt) {
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

/// Returns what is asked of a second transformer that is not there, or left open when it is.
std::vector<Problem> expertProblems(const Project& project, const ModelFacts& model) {
    std::vector<Problem> problems;
    const bool two = model.experts() == 2;
    const auto refuseForOne = [&](const std::string& key, double value) {
        if (!two && value > 0)
            problems.push_back(
                {.id = "expert-missing",
                 .key = key,
                 .involved = {"guidance_scale"},
                 .message = sentence("{} is for models with two transformers, and this has one", key),
                 .fixes = setKey(sentence("Remove the line, or use guidance_scale"), key, {"0.0"})});
    };
    refuseForOne("guidance_scale_high", project.guidanceScaleHigh);
    refuseForOne("guidance_scale_low", project.guidanceScaleLow);
    refuseForOne("boundary_ratio", project.boundaryRatio);
    if (two && project.boundaryRatio == 0 && !model.boundaryRatio)
        problems.push_back(
            {.id = "boundary-unknown",
             .key = "boundary_ratio",
             .message = sentence("the model has two transformers and does not say where the second "
                                 "takes over"),
             .fixes = setKey(sentence("Write boundary_ratio: 0.875 (Wan 2.2 text to video) or 0.9 "
                                      "(image to video)"),
                             "boundary_ratio", {"0.875", "0.9"})});
    return problems;
}

/// More pictures than Phantom was made for, and its scale where no Phantom reads it.
std::vector<Problem> subjectProblems(const Project& project, const ModelFacts& model) {
    constexpr std::string_view pictures = "reference_images";
    constexpr std::string_view scale = "guidance_scale_image";
    constexpr std::int64_t most = 4;
    const double usual = Project().guidanceScaleImage;
    const WanTaskRow& task = rowOf(chooseTask(project, *model.family).task);
    if (task.task != WanTask::SubjectsToVideo) {
        if (project.guidanceScaleImage == usual)
            return {};
        return {{.id = "task-setting-unused",
                 .key = std::string(scale),
                 .involved = {"task"},
                 .message = sentence("{} is for Phantom's reference_images, and {} ({}) has none of them",
                                     scale, tableText(task.title), task.name),
                 .fixes = setKey(sentence("Remove the line, or use Phantom with reference_images"), scale,
                                 {fmt::format("{:.1f}", usual)})}};
    }
    const std::vector<std::string> files = inputFiles(project, *findInputKey(pictures));
    if (std::ssize(files) <= most)
        return {};
    return {{.id = "references-too-many",
             .key = std::string(pictures),
             .message =
                 sentence("{} names {} pictures, and Phantom takes {} at most", pictures, files.size(), most),
             .fixes = setKey(sentence("Leave out the last ones"), pictures,
                             {fmt::format("{}", fmt::join(std::span(files).first(most), ", "))})}};
}

/// A scale for each VACE block, or one for all.
std::vector<Problem> controlProblems(const Project& project, const ModelFacts& model) {
    const auto read = parseNumbers(project.conditioningScale);
    const auto* scales = std::get_if<std::vector<double>>(&read);
    const std::size_t blocks = model.transformer.vaceLayers.size();
    if (blocks == 0 || scales == nullptr || scales->size() == 1 || scales->size() == blocks)
        return {};
    return {{.id = "control-scales-differ",
             .key = "conditioning_scale",
             .message = sentence("conditioning_scale holds {} numbers, and the model has {} VACE blocks",
                                 scales->size(), blocks),
             .fixes = byHand(sentence("Write one number for all, or one for each"))}};
}

std::vector<Problem> adapterProblems(const Project& project, const ModelFacts& model,
                                     const fs::path& folder) {
    constexpr std::string_view presetKey = "preset";
    try {
        const bool isOfPreset = wantsDistilledAdapter(project);
        std::vector<Problem> remarks;
        for (const PlannedAdapter& planned :
             planAdapters(readAdapters(project, *model.family, folder), folder))
            for (const Sentence& remark : planned.remarks)
                remarks.push_back(
                    warning("adapter-remark", std::string(isOfPreset ? presetKey : "lora"),
                            sentence("{}: {}", planned.adapter->path().filename().string(), remark)));
        return remarks;
    } catch (const Error& refused) {
        const bool isOfPreset = refused.where() == presetKey;
        Problem problem = atKey(isOfPreset ? presetKey : "lora", atPlace({}, refused.problem()));
        problem.id = "adapter-unusable";
        if (!isOfPreset)
            problem.message = sentence("{}: {}", refused.where(), refused.message());
        return {std::move(problem)};
    }
    return {};
}

/// A task that begins with pictures, on a VAE that only decodes.
std::optional<Problem> encoderProblem(const Project& project, const ModelFacts& model) {
    const WanTaskRow& task = rowOf(chooseTask(project, *model.family).task);
    if (model.vae.encodes() || task.task == WanTask::TextToVideo)
        return std::nullopt;
    return Problem{.id = "model-unusable",
                   .key = "parts.vae",
                   .involved = {"task"},
                   .message = sentence("The VAE is a small decoder (TAEHV), and {} ({}) encodes pictures",
                                       tableText(task.title), task.name),
                   .fixes = byHand(sentence(
                       "Use the VAE of the model; a small decoder can make the previews: parts.preview"))};
}

/// One picture at the beginning and another at the end, or points on their way.
std::optional<Problem> lengthProblem(const Project& project, const ModelFacts& model) {
    constexpr std::int64_t fewestFrames = 5;
    const WanTaskRow& task = rowOf(chooseTask(project, *model.family).task);
    const bool needsMore = task.task == WanTask::FirstLastFrame || task.task == WanTask::TracksToVideo;
    if (!needsMore || project.numFrames >= fewestFrames)
        return std::nullopt;
    return Problem{.id = "value-below-least",
                   .key = "num_frames",
                   .involved = {"task"},
                   .message = sentence("{} ({}) makes {} frames at least", tableText(task.title), task.name,
                                       fewestFrames),
                   .fixes = setKey({}, "num_frames", {std::to_string(fewestFrames)})};
}

std::vector<Problem> modelProblems(const Project& project, const ModelFacts& model,
                                   std::optional<int> ranks) {
    std::vector<Problem> problems = projectMeshProblems(project, ranks,
                                                        {.heads = model.transformer.heads,
                                                         .headDim = model.transformer.headDim,
                                                         .feedForward = model.transformer.ffnDim});
    std::ranges::move(expertProblems(project, model), std::back_inserter(problems));
    std::ranges::move(controlProblems(project, model), std::back_inserter(problems));
    std::ranges::move(subjectProblems(project, model), std::back_inserter(problems));
    std::ranges::move(stepCacheProblems(project, model), std::back_inserter(problems));
    std::ranges::move(gpuProblems(project, model, ranks), std::back_inserter(problems));
    std::ranges::move(chooseTask(project, *model.family).problems, std::back_inserter(problems));
    for (std::optional<Problem>& problem :
         std::array{encoderProblem(project, model), lengthProblem(project, model)})
        if (problem)
            problems.push_back(*std::move(problem));
    try {
        static_cast<void>(computeLatentShape(project, model));
    } catch (const Error& refused) {
        problems.push_back(refused.problem());
    }
    return problems;
}

/// Returns the devices that the project's mesh has in all; nothing when it is not a mesh.
std::optional<int> countDevices(const Project& project, int ranks) {
    const auto resolved = resolveMesh(meshRequest(project, ranks));
    const auto* layout = std::get_if<MeshLayout>(&resolved);
    return layout != nullptr ? std::optional(layout->devices()) : std::nullopt;
}

/// The keys that ask for more than one device, with what they ask for.
std::vector<std::pair<std::string, std::int64_t>> keysOfDevices(const Project& project) {
    std::vector<std::pair<std::string, std::int64_t>> keys;
    if (project.devices > 1)
        keys.emplace_back("devices", project.devices);
    const MeshRequest request = meshRequest(project);
    for (const MeshLevel level : {MeshLevel::Ici, MeshLevel::Dcn})
        for (const MeshAxis axis : meshAxes)
            if (const int extent = (level == MeshLevel::Ici ? request.ici : request.dcn).extent(axis);
                extent > 1)
                keys.emplace_back(axisKey(level, axis), extent);
    return keys;
}

/// Returns, for each key that asks for devices, the largest value with which `most` of them are enough.
std::vector<Fix> fewerDevices(const Project& project, int ranks, int most, Sentence words) {
    std::vector<Fix> fixes = byHand(std::move(words));
    for (const auto& [key, asked] : keysOfDevices(project))
        for (std::int64_t value = std::min<std::int64_t>(asked - 1, most); value >= 1; --value) {
            Project changed = project;
            setFromText(changed, *findProjectKey(key), fmt::to_string(value));
            const std::optional<int> devices = countDevices(changed, ranks);
            if (!devices || *devices > most || hasErrors(validate(changed)))
                continue;
            if (!fixes.front().changes.empty())
                fixes.emplace_back();
            fixes.back().changes = {{.key = key, .value = fmt::to_string(value)}};
            break;
        }
    return fixes;
}

void suggestModels(std::vector<Problem>& problems, const Project& project, const ModelFacts& model) {
    const auto refused = std::ranges::find(problems, ProblemId("task-not-offered"), &Problem::id);
    if (refused == problems.end())
        return;
    const std::vector<std::string> names = installedModelsFor(chooseTask(project, *model.family).task);
    if (names.empty())
        return;
    const Sentence hint =
        sentence("{}; installed: {}", refused->hint(), fmt::to_string(fmt::join(names, ", ")));
    refused->fixes = setKey(hint, modelKey, names);
}

}  // namespace

void addUnknown(std::vector<Problem>& problems, std::vector<Problem> more) {
    std::erase_if(more, [&](const Problem& problem) { return hasFault(problems, problem); });
    std::ranges::move(more, std::back_inserter(problems));
}

std::vector<Problem> loadProblems(const Project& project, int ranks, int cpus) {
    const std::optional<int> devices = countDevices(project, ranks);
    if (!devices)
        return {};
    std::optional<Problem> overload = deviceOverload(*devices / ranks, cpus);
    if (!overload)
        return {};
    overload->fixes = fewerDevices(project, ranks, deviceLimit(cpus) * ranks, overload->hint());
    return {*std::move(overload)};
}

std::vector<Problem> check(const Project& project, const ModelFacts* model, std::optional<int> ranks) {
    std::vector<Problem> problems = validate(project);
    if (model != nullptr && !hasErrors(problems)) {
        std::vector<Problem> onModel = modelProblems(project, *model, ranks);
        suggestModels(onModel, project, *model);
        addUnknown(problems, std::move(onModel));
    }
    putErrorsFirst(problems);
    return problems;
}

std::vector<Problem> problemsOnInstalledModel(const Project& project, std::optional<int> ranks) {
    try {
        const fs::path folder = modelFolderOf(project);
        const ModelFacts model = readModelFacts(folder);
        std::vector<Problem> problems = modelProblems(project, model, ranks);
        suggestModels(problems, project, model);
        std::ranges::move(adapterProblems(project, model, folder), std::back_inserter(problems));
        return problems;
    } catch (const ProjectError& refused) {
        return refused.problems();
    } catch (const Error&) {
        return {};
    }
}

std::vector<Problem> missingModelProblems(const Project& project) {
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
    Problem problem = problemOfModel(*model.refused);
    problem.severity = model.isReleased() ? Severity::Warning : Severity::Error;
    return {problem};
}

Problem problemOfModel(const Error& refused) {
    const bool isKey = refused.where().empty() || refused.where() == modelKey;
    Problem problem = atKey(modelKey, refused.problem());
    problem.id = "model-unusable";
    if (!isKey)
        problem.message = sentence("{}: {}", refused.where(), refused.message());
    problem.place = {};
    return problem;
}

std::vector<std::string> adapterDescriptions(const Project& project) {
    std::vector<std::string> descriptions;
    if (project.lora.empty() && !wantsDistilledAdapter(project))
        return descriptions;
    try {
        const fs::path folder = modelFolderOf(project);
        const ModelFacts model = readModelFacts(folder);
        for (const PlannedAdapter& planned :
             planAdapters(readAdapters(project, *model.family, folder), folder))
            descriptions.push_back(describeAdapter(planned).text());
    } catch (const Error&) {
        return {};
    }
    return descriptions;
}

}  // namespace meshreel

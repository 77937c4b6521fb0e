// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/project_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/asked_parts.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/checks/context_window_check.h"
#include "engine/checks/control_check.h"
#include "engine/checks/finish_check.h"
#include "engine/checks/gpu_check.h"
#include "engine/checks/keyframe_plan.h"
#include "engine/checks/sparse_check.h"
#include "engine/checks/step_cache_check.h"
#include "engine/checks/task_choice.h"
#include "engine/estimates/video_shape.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/models/families/model_family.h"
#include "engine/project/input_files.h"
#include "engine/project/numbers.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::string_view modelKey = "pretrained_model_name_or_path";

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

/// Of a key that only some tasks with some inputs read, at another than its usual value.
Problem unreadSetting(std::string_view key, const std::string& usual, const WanTaskRow& task,
                      const Sentence& reader) {
    return {.id = "task-setting-unused",
            .key = std::string(key),
            .involved = {"task"},
            .message = sentence("{} is for {}, and {} ({}) has none of them", key, reader,
                                tableText(task.title), task.name),
            .fixes = setKey(sentence("Remove the line, or use such a model with its inputs"), key, {usual})};
}

/// Settings of Phantom, Bernini-R and S2V where none of them reads them.
std::vector<Problem> settingProblems(const Project& project, const WanTaskRow& task) {
    const Project usual;
    const bool edits = task.task == WanTask::SourcesToVideo;
    const bool shows = (edits || task.task == WanTask::SubjectsToVideo) && !project.referenceImages.empty();
    std::vector<Problem> problems;
    const auto tell = [&](bool isRead, bool isUsual, std::string_view key, const std::string& value,
                          const Sentence& reader) {
        if (!isRead && !isUsual)
            problems.push_back(unreadSetting(key, value, task, reader));
    };
    tell(shows, project.guidanceScaleImage == usual.guidanceScaleImage, "guidance_scale_image",
         fmt::format("{:.1f}", usual.guidanceScaleImage),
         sentence("reference_images of Phantom and Bernini-R"));
    tell(edits && shows && !project.video.empty(), project.guidanceScaleVideo == usual.guidanceScaleVideo,
         "guidance_scale_video", fmt::format("{}", usual.guidanceScaleVideo),
         sentence("a video with reference_images of Bernini-R"));
    tell(edits && shows, project.referenceMaxSize == usual.referenceMaxSize, "reference_max_size",
         std::to_string(usual.referenceMaxSize), sentence("reference_images of Bernini-R"));
    const bool speaks = followsSpeech(task.task);
    tell(speaks, project.audioScale == usual.audioScale, "audio_scale",
         fmt::format("{:.1f}", usual.audioScale), sentence("speech of S2V"));
    tell(speaks, project.lengthBySpeech == usual.lengthBySpeech, "length_by_speech", "true",
         sentence("speech of S2V"));
    return problems;
}

/// More pictures than a model was made for, and settings that nothing reads.
std::vector<Problem> subjectProblems(const Project& project, const ModelFacts& model) {
    constexpr std::string_view pictures = "reference_images";
    constexpr std::int64_t mostOfPhantom = 4;
    constexpr std::int64_t mostOfBernini = 8;  // as ComfyUI's node has places for
    const WanTaskRow& task = rowOf(chooseTask(project, *model.family).task);
    std::vector<Problem> problems = settingProblems(project, task);
    const bool edits = task.task == WanTask::SourcesToVideo;
    const std::int64_t most = edits ? mostOfBernini : mostOfPhantom;
    const std::vector<std::string> files = inputFiles(project, *findInputKey(pictures));
    if ((!edits && task.task != WanTask::SubjectsToVideo) || std::ssize(files) <= most)
        return problems;
    problems.push_back(
        {.id = "references-too-many",
         .key = std::string(pictures),
         .message = sentence("{} names {} pictures, and {} takes {} at most", pictures, files.size(),
                             edits ? std::string_view("Bernini-R") : std::string_view("Phantom"), most),
         .fixes = setKey(
             sentence("Leave out the last ones"), pictures,
             {fmt::format("{}", fmt::join(std::span(files).first(static_cast<std::size_t>(most)), ", "))})});
    return problems;
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
                    {.id = "adapter-remark",
                     .severity = Severity::Warning,
                     .key = std::string(isOfPreset ? presetKey : "lora"),
                     .message = sentence("{}: {}", planned.adapter->path().filename().string(), remark)});
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
    const bool encodes = task.task != WanTask::TextToVideo || !project.continueFrom.empty();
    if (model.vae.encodes() || !encodes)
        return std::nullopt;
    return Problem{.id = "model-unusable",
                   .key = "parts.vae",
                   .involved = {"task"},
                   .message = sentence("The VAE is a small decoder (TAEHV), and {} ({}) encodes pictures",
                                       tableText(task.title), task.name),
                   .fixes = byHand(sentence(
                       "Use the VAE of the model; a small decoder can make the previews: parts.preview"))};
}

/// Each clip after a sound goes on from pictures of the one before, which a batch would have several of.
std::optional<Problem> speechBatchProblem(const Project& project, const ModelFacts& model) {
    const WanTaskRow& task = rowOf(chooseTask(project, *model.family).task);
    if (!followsSpeech(task.task) || batchItems(project).size() < 2)
        return std::nullopt;
    const std::string key = project.batchPrompts.empty() ? "batch_seeds" : "batch_prompts";
    return Problem{
        .id = "batch-too-large",
        .key = key,
        .involved = {"task"},
        .message = sentence("{} ({}) makes one video at a time", tableText(task.title), task.name),
        .fixes = setKey(sentence("Leave it out, and make the others by runs of their own"), key, {""})};
}

/// One picture at the beginning and another at the end, or points on their way.
std::optional<Problem> lengthProblem(const Project& project, const ModelFacts& model) {
    constexpr std::int64_t fewestFrames = 5;
    const WanTaskRow& task = rowOf(chooseTask(project, *model.family).task);
    const bool needsMore = task.task == WanTask::FirstLastFrame || task.task == WanTask::TracksToVideo ||
                           task.task == WanTask::MoveToVideo;
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
    std::ranges::move(controlPictureProblems(project, model), std::back_inserter(problems));
    std::ranges::move(stepCacheProblems(project, model), std::back_inserter(problems));
    std::ranges::move(contextWindowProblems(project, model), std::back_inserter(problems));
    std::ranges::move(keyframeProblems(project, model), std::back_inserter(problems));
    std::ranges::move(sparseAttentionProblems(project, model), std::back_inserter(problems));
    std::ranges::move(gpuProblems(project, model, ranks), std::back_inserter(problems));
    std::ranges::move(finishProblems(project), std::back_inserter(problems));
    std::ranges::move(chooseTask(project, *model.family).problems, std::back_inserter(problems));
    for (std::optional<Problem>& problem :
         std::array{encoderProblem(project, model), lengthProblem(project, model),
                    speechBatchProblem(project, model)})
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
    const bool hasOwnWay = !refused->fixes.front().changes.empty();
    if (names.empty() || hasOwnWay)
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
        const fs::path folder = prepareModelFolder(project);
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
        prepareModelFolder(project);
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
        const fs::path folder = prepareModelFolder(project);
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

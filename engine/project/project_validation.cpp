// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/attention/context_split.h"
#include "engine/base/problem.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/models/families/model_family.h"
#include "engine/project/attention_check.h"
#include "engine/project/input_files.h"
#include "engine/project/numbers.h"
#include "engine/project/presets.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/project/prompt_variants.h"
#include "engine/project/timed_prompt.h"
#include "engine/sampling/context_windows.h"
#include "engine/sampling/step_caches.h"

namespace meshreel {
namespace {

using Problems = std::vector<Problem>;

struct NearestDivisors {
    int below = 1;
    int above = 1;

    /// Returns them as values of a key, the nearer to `wanted` first.
    [[nodiscard]] std::vector<std::string> texts(std::int64_t wanted) const {
        if (below == above)
            return {fmt::to_string(below)};
        if (above - wanted < wanted - below)
            return {fmt::to_string(above), fmt::to_string(below)};
        return {fmt::to_string(below), fmt::to_string(above)};
    }
};

/// Returns the divisors of `number` on both sides of `wanted`; the same twice if there is only one.
NearestDivisors nearestDivisors(int number, std::int64_t wanted) {
    NearestDivisors nearest{.below = 1, .above = number};
    for (int divisor = 1; divisor <= number; ++divisor) {
        if (number % divisor != 0)
            continue;
        if (divisor <= wanted)
            nearest.below = divisor;
        if (divisor >= wanted && divisor < nearest.above)
            nearest.above = divisor;
    }
    return wanted > number ? NearestDivisors{number, number} : nearest;
}

void requireStrips(const Project& project, int devices, Problems& problems) {
    const std::int64_t strips = project.vaeSpatial;
    if (strips < 1 || (strips <= devices && devices % strips == 0))
        return;
    const NearestDivisors nearest = nearestDivisors(devices, strips);
    problems.push_back(
        {.id = "vae-strips-do-not-divide",
         .key = "vae_spatial",
         .message =
             sentence("vae_spatial is {}, which does not divide the {} devices of the mesh", strips, devices),
         .fixes =
             setKey(nearest.below == nearest.above
                        ? sentence("The nearest legal value is {} (-1 takes as many as help)", nearest.below)
                        : sentence("The nearest legal values are {} and {}", nearest.below, nearest.above),
                    "vae_spatial", nearest.texts(strips))});
}

/// The key that makes an axis larger than 1: of the hosts' mesh where only that one has it.
std::string keyOf(const MeshLayout& layout, MeshAxis axis) {
    return axisKey(layout.ici().extent(axis) > 1 ? MeshLevel::Ici : MeshLevel::Dcn, axis);
}

void requireFeedForward(const MeshLayout& layout, const ModelSizes& model, Problems& problems) {
    const int tensor = layout.shape().tensor;
    if (!model.feedForward || *model.feedForward % tensor == 0)
        return;
    const NearestDivisors nearest =
        nearestDivisors(static_cast<int>(std::gcd(*model.feedForward, model.heads.value_or(0))), tensor);
    const std::string key = keyOf(layout, MeshAxis::Tensor);
    problems.push_back(
        {.id = "feed-forward-does-not-divide",
         .key = key,
         .message = sentence("The tensor axis has {} devices, which do not divide the model's {} "
                             "feed-forward features",
                             tensor, *model.feedForward),
         .fixes = setKey(sentence("The nearest sizes that divide its features and heads are {} and {}",
                                  nearest.below, nearest.above),
                         key, nearest.texts(tensor))});
}

/// Rows of the batch for each video, at most: with pictures of Phantom or Bernini-R, where the project could
/// be for it, three, and with Bernini-R's video beside them four. Off is a scale of 1, and for Phantom less.
int rowsOfVideo(const Project& project) {
    constexpr int halves = 2;
    if (project.guidanceScale <= 1.0)
        return 1;
    if (project.referenceImages.empty())
        return halves;
    const auto mayBe = [&](WanTask task) {
        return project.task == automaticTask || project.task == rowOf(task).name;
    };
    if (mayBe(WanTask::SourcesToVideo)) {
        if (!project.video.empty() && project.guidanceScaleVideo != 1.0)
            return halves + 2;
        if (project.guidanceScaleImage != 1.0)
            return halves + 1;
    }
    return mayBe(WanTask::SubjectsToVideo) && project.guidanceScaleImage > 1.0 ? halves + 1 : halves;
}

/// Context windows of a step, by which each row is cut into rows.
int countWindows(const Project& project) {
    const std::int64_t temporalFactor = std::get<IntegerRange>(findProjectKey("num_frames")->range).step;
    const auto windows =
        contextWindows(project, (project.numFrames - 1) / temporalFactor + 1, temporalFactor);
    return windows ? static_cast<int>(windows->ofStep(0).size()) : 1;
}

/// What a batch is made of.
Sentence rowsText(int videos, int rowsOfVideo, int windows) {
    if (windows > 1)
        return sentence("context windows, of each video and of each half of guidance");
    if (videos > 1)
        return sentence("videos and their halves of guidance");
    if (rowsOfVideo > 3)
        return sentence("the four passes of guidance");
    if (rowsOfVideo > 2)
        return sentence("the three passes of guidance");
    return rowsOfVideo > 1 ? sentence("the two halves of guidance") : sentence("one video, no guidance");
}

void noteIdleDevices(const Project& project, const MeshLayout& layout, Problems& problems) {
    const MeshShape shape = layout.shape();
    const int groups = shape.data * shape.fsdp;
    const int ofVideo = rowsOfVideo(project);
    const auto videos = static_cast<int>(batchItems(project).size());
    if (groups <= ofVideo * videos)
        return;
    const int windows = countWindows(project);
    const int rows = ofVideo * videos * windows;
    if (groups <= rows)
        return;
    problems.push_back(
        {.id = "devices-idle",
         .severity = Severity::Warning,
         .key = keyOf(layout, shape.data > 1 ? MeshAxis::Data : MeshAxis::Fsdp),
         .message = sentence("The data and fsdp axes share out a batch of {} ({}) among {} devices; {} "
                             "have no row to compute",
                             rows, rowsText(videos, ofVideo, windows), groups, groups - rows),
         .fixes = byHand(sentence("Give the devices to the context axis, which shares out the sequence"))});
}

void requireAttention(const AttentionSettings& settings, const ModelSizes& model, int contextDevices,
                      int tensorDevices, Problems& problems) {
    std::ranges::move(attentionProblems(settings, model.heads, model.headDim, contextDevices, tensorDevices),
                      std::back_inserter(problems));
}

/// A size of the context axis at which nothing but the settings themselves can be wrong.
int agreeableContext(const AttentionSettings& settings) {
    if (settings.mode->hybrid())
        return std::max(1, settings.ulyssesShards);
    return settings.mode->rotation == Rotation::None ? 1 : 2;
}

/// Returns what is wrong on this mesh and on every larger one that only more processes make of it.
Problems lastingProblems(const Project& project, const MeshLayout& layout, const ModelSizes& model) {
    Problems problems;
    requireFeedForward(layout, model, problems);
    noteIdleDevices(project, layout, problems);
    return problems;
}

/// What of the project cannot run on this mesh or idles on it.
Problems meshProblems(const Project& project, const MeshLayout& layout, const ModelSizes& model) {
    Problems problems = lastingProblems(project, layout, model);
    const MeshShape shape = layout.shape();
    requireAttention(attentionSettings(project), model, shape.context, shape.tensor, problems);
    requireStrips(project, layout.devices(), problems);
    return problems;
}

}  // namespace

std::vector<Problem> projectMeshProblems(const Project& project, std::optional<int> ranks,
                                         const ModelSizes& model) {
    const MeshRequest request = meshRequest(project, ranks.value_or(1));
    const AttentionSettings settings = attentionSettings(project);
    Problems problems;
    auto resolved = resolveMesh(request);
    if (auto* problem = std::get_if<Problem>(&resolved)) {
        problems.push_back(std::move(*problem));
        requireAttention(settings, {}, agreeableContext(settings), 1, problems);
        return problems;
    }
    const MeshLayout& layout = std::get<MeshLayout>(resolved);
    if (ranks || !dependsOnRanks(request))
        return meshProblems(project, layout, model);
    problems = lastingProblems(project, layout, model);
    requireAttention(settings, model, agreeableContext(settings), layout.shape().tensor, problems);
    return problems;
}

int vaeStrips(const Project& project, int devices) {
    // Before each convolution a strip gets a column of each neighbour. Of 832 pixels, 8 strips have 13
    // columns of latents each and get two, 15 % of what they hold; 16 strips get 31 %. Groups of devices
    // divide the videos of a batch instead.
    constexpr int mostThatHelp = 8;
    if (project.vaeSpatial >= 1)
        return static_cast<int>(project.vaeSpatial);
    int nearest = 1;
    for (int strips = 2; strips <= devices; ++strips)
        if (devices % strips == 0 && std::abs(strips - mostThatHelp) < std::abs(nearest - mostThatHelp))
            nearest = strips;
    return nearest;
}

namespace {

double scaleOr(double own, double common) {
    return own > 0 ? own : common;
}

/// Returns whether guidance is off on any model, which needs no model to know.
bool neverGuided(const Project& project) {
    return std::max({project.guidanceScale, project.guidanceScaleHigh, project.guidanceScaleLow}) <= 1;
}

std::vector<Problem> scaleProblems(const Project& project, const StepCacheRow& row, bool twoExperts) {
    const auto problem = [&row](std::string_view key, double scale) {
        return Problem{
            .id = "step-cache-needs-guidance",
            .key = std::string(row.key),
            .involved = {std::string(key)},
            .message = sentence("{} needs {} above 1, and it is {}: {}", row.key, key, scale, row.why),
            .fixes = setKey(sentence("Raise {}, or write {}: false", key, row.key), row.key, {"false"})};
    };
    if (!twoExperts)
        return project.guidanceScale > 1 ? std::vector<Problem>()
                                         : std::vector{problem("guidance_scale", project.guidanceScale)};
    std::vector<Problem> problems;
    const double high = scaleOr(project.guidanceScaleHigh, project.guidanceScale);
    const double low = scaleOr(project.guidanceScaleLow, project.guidanceScale);
    if (high <= 1)
        problems.push_back(problem("guidance_scale_high", high));
    if (low <= 1)
        problems.push_back(problem("guidance_scale_low", low));
    return problems;
}

std::vector<Problem> curveProblems(const Project& project) {
    std::vector<Problem> problems;
    const auto read = parseNumbers(project.magRatiosBase);
    if (const auto* problem = std::get_if<Problem>(&read))
        problems.push_back(valueProblem("mag_ratios_base", *problem));
    else if (!project.magRatiosBase.empty())
        if (const Sentence fault = faultOfMagRatios(std::get<std::vector<double>>(read)); !fault.empty())
            problems.push_back(
                {.id = "curve-malformed",
                 .key = "mag_ratios_base",
                 .message = sentence("mag_ratios_base is not a curve: {}", fault),
                 .fixes = byHand(sentence("Write two numbers for each step, the prompt's and the negative "
                                          "prompt's"))});
    if (!project.magRatiosBase.empty() && !project.magRatiosFile.empty())
        problems.push_back(
            {.id = "keys-given-both",
             .key = "mag_ratios_file",
             .message = sentence("{} and {} are both given", "mag_ratios_base", "mag_ratios_file"),
             .fixes = byHand(sentence("Remove one of them"))});
    return problems;
}

std::vector<Problem> fitProblems(const Project& project) {
    constexpr std::string_view key = "teacache_coefficients";
    const auto read = parseNumbers(project.teacacheCoefficients);
    if (const auto* problem = std::get_if<Problem>(&read))
        return {valueProblem(key, *problem)};
    const auto& numbers = std::get<std::vector<double>>(read);
    if (std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); }))
        return {};
    return {
        {.id = "number-list-out-of-range",
         .key = std::string(key),
         .message = sentence("{} are not all finite numbers", key),
         .fixes = byHand(sentence("Write numbers separated by commas, that of the highest power first"))}};
}

}  // namespace

std::vector<const StepCacheRow*> chosenStepCaches(const Project& project) {
    struct Switch {
        StepCacheKind kind;
        bool Project::*on;
    };
    constexpr std::array switches{
        Switch{StepCacheKind::Cfg, &Project::useCfgCache},
        Switch{StepCacheKind::Sen, &Project::useSenCache},
        Switch{StepCacheKind::Mag, &Project::useMagcache},
        Switch{StepCacheKind::Tea, &Project::useTeacache},
        Switch{StepCacheKind::FirstBlock, &Project::useFirstBlockCache},
        Switch{StepCacheKind::Easy, &Project::useEasycache},
    };
    std::vector<const StepCacheRow*> chosen;
    for (const Switch& one : switches)
        if (project.*one.on)
            chosen.push_back(&rowOf(one.kind));
    return chosen;
}

std::vector<Problem> guidanceProblems(const Project& project, const StepCacheRow& row, bool twoExperts) {
    if (!row.needsGuidance || neverGuided(project))
        return {};
    return scaleProblems(project, row, twoExperts);
}

Sentence faultOfMagRatios(std::span<const double> ratios) {
    constexpr double mostRatio = 100;
    if (ratios.empty() || ratios.size() % 2 != 0)
        return sentence("it has {} numbers, and every step has two", ratios.size());
    const bool sane = std::ranges::all_of(
        ratios, [](double ratio) { return std::isfinite(ratio) && ratio >= 0 && ratio <= mostRatio; });
    return sane ? Sentence() : sentence("its numbers are not all from 0 to {}", mostRatio);
}

std::vector<Problem> stepCacheProblems(const Project& project) {
    std::vector<Problem> problems = curveProblems(project);
    std::ranges::move(fitProblems(project), std::back_inserter(problems));
    if (project.useEasycache && project.easycacheStart >= project.easycacheEnd)
        problems.push_back(
            {.id = "step-cache-range-empty",
             .key = "easycache_start",
             .involved = {"easycache_end"},
             .message = sentence("No step lies between easycache_start {} and easycache_end {}",
                                 project.easycacheStart, project.easycacheEnd),
             .fixes = project.easycacheEnd > 0 ? setKey(sentence("Begin earlier"), "easycache_start", {"0.0"})
                                               : setKey(sentence("End later"), "easycache_end", {"0.95"})});
    const std::vector<const StepCacheRow*> chosen = chosenStepCaches(project);
    if (chosen.size() > 1)
        problems.push_back(
            {.id = "step-caches-exclusive",
             .key = std::string(chosen.back()->key),
             .involved = {std::string(chosen.front()->key)},
             .message = sentence("{} and {} are mutually exclusive: each decides by itself what a step "
                                 "takes over from earlier ones, and none is made for predictions that "
                                 "another one has made up",
                                 chosen.front()->key, chosen.back()->key),
             .fixes = setKey(sentence("Enable only one"), chosen.back()->key, {"false"})});
    else if (chosen.size() == 1 && chosen.front()->needsGuidance && neverGuided(project))
        for (Problem& problem : scaleProblems(project, *chosen.front(), false))
            problems.push_back(std::move(problem));
    return problems;
}

namespace {

void requirePrompt(const Project& project, Problems& problems) {
    if (batchItems(project).front().prompt.find_first_not_of(" \t\r\n") == std::string::npos)
        problems.push_back(
            {.id = "prompt-empty",
             .key = "prompt",
             .message = sentence("The prompt is empty"),
             .fixes = setKey(
                 sentence("Say what the video should show, for example prompt: a red ball moving right"),
                 "prompt", {"a red ball moving right on a black background"})});
}

/// Number types, each legal by itself, that do not go together.
Problems precisionProblems(const Project& project) {
    if (project.weightsDtype != "int8" || project.activationsDtype == "bfloat16")
        return {};
    return {
        {.id = "precision-mixed",
         .key = "weights_dtype",
         .involved = {"activations_dtype"},
         .message =
             sentence("weights_dtype: int8 rounds what goes into the layers to 8 bits, and does not go with "
                      "activations_dtype: float32"),
         .fixes = byHand(sentence(
             "Set activations_dtype: bfloat16, or weights_dtype: bfloat16 to keep float32 activations"))}};
}

/// Windows that share all of their frames with the next one, levels that their schedule does not have, and
/// step caches that look at what comes again.
Problems contextWindowProblems(const Project& project) {
    if (!isWindowed(project))
        return {};
    Problems problems;
    constexpr std::string_view overlap = "context_overlap";
    constexpr std::int64_t frameOfLatent = 4;
    const std::int64_t most = project.contextFrames - 1;  // all latent frames of a window but one
    if (project.contextOverlap > most) {
        const std::int64_t usual =
            std::min<std::int64_t>(Project().contextOverlap, most / (2 * frameOfLatent) * frameOfLatent);
        problems.push_back({.id = "context-overlap-too-long",
                            .key = std::string(overlap),
                            .involved = {"context_frames"},
                            .message = sentence("{} is {}, and windows of {} frames share {} at most",
                                                overlap, project.contextOverlap, project.contextFrames, most),
                            .fixes = setKey({}, overlap, {fmt::to_string(usual)})});
    }
    if (constexpr std::string_view levels = "context_stride";
        project.contextSchedule == rowOf(WindowSchedule::Static).name &&
        !isDefault(project, *findProjectKey(levels)))
        problems.push_back(
            {.id = "value-without-effect",
             .severity = Severity::Warning,
             .key = std::string(levels),
             .involved = {"context_schedule"},
             .message = sentence("{} has no effect: windows that are {} leave no frames out between", levels,
                                 project.contextSchedule),
             .fixes = setKey({}, levels, {fmt::to_string(Project().contextStride)})});
    for (const StepCacheRow* cache : chosenStepCaches(project)) {
        if (cache->keepsBlocks)
            problems.push_back(
                {.id = "step-cache-with-windows",
                 .key = std::string(cache->key),
                 .involved = {"context_frames"},
                 .message = sentence("the {} keeps what blocks add to the tokens of one pass, and context "
                                     "windows make several passes of a step",
                                     tableText(cache->name)),
                 .fixes = setKey(sentence("Write false, or use use_easycache, which keeps whole predictions"),
                                 cache->key, {"false"})});
        else if (project.contextSchedule != rowOf(WindowSchedule::Static).name)
            problems.push_back(
                {.id = "step-cache-with-windows",
                 .key = std::string(cache->key),
                 .involved = {"context_schedule"},
                 .message = sentence("the {} takes predictions over from step to step, and windows that are "
                                     "{} lie elsewhere in each",
                                     tableText(cache->name), project.contextSchedule),
                 .fixes = setKey(sentence("Write context_schedule: static, or leave the cache out"),
                                 "context_schedule", {std::string(rowOf(WindowSchedule::Static).name)})});
    }
    return problems;
}

/// A clip goes on from a frame, with whole latents.
Problems continuationKeyProblems(const Project& project) {
    Problems problems;
    if (std::optional<Problem> problem = clipFrameProblem(project))
        problems.push_back(*std::move(problem));
    constexpr std::string_view countKey = "continue_frames";
    constexpr std::int64_t step = 4;
    if (const std::int64_t count = project.continueFrames; count > 0 && count % step != 1)
        problems.push_back(
            {.id = "value-off-grid",
             .key = std::string(countKey),
             .message = sentence("{} is {}, which is not a multiple of {} plus 1", countKey, count, step),
             .fixes = setKey({}, countKey, {fmt::to_string(count / step * step + 1)})});
    for (const std::string_view key : {std::string_view("continue_at"), countKey})
        if (const ProjectKey& row = *findProjectKey(key);
            project.continueFrom.empty() && !isDefault(project, row))
            problems.push_back({.id = "value-without-effect",
                                .severity = Severity::Warning,
                                .key = std::string(key),
                                .involved = {"continue_from"},
                                .message = sentence("{} has no effect without {}", key, "continue_from"),
                                .fixes = setKey({}, key, {defaultText(row)})});
    return problems;
}

void refuseToSendAdapters(const Project& project, Problems& problems) {
    const SamplingPreset* preset = findSamplingPreset(project.preset);
    const bool adapted = !project.lora.empty() || (preset != nullptr && preset->findsAdapter);
    if (project.broadcastWeights && adapted)
        problems.push_back(
            {.id = "adapters-not-sent",
             .key = "broadcast_weights",
             .message = sentence("broadcast_weights sends a model's folder, and no adapters"),
             .fixes = setKey(sentence("Copy model and adapters to every host, and write false"),
                             "broadcast_weights", {"false"})});
}

void noteUnusedNegativePrompt(const Project& project, Problems& problems) {
    constexpr std::string_view usualScale = "11";
    if (project.guidanceScale <= 1.0 && !project.negativePrompt.empty() && !attentionGuidance(project).acts())
        problems.push_back(
            {.id = "negative-prompt-unused",
             .severity = Severity::Warning,
             .key = "negative_prompt",
             .involved = {"guidance_scale", "nag_scale"},
             .message = sentence("negative_prompt is not used, because guidance_scale is 1 or less"),
             .fixes = setKey(sentence("Set {} to {}, which needs no second pass", "nag_scale", usualScale),
                             "nag_scale", {std::string(usualScale)})});
    if (project.nagScale > 1.0 && project.negativePrompt.empty() &&
        !isDefault(project, *findProjectKey("nag_scale")))
        problems.push_back(
            {.id = "attention-guidance-unused",
             .severity = Severity::Warning,
             .key = "nag_scale",
             .involved = {"negative_prompt"},
             .message = sentence("{} has no effect without {}", "nag_scale", "negative_prompt"),
             .fixes = byHand(sentence("Write what the video should not show"))});
}

void noteInactiveValues(const Project& project, Problems& problems) {
    for (const ProjectKey& key : projectKeys()) {
        if (key.inactive.empty() || isDefault(project, key))
            continue;
        const std::string line = fmt::format("{}: {}", key.name, valueText(project, key));
        problems.push_back({.id = "value-without-effect",
                            .severity = Severity::Warning,
                            .key = std::string(key.name),
                            .message = sentence("{} has no effect: {}", line, tableText(key.inactive))});
    }
}

/// Notes a preset that does nothing because all of its values are written beside it.
void notePresetReplaced(const Project& project, Problems& problems) {
    for (const std::string_view name : presetKeys(project, false)) {
        const ProjectKey& key = *findProjectKey(name);
        problems.push_back(
            {.id = "preset-replaced",
             .severity = Severity::Warning,
             .key = std::string(name),
             .message = sentence("{} is {} in place of the {} of preset {}", name, valueText(project, key),
                                 defaultText(key, project), project.preset),
             .fixes = setKey({}, name, {defaultText(key, project)})});
    }
}

}  // namespace

std::vector<Problem> validate(const Project& project) {
    Problems problems;
    for (const ProjectKey& key : projectKeys())
        if (auto problem = checkValue(project, key))
            problems.push_back(*std::move(problem));
    const bool everyValueIsLegal = problems.empty();
    requirePrompt(project, problems);
    std::ranges::move(promptProblems(project.prompt), std::back_inserter(problems));
    std::ranges::move(numberListProblems(project), std::back_inserter(problems));
    std::ranges::move(batchProblems(project), std::back_inserter(problems));
    if (everyValueIsLegal) {
        std::ranges::move(precisionProblems(project), std::back_inserter(problems));
        std::ranges::move(videoProblems(project), std::back_inserter(problems));
        std::ranges::move(keyframeProblems(project), std::back_inserter(problems));
        std::ranges::move(stepCacheProblems(project), std::back_inserter(problems));
        std::ranges::move(contextWindowProblems(project), std::back_inserter(problems));
        std::ranges::move(timedPromptProblems(project), std::back_inserter(problems));
        std::ranges::move(continuationKeyProblems(project), std::back_inserter(problems));
        std::ranges::move(projectMeshProblems(project), std::back_inserter(problems));
    }
    refuseToSendAdapters(project, problems);
    noteUnusedNegativePrompt(project, problems);
    noteInactiveValues(project, problems);
    notePresetReplaced(project, problems);
    return problems;
}

}  // namespace meshreel

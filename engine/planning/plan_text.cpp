// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/attention/attention_plan.h"
#include "engine/attention/sparse_share.h"
#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "engine/base/strings.h"
#include "engine/base/units.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_facts.h"
#include "engine/checks/guidance_choice.h"
#include "engine/checks/keyframe_plan.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/video_shape.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_exchange.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/sparse_rule.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/rows/attention_guidance.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/families/model_family.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/wan_config.h"
#include "engine/planning/memory_fit.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/run_task.h"
#include "engine/planning/sharding_table.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/project/input_files.h"
#include "engine/project/numbers.h"
#include "engine/project/presets.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/project/timed_prompt.h"
#include "engine/sampling/context_windows.h"
#include "engine/sampling/guidance.h"
#include "engine/sampling/scheduler.h"
#include "engine/sampling/step_caches.h"
#include "engine/timing/step_record.h"

namespace meshreel {
namespace {

std::string operationsText(double operations) {
    return fmt::format("{:.3g} TFLOP", operations / tera);
}

std::string factLine(std::string_view label, const std::string& fact) {
    constexpr int labelWidth = 14;
    return fmt::format("{:<{}}{}\n", fmt::format("{}:", label), labelWidth, fact);
}

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", number, number == 1 ? one : many);
}

/// ", by pictures 4.5, by the video 1.25": the scales of what guidance goes by before the prompt.
std::string describeScalesBehind(const RunPlan& plan, const GuidedPasses& passes) {
    const TokenGroupCounts groups = countGroups(plan.project, plan.task);
    std::string text;
    for (std::size_t index = 1; index + 1 < passes.size(); ++index) {
        const bool byPictures = passes[index].groups > groups.videos;
        text += fmt::format(", by {} {}", byPictures ? "pictures" : "the video", passes[index].scale);
    }
    return text;
}

/// "guidance 5", or of each expert its steps and guidance.
std::string describeGuidance(const RunPlan& plan) {
    std::string text;
    for (const ExpertSteps& stretch : plan.experts) {
        const double scale = plan.guidanceFor(stretch.expert);
        const std::string guidance = fmt::format("guidance {}{}{}", scale, scale > 1.0 ? "" : " (off)",
                                                 describeScalesBehind(plan, plan.passesFor(stretch.expert)));
        text += text.empty() ? "" : ", ";
        text += plan.model.experts() == 1
                    ? guidance
                    : fmt::format("steps {} to {} by {} with {}", stretch.firstStep + 1, stretch.endStep,
                                  transformerName(stretch.expert), guidance);
    }
    if (const AttentionGuidance& nag = plan.attentionGuidance; nag.acts())
        text += fmt::format(", attention guidance {} (tau {}, alpha {})", nag.scale, nag.tau, nag.alpha);
    return text;
}

/// "flow shift 3, noise levels beta57".
std::string describeLevels(const RunPlan& plan) {
    const std::string& spacing = plan.project.sigmaSpacing;
    const std::string shift = fmt::format("flow shift {}", plan.model.scheduler.flowShift);
    return spacing == automaticSpacing ? shift : fmt::format("{}, noise levels {}", shift, spacing);
}

/// "MagCache, 18 of 40 steps shortened: 6, 7, …" counted from 1, and what its curve is.
std::string describeStepCache(const StepCachePlan& cache) {
    if (cache.kind == StepCacheKind::None)
        return {};
    std::vector<int> steps;
    for (std::size_t step = 0; step < cache.schedule.size(); ++step)
        if (cache.schedule[step] != StepWork::Everything)
            steps.push_back(static_cast<int>(step) + 1);
    return factLine(
        "Step cache",
        fmt::format("{}, {}{} of {} steps shortened{}{}{}", rowOf(cache.kind).name,
                    cache.decidesLater() ? "at most " : "", steps.size(), cache.schedule.size(),
                    steps.empty() ? "" : ": ", fmt::join(steps, ", "),
                    cache.curveSource.empty()
                        ? ""
                        : fmt::format("; {}: {}", cache.kind == StepCacheKind::Tea ? "fit" : "curve",
                                      cache.curveSource)));
}

/// "distill-4: num_inference_steps 4, …; lora found; in its place flow_shift 3".
std::string describePreset(const RunPlan& plan) {
    const Project& project = plan.project;
    if (project.preset == noPreset)
        return {};
    const auto listed = [&project](bool taken) {
        std::string text;
        for (const std::string_view name : presetKeys(project, taken))
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                                valueText(project, *findProjectKey(name)));
        return text;
    };
    std::string text = fmt::format("{}: {}", project.preset, listed(true));
    if (plan.presetAdapters)
        text += ", lora found in the models folder";
    if (const std::string replaced = listed(false); !replaced.empty())
        text += fmt::format("; written in place of its own: {}", replaced);
    return factLine("Preset", text);
}

/// "13 frames of the clip before, then 68 new ones".
std::string describeContinuation(const RunPlan& plan) {
    if (plan.continuedFrames == 0)
        return plan.chainsClips ? factLine("Chain", "first clip, by Stable Video Infinity") : std::string();
    if (plan.chainsClips)
        return factLine("Chain",
                        fmt::format("goes on from {}, frame {}, by Stable Video Infinity: {} frames are "
                                    "shared, then {} new ones",
                                    withTilde(plan.project.continueFrom), plan.project.continueAt,
                                    plan.continuedFrames, plan.project.numFrames - plan.continuedFrames));
    return factLine("Continues",
                    fmt::format("{}, frame {}: {} of its frames, then {} new ones",
                                withTilde(plan.project.continueFrom), plan.project.continueAt,
                                plan.continuedFrames, plan.project.numFrames - plan.continuedFrames));
}

/// "5 in each step, of 21 latent frames (81 frames) with 4 shared, static, fused pyramid, FreeNoise".
std::string describeWindows(const RunPlan& plan) {
    const Project& project = plan.project;
    if (project.contextFrames == 0 || (!plan.windows && isAnimation(plan.task)))
        return {};
    if (!plan.windows)
        return factLine("Windows", fmt::format("one: context_frames {} hold all {} frames",
                                               project.contextFrames, project.numFrames));
    const ContextWindows& windows = *plan.windows;
    std::string text = fmt::format(
        "{} in {} step, of {} latent frames ({} frames) with {} shared, {}, fused {}", plan.windowsIn(0),
        windows.recur() ? "each" : "the first", windows.length, project.contextFrames, windows.overlap,
        rowOf(windows.schedule).name, rowOf(windows.fuse).name);
    if (windows.levels > 1)
        text += fmt::format(", {} levels", windows.levels);
    if (windows.freeNoise)
        text += ", FreeNoise";
    if (windows.retainsFirst)
        text += ", each sees the first image";
    return factLine("Windows", text);
}

std::string_view wayText(KeyframeWay way) {
    switch (way) {
        case KeyframeWay::Mask:
            return "by the mask";
        case KeyframeWay::TokenTimes:
            return "as latents of time 0";
        case KeyframeWay::Control:
            break;
    }
    return "by the control video";
}

std::string framesText(const PlannedKeyframe& picture) {
    return picture.frames == 1 ? fmt::format("frame {}", picture.frame)
                               : fmt::format("frames {} to {}", picture.frame, picture.last());
}

/// "first.png at frame 0, dance.png at frame 8 (9 asked for; mask 0.8 high, 0.2 low); by the mask".
std::string describeKeyframes(const RunPlan& plan) {
    const KeyframePlan& keyframes = plan.keyframes;
    if (keyframes.pictures.empty())
        return {};
    std::vector<std::string> pictures;
    for (const PlannedKeyframe& picture : keyframes.pictures) {
        const std::string file = inputFiles(plan.project, *findInputKey(picture.key))[picture.index];
        std::vector<std::string> remarks;
        if (picture.asked != picture.frame || picture.frames > 1)
            remarks.push_back(fmt::format("{} asked for", picture.asked));
        if (picture.isBetween && plan.model.experts() > 1)
            remarks.push_back(fmt::format("mask {} high, {} low", betweenStrengths[0], betweenStrengths[1]));
        else if (picture.isBetween)
            remarks.push_back(fmt::format("mask {}", betweenStrengths[0]));
        pictures.push_back(
            fmt::format("{} at {}{}", std::filesystem::path(file).filename().string(), framesText(picture),
                        remarks.empty() ? std::string() : fmt::format(" ({})", fmt::join(remarks, "; "))));
    }
    return factLine("Keyframes",
                    fmt::format("{}; given {}", fmt::join(pictures, ", "), wayText(keyframes.way)));
}

/// "by time, the longest has 3 parts; softness 0.001".
std::string describePrompts(const RunPlan& plan) {
    std::size_t most = 0;
    for (const SpokenPrompt& prompt : plan.prompts)
        most = std::max(most, prompt.spans.size());
    if (most > 0)
        return factLine("Prompt", fmt::format("{} by time, softness {}",
                                              counted(static_cast<std::int64_t>(most), "part", "parts"),
                                              plan.project.promptRelayEpsilon));
    if (const std::int64_t texts = plan.textsOfPrompt(); texts > 1)
        return factLine("Prompt", fmt::format("{} texts, shared out to the context windows", texts));
    return {};
}

/// ", 32 of them of subjects [1, 16, 2, 60, 104]" for tokens beside those of the latents.
std::string describeGroups(const RunPlan& plan) {
    std::string text;
    for (const GroupShape& group : plan.groups)
        text += fmt::format(", {} of them of {} {}", tokenCount(group, plan.model.transformer), group.name,
                            group.latents.text());
    return text;
}

/// "21 latent frames a segment, keys cached: 25.0 GiB a device, one more pass a segment", with what the ways
/// take that were not chosen.
std::string describeDrivingKeys(const RunPlan& plan) {
    if (!plan.drivingKeys)
        return {};
    const auto need = [&plan](DrivingKeysUse use) { return formatBytes(drivingKeyBytes(plan, use)); };
    const bool isChosen = plan.project.drivingKeys == automaticDrivingKeys;
    const std::int64_t frames = plan.latentShape[2] - plan.referenceFrames;
    std::string text =
        fmt::format("{} latent frames a segment, keys {}", frames, rowOf(*plan.drivingKeys).name);
    switch (*plan.drivingKeys) {
        case DrivingKeysUse::Cached:
            text += fmt::format(": {} a device, one more pass a segment", need(DrivingKeysUse::Cached));
            break;
        case DrivingKeysUse::Int8:
            text += fmt::format(": {} a device, one more pass a segment", need(DrivingKeysUse::Int8));
            if (isChosen)
                text += fmt::format("; unrounded they take {}", need(DrivingKeysUse::Cached));
            break;
        case DrivingKeysUse::Recomputed:
            text += ": one more pass beside each";
            if (isChosen)
                text += fmt::format("; kept they take {} a device, in int8 {}", need(DrivingKeysUse::Cached),
                                    need(DrivingKeysUse::Int8));
            break;
    }
    if (const float bias = plan.drivingOptions().firstFrameBias; bias != 0.0F)
        text += fmt::format("; scores of the first frame {:+g}", bias);
    return factLine("Driving", text);
}

std::string describeVideo(const RunPlan& plan) {
    const Project& project = plan.project;
    const WanTransformerConfig& transformer = plan.model.transformer;
    const PartWeights& weights = plan.model.transformerWeights;
    std::string text = factLine(
        "Model", fmt::format("{} ({})", project.model,
                             plan.modelFolder.empty() ? "not on this machine" : withTilde(plan.modelFolder)));
    text += factLine("Transformer",
                     fmt::format("{} layers, {} heads x {}, feed-forward {}, {:.3g} M parameters",
                                 transformer.layers, transformer.heads, transformer.headDim,
                                 transformer.ffnDim, static_cast<double>(weights.parameters) / 1e6));
    text += factLine("Video", fmt::format("{}x{}, {} frames at {} fps, {}", project.width, project.height,
                                          project.numFrames, project.fps, project.videoFormat));
    text += factLine("Latents", fmt::format("{}, {} tokens{}", plan.latentShape.text(), plan.tokens,
                                            describeGroups(plan)));
    text += describeDrivingKeys(plan);
    text += describeContinuation(plan);
    text += describeKeyframes(plan);
    text += describeWindows(plan);
    if (followsSpeech(plan.task))
        text += factLine("Clips", fmt::format("{} of {} frames, each after the one before",
                                              plan.segments.count, plan.segments.frames));
    text += describePrompts(plan);
    text += describePreset(plan);
    text += factLine("Sampling", fmt::format("{}, {} steps, {}, {}", plan.model.scheduler.className,
                                             plan.steps(), describeLevels(plan), describeGuidance(plan)));
    if (plan.model.experts() == 2)
        text += factLine("Experts", plan.placement.keepsBothExperts()
                                        ? "both in memory"
                                        : "one in memory at a time, loaded at the switch");
    text += describeStepCache(plan.stepCache);
    const std::vector<BatchItem> items = batchItems(project);
    if (items.size() > 1)
        text += factLine("Batch",
                         fmt::format("{} videos, each with a prompt and a seed of its own", items.size()));
    const Seed& seed = items.front().seed;
    return text + factLine("Noise", fmt::format("{}, {}", project.noise,
                                                seed ? fmt::format("seed {}", *seed)
                                                     : std::string("a random seed for each run")));
}

/// The first line of each behind the label, the others below it.
std::string describeAdapters(const RunPlan& plan) {
    std::string text;
    for (const PlannedAdapter& planned : plan.adapters)
        text += factLine("Adapter", describeAdapter(planned));
    return text;
}

/// ", up to 14 heads a device (95 %)"; nothing where all devices have as many.
std::string headsText(std::int64_t mostHeads, double efficiency) {
    return efficiency < 1 ? fmt::format(", up to {} heads a device ({:.0f} %)", mostHeads, 100 * efficiency)
                          : std::string();
}

/// When attention leaves blocks out, or why it never does; nothing where nobody asked for it.
std::string describeSparse(const RunPlan& plan) {
    if (!plan.attention.sparse)
        return {};
    const std::string_view method = plan.attention.sparse->rule.row().name;
    if (!plan.attentions.sparse)
        return factLine(
            "Sparse", fmt::format("{}, but every step is dense: {}", method,
                                  plan.tokens < plan.attention.sparse->minimumTokens
                                      ? fmt::format("{} tokens are fewer than sparse_min_tokens", plan.tokens)
                                      : std::string("no step is left for it")));
    const SparsePlan& sparse = *plan.attentions.sparse;
    std::string steps;
    for (const SparsePhase& phase : sparse.phases)
        steps += fmt::format("{}steps {} to {} about {:.0f} % of blocks", steps.empty() ? "" : "; ",
                             phase.firstStep + 1, phase.endStep,
                             100 * expectedKeptShare(*phase.attention.sparse, videoGrid(plan)));
    const std::string layers = sparse.denseLayers.empty()
                                   ? std::string()
                                   : fmt::format("; layers {} dense", fmt::join(sparse.denseLayers, ", "));
    return factLine("Sparse",
                    fmt::format("{}, blocks of {} tokens: {}{}", method,
                                sparse.phases.front().attention.sparse->blockTokens, steps, layers));
}

std::string describeAttention(const RunPlan& plan) {
    const AttentionPlan& self = plan.attentions.self;
    const FlashBlockSizes& blocks = self.blocks;
    const std::string cut = plan.placement.isOnGpu(PlacedPart::Transformer)
                                ? std::string(
                                      "blocks are the GPU's own: flash_block_sizes have no effect; "
                                      "exponents are of base 2: use_base2_exp has no effect")
                                : fmt::format("blocks q {}, kv {}, kv compute {}", blocks.blockQ,
                                              blocks.blockKv, blocks.blockKvCompute);
    std::string text =
        factLine("Attention", fmt::format("{} (self: {}, cross: {}), {}", plan.attention.mode->name,
                                          self.mode->name, plan.attentions.text.mode->name, cut));
    if (plan.layout.shape().context > 1)
        text +=
            factLine("Context", fmt::format("ring {} x ulysses {}, {}{}", self.split.ring, self.split.ulysses,
                                            counted(self.rotations(), "rotation", "rotations"),
                                            headsText(self.mostHeads(), 1 / self.headExcess())));
    text += describeSparse(plan);
    if (rowOf(self.kernel).boundsScores)
        text += factLine("Fixed m", "no faster on CPUs than the running maximum of the custom modes");
    return text;
}

/// What multiplies in the transformer.
std::string transformerProductsBy(const RunPlan& plan) {
    const PartPlan* const transformer = plan.placement.find(PlacedPart::Transformer);
    return transformer == nullptr ? std::string() : transformer->productsBy;
}

}  // namespace

nlohmann::ordered_json precisionJson(const RunPlan& plan) {
    const RunPrecision& precision = plan.precision;
    return {{"weights", toKeyValue(precision.transformer.weights)},
            {"activations", toKeyValue(precision.transformer.activations)},
            {"products", nameOf(precision.transformer.linears())},
            {"products_by", transformerProductsBy(plan)},
            {"text_encoder", toKeyValue(precision.textEncoder)},
            {"vae", toKeyValue(precision.vae)},
            {"vae_weights", toKeyValue(precision.vaeWeights)},
            {"scheduler", toKeyValue(precision.scheduler)}};
}

namespace {

std::string describePrecision(const RunPlan& plan) {
    const RunPrecision& precision = plan.precision;
    return factLine(
        "Precision",
        fmt::format("weights {}, activations {} (products {} by {}), text encoder {}, VAE {} (weights {}), "
                    "scheduler {}",
                    toKeyValue(precision.transformer.weights), toKeyValue(precision.transformer.activations),
                    nameOf(precision.transformer.linears()), transformerProductsBy(plan),
                    toKeyValue(precision.textEncoder), toKeyValue(precision.vae),
                    toKeyValue(precision.vaeWeights), toKeyValue(precision.scheduler)));
}

/// Describes what a GPU computes, and what the CPU does instead. The first device's computes the encoders.
std::string describeGpuWork(const RunPlan& plan, bool isFirst) {
    std::string text = partsOnGpu(plan.placement, isFirst);
    if (isFirst)
        for (const PartsLeft& left : partsLeftToCpu(plan.placement))
            text +=
                fmt::format("; the CPU computes the {}: {}", partsText(plan.placement, left.parts), left.why);
    return text;
}

std::string describeMesh(const RunPlan& plan) {
    const MeshLayout& layout = plan.layout;
    std::string text = factLine("Mesh", layout.shape().text());
    if (layout.dcn().devices() > 1)
        text += factLine("  ici", layout.ici().text()) + factLine("  dcn", layout.dcn().text());
    text +=
        factLine("Devices", fmt::format("{} on {}, {} each", counted(layout.devices(), "device", "devices"),
                                        counted(plan.ranks, "process", "processes"),
                                        counted(plan.workersPerDevice, "worker", "workers")));
    for (const ChosenGpu& gpu : plan.placement.gpus)
        text += factLine("GPU", fmt::format("{} computes {}", describeGpu(gpu),
                                            describeGpuWork(plan, &gpu == plan.placement.gpus.data())));
    if (plan.placement.gpus.size() > 1)
        text += factLine("Exchange", tellExchange(plan.placement.exchange));
    for (const PassedOver& left : plan.placement.gpusLeft)
        text += factLine("GPU", fmt::format("not taken: {}", left.why));
    if (const std::string parts = partsOnCpu(plan.placement); !parts.empty())
        text += factLine("CPU", fmt::format("computes {}", parts));
    if (!plan.placement.whyNoGpu().empty())
        text += factLine("GPU", fmt::format("none: {}", plan.placement.whyNoGpu()));
    if (layout.devices() == 1)
        return text;
    const std::vector<MeshTraffic> traffic = trafficPerStep(plan);
    const std::int64_t total =
        std::accumulate(traffic.begin(), traffic.end(), std::int64_t{0},
                        [](std::int64_t sum, const MeshTraffic& part) { return sum + part.bytes; });
    std::string parts;
    for (const MeshTraffic& part : traffic)
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", part.purpose,
                             formatBytes(static_cast<std::size_t>(part.bytes)));
    return text + factLine("Traffic", fmt::format("{} to each device a step{}",
                                                  formatBytes(static_cast<std::size_t>(total)),
                                                  parts.empty() ? parts : fmt::format(" ({})", parts)));
}

std::string describeStage(std::string_view name, const StageMemory& stage) {
    const std::string mapped =
        stage.mapped == 0 ? std::string()
                          : fmt::format(", beside {} of the file in place", formatBytes(stage.mapped));
    return fmt::format("  {:<14}{:>10}: weights {}, packed {}, activations {}, workspace {}{}\n", name,
                       formatBytes(stage.total()), formatBytes(stage.weights), formatBytes(stage.packed),
                       formatBytes(stage.activations), formatBytes(stage.workspace), mapped);
}

std::string describeCosts(const RunPlan& plan) {
    const MemoryEstimate& memory = plan.memory;
    std::string text =
        factLine("Memory", fmt::format("{} at most; {} available", formatBytes(memory.peak()),
                                       formatBytes(memory.available))) +
        describeStage("loading", memory.loading) + describeStage("text encoding", memory.conditioning) +
        describeStage("denoising", memory.denoising) + describeStage("decoding", memory.decoding);
    if (const std::optional<std::int64_t> resident = plan.placement.residentLayers())
        text += factLine(
            "Streamed",
            fmt::format("{} of {} layers stay in memory, the others are read when they are used, {} "
                        "at most",
                        *resident, plan.model.transformerLayers->size(), formatBytes(memory.device.used)));
    if (const std::uint64_t reading = diskBytesPerStep(plan); reading > 0)
        text +=
            factLine("From disk", fmt::format("up to {} of weights a step, which memory has no room to keep",
                                              formatBytes(reading)));
    if (!plan.placement.gpus.empty())
        text += factLine("GPU memory", fmt::format("{} at most{}; {} free", formatBytes(memory.devicePeak()),
                                                   plan.placement.gpus.size() > 1 ? " on each device" : "",
                                                   formatBytes(memory.deviceAvailable))) +
                fmt::format("  {:<14}{:>10}: weights {}, layers in use {}, activations {}{}\n", "denoising",
                            formatBytes(memory.deviceDenoising()), formatBytes(memory.device.weights),
                            formatBytes(memory.device.used), formatBytes(memory.device.activations),
                            memory.deviceVae.weights > 0
                                ? fmt::format(", VAE {}", formatBytes(memory.deviceVae.weights))
                                : "");
    if (plan.placement.anyOnGpu(encoderParts))
        text += fmt::format(
            "  {:<14}{:>10}: a layer and activations {}\n", "encoders",
            formatBytes(memory.device.weights + memory.deviceVae.weights + memory.deviceEncoders.most()),
            formatBytes(memory.deviceEncoders.most()));
    if (memory.deviceVae.encoding > 0)
        text += fmt::format(
            "  {:<14}{:>10}: features {}\n", "VAE encoding",
            formatBytes(memory.device.weights + memory.deviceVae.weights + memory.deviceVae.encoding),
            formatBytes(memory.deviceVae.encoding));
    if (plan.placement.isOnGpu(PlacedPart::VaeDecoder))
        text += fmt::format(
            "  {:<14}{:>10}: VAE {}, features {}{}\n", "decoding",
            formatBytes(memory.deviceVae.weights + memory.deviceVae.decoding),
            formatBytes(memory.deviceVae.weights), formatBytes(memory.deviceVae.decoding),
            plan.placement.vaeStripsInTurn() == 1
                ? std::string()
                : fmt::format(", in {} strips, one after the other", plan.placement.vaeStripsInTurn()));
    if (plan.layout.devices() > 1)
        text += factLine(
            "A device",
            fmt::format("weights {}, gathered layers {}, activations {}", formatBytes(memory.device.weights),
                        formatBytes(memory.device.gathered), formatBytes(memory.device.activations)));
    text += factLine("Work", fmt::format("{} a step, {} in all", operationsText(plan.flops.step),
                                         operationsText(plan.flops.denoising)));
    return text +
           factLine("Disk", fmt::format("up to {}{}", formatBytes(plan.disk.runFolder),
                                        plan.disk.available == 0
                                            ? std::string()
                                            : fmt::format("; {} free", formatBytes(plan.disk.available))));
}

}  // namespace

std::string describePromptParts(std::span<const PromptPart> parts) {
    constexpr double percent = 100;
    std::string text;
    for (std::size_t index = 0; index < parts.size(); ++index) {
        const PromptPart& part = parts[index];
        const bool isTimed =
            std::ranges::any_of(parts, [](const PromptPart& one) { return one.span.has_value(); });
        const std::string when = part.span ? fmt::format("{:.4g}% to {:.4g}%", part.span->begin * percent,
                                                         part.span->end * percent)
                                 : isTimed ? std::string("all the time")
                                           : fmt::format("text {}", index + 1);
        text += factLine(
            "Prompt part",
            fmt::format("{}, {}: {}", when, counted(part.tokens.size(), "token", "tokens"), part.text));
    }
    return text;
}

std::string_view blocksBy(const RunPlan& plan) {
    return plan.placement.isOnGpu(PlacedPart::Transformer) ? "gpu" : "plan";
}

std::string describePlan(const RunPlan& plan, std::span<const Sentence> notes) {
    std::string text = describeVideo(plan) + describeAdapters(plan) + describeAttention(plan) +
                       describePrecision(plan) + describeMesh(plan) + describeCosts(plan);
    for (const Sentence& note : libraryRemarks({}).notes)
        text += factLine("Note", note);
    for (const Sentence& note : notes)
        text += factLine("Note", note);
    return text + "Sharding:\n" + describeSharding(plan);
}

namespace {

/// "data 2 × context 4"
std::string axesText(const MeshShape& shape) {
    std::vector<std::string> axes;
    for (const MeshAxis axis : meshAxes)
        if (shape.extent(axis) > 1)
            axes.push_back(fmt::format("{} {}", nameOf(axis), shape.extent(axis)));
    return axes.empty() ? "one device" : fmt::format("{}", fmt::join(axes, " × "));
}

/// "ulysses_ring U2 × R4"; "ulysses, up to 14 heads a device (95 %)"
std::string sharingText(const LegalMesh& mesh) {
    const std::string name = mesh.mode->hybrid() ? fmt::format("{} U{} × R{}", mesh.mode->name,
                                                               mesh.split.ulysses, mesh.split.ring)
                                                 : std::string(mesh.mode->name);
    return name + headsText(mesh.mostHeads, mesh.headEfficiency);
}

}  // namespace

std::string describeMeshes(const std::vector<LegalMesh>& meshes) {
    std::string text;
    for (std::size_t index = 0; index < meshes.size(); ++index) {
        const LegalMesh& mesh = meshes[index];
        const bool severalHosts = mesh.layout.dcn().devices() > 1;
        std::string line =
            fmt::format("{}{:>3}. {}", mesh.isCurrent ? '*' : ' ', index + 1, axesText(mesh.layout.shape()));
        if (severalHosts)
            line += fmt::format(", between hosts {}", axesText(mesh.layout.dcn()));
        line += fmt::format("; {}; exchange {} a step", sharingText(mesh),
                            formatBytes(static_cast<std::size_t>(mesh.bytesPerStep)));
        if (severalHosts)
            line += fmt::format(" ({} between hosts)",
                                formatBytes(static_cast<std::size_t>(mesh.bytesBetweenHosts)));
        line +=
            fmt::format("; memory {}{}", formatBytes(mesh.memory), mesh.fits ? "" : ", which does not fit");
        if (mesh.step)
            line += fmt::format("; {} a step", toText(*mesh.step));
        text += line + "\n";
    }
    return text;
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/gpu_plan.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "engine/attention/attention_mode.h"
#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/project/project_settings.h"

namespace meshreel {
namespace {

const std::string gpuKey{GpuChoice::key};
const std::string noGpu{GpuChoice::noneName};

GpuChoice choiceOf(const Project& project) {
    return GpuChoice::parse(project.gpus).value_or(GpuChoice{});
}

Fix useCpu() {
    return {.words = {}, .changes = {{.key = gpuKey, .value = noGpu}}};
}

Problem unable(std::string other, Sentence message, Sentence words, const std::string& value) {
    return {.id = "gpu-cannot-compute",
            .key = gpuKey,
            .involved = {other},
            .message = std::move(message),
            .fixes = {{.words = std::move(words), .changes = {{.key = std::move(other), .value = value}}},
                      useCpu()}};
}

/// What no key of the project says whether a GPU can do it, at this stage of the engine.
std::vector<Problem> unableProblems(const Project& project, const ModelFacts& model,
                                    std::optional<int> ranks) {
    std::vector<Problem> problems;
    const auto resolved = resolveMesh(meshRequest(project, ranks.value_or(1)));
    const auto* layout = std::get_if<MeshLayout>(&resolved);
    if (layout != nullptr && layout->devices() > 1)
        problems.push_back({.id = "gpus-for-one-device",
                            .key = gpuKey,
                            .involved = {"devices"},
                            .message = sentence("a GPU computes on a mesh of one device, and this one has {}",
                                                layout->devices()),
                            .fixes = {{.words = sentence("Use one device, or the CPU (gpus: none)"),
                                       .changes = {{.key = "devices", .value = "1"}}},
                                      useCpu()}});
    if (project.weightsDtype == "int8")
        problems.push_back(unable("weights_dtype", sentence("a GPU does not compute with int8 weights yet"),
                                  sentence("Use bfloat16 weights, or the CPU (gpus: none)"), "bfloat16"));
    const AttentionMode& mode = *attentionSettings(project).mode;
    if (mode.kernel == AttentionKernel::CustomFixedM)
        problems.push_back(unable("attention",
                                  sentence("a GPU has no kernel with a fixed maximum ({}) yet", mode.name),
                                  sentence("Use flash, or the CPU (gpus: none)"), "flash"));
    const std::int64_t headDim = model.transformer.headDim;
    if (headDim > GpuAttentionProblem::widestHead || headDim % GpuAttentionProblem::headStep != 0)
        problems.push_back(
            {.id = "gpu-cannot-compute",
             .key = gpuKey,
             .message = sentence("the model's heads have {} numbers; a GPU takes multiples of "
                                 "{} up to {}",
                                 headDim, GpuAttentionProblem::headStep, GpuAttentionProblem::widestHead),
             .fixes = setKey(sentence("Use the CPU"), gpuKey, {noGpu})});
    return problems;
}

bool fitsGpu(const RunPlan& plan) {
    return plan.memory.devicePeak() <= plan.memory.deviceAvailable;
}

/// What the VAE needs by itself.
std::uint64_t vaeOnGpuBytes(const MemoryEstimate& memory) {
    return memory.deviceVae.weights + std::max(memory.deviceVae.encoding, memory.deviceVae.decoding);
}

Problem shortMemory(const RunPlan& plan) {
    const DeviceMemory& device = plan.memory.device;
    return {.id = "memory-short",
            .key = gpuKey,
            .involved = {"num_frames", "width", "height"},
            .message = sentence("the GPU {} needs {} of its memory for activations and {} for a layer at a "
                                "time, and {} are free",
                                plan.gpu->facts.name, formatBytes(device.activations),
                                formatBytes(device.used), formatBytes(plan.memory.deviceAvailable)),
            .fixes = {{.words = sentence("Make a smaller or shorter video, or use the CPU (gpus: none)"),
                       .changes = {{.key = gpuKey, .value = noGpu}}}}};
}

void useCpuInstead(RunPlan& plan, Sentence why) {
    plan.gpu.reset();
    plan.vaeOnGpu = false;
    plan.vaeStripsInTurn = 1;
    plan.whyNoGpu = std::move(why);
}

using Replan = std::function<void(RunPlan& plan)>;

/// Cuts decoded frames into as few strips as fit.
void cutVaeUntilFit(RunPlan& plan, const Replan& replan) {
    if (plan.model.vae.tiny ||
        plan.memory.deviceVae.weights + plan.memory.deviceVae.encoding > plan.memory.deviceAvailable)
        return;
    while (vaeOnGpuBytes(plan.memory) > plan.memory.deviceAvailable &&
           plan.vaeStripsInTurn < plan.latentShape[4]) {
        plan.vaeStripsInTurn *= 2;
        replan(plan);
    }
}

void keepVaeOnCpu(RunPlan& plan, const Replan& replan) {
    plan.whyVaeOnCpu =
        sentence("the VAE needs {} of the GPU's memory beside the transformer, and {} are free",
                 formatBytes(vaeOnGpuBytes(plan.memory)), formatBytes(plan.memory.deviceAvailable));
    plan.vaeOnGpu = false;
    plan.vaeStripsInTurn = 1;
    replan(plan);
}

/// Streams layers until the plan fits, or none is left to stream.
void streamUntilFit(RunPlan& plan, const Replan& replan) {
    const std::int64_t layers = plan.model.transformerLayers ? std::ssize(*plan.model.transformerLayers) : 0;
    for (std::int64_t resident = plan.residentLayers.value_or(layers) - 1; resident >= 0 && !fitsGpu(plan);
         --resident) {
        plan.residentLayers = resident;
        replan(plan);
    }
}

}  // namespace

std::vector<Problem> gpuProblems(const Project& project, const ModelFacts& model, std::optional<int> ranks) {
    return choiceOf(project).numbers.empty() ? std::vector<Problem>() : unableProblems(project, model, ranks);
}

void planGpu(RunPlan& plan, const std::optional<std::vector<GpuDriver>>& drivers) {
    const GpuChoice choice = choiceOf(plan.project);
    if (choice.isNone())
        return;
    if (choice.automatic)
        if (const std::vector<Problem> unfit = unableProblems(plan.project, plan.model, plan.ranks);
            !unfit.empty())
            return useCpuInstead(plan, unfit.front().message);
    const std::vector<GpuDriver> asked = drivers ? *drivers : askDrivers(usualQuestion());
    plan.gpu = chooseGpu(choice, asked);
    plan.vaeOnGpu = plan.gpu.has_value();
    if (!plan.gpu) {
        const Sentence none = whyNoGpu(asked);
        plan.whyNoGpu =
            none.empty() ? sentence("there is a software driver only, which auto does not take") : none;
    }
}

void fitIntoGpu(RunPlan& plan, const Replan& replan) {
    if (!plan.gpu)
        return;
    // Streamed layers cost less time than a VAE on the CPU, which is the last resort.
    cutVaeUntilFit(plan, replan);
    if (vaeOnGpuBytes(plan.memory) > plan.memory.deviceAvailable)
        keepVaeOnCpu(plan, replan);
    const std::optional<std::int64_t> asked = plan.residentLayers;
    streamUntilFit(plan, replan);
    if (!fitsGpu(plan) && plan.vaeOnGpu) {
        plan.residentLayers = asked;
        keepVaeOnCpu(plan, replan);
        streamUntilFit(plan, replan);
    }
    if (fitsGpu(plan))
        return;
    const Problem problem = shortMemory(plan);
    if (!choiceOf(plan.project).automatic)
        throw Error(ErrorKind::Resources, problem);
    plan.residentLayers.reset();
    useCpuInstead(plan, problem.message);
    replan(plan);
}

}  // namespace meshreel

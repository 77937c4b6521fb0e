// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/worker_pool.h"
#include "engine/planning/model_library.h"
#include "engine/planning/system_resources.h"
#include "engine/project/project_keys.h"
#include "engine/sampling/scheduler.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

void requireValid(const Project& project) {
    auto problems = validate(project);
    if (hasErrors(problems))
        throw ProjectError(std::move(problems));
}

/// Error{Project} for a size that this model cannot make, with the nearest ones that it can.
void requireMultiple(std::string_view key, std::int64_t value, std::int64_t step, std::int64_t offset) {
    if ((value - offset) % step == 0)
        return;
    const std::int64_t below = (value - offset) / step * step + offset;
    const std::string grid = offset == 0 ? fmt::format("multiples of {}", step)
                                         : fmt::format("multiples of {} plus {}", step, offset);
    throw Error(ErrorKind::Project, fmt::format("{} is {}, and this model makes {}", key, value, grid),
                std::string(key),
                below > 0 ? fmt::format("The nearest legal values are {} and {}", below, below + step)
                          : fmt::format("The nearest legal value is {}", below + step));
}

void requireWithinRotary(std::string_view key, std::int64_t patches, const WanTransformerConfig& config) {
    if (patches > config.rotaryMaxLength)
        throw Error(ErrorKind::Project,
                    fmt::format("{} makes {} patches along one axis, and this model knows {} positions", key,
                                patches, config.rotaryMaxLength),
                    std::string(key), "Make it smaller");
}

Shape latentShapeOf(const Project& project, const ModelFacts& model) {
    const std::int64_t spatial = model.vae.spatialFactor();
    const std::int64_t temporal = model.vae.temporalFactor();
    const auto& patch = model.transformer.patch;
    requireMultiple("height", project.height, spatial * patch[1], 0);
    requireMultiple("width", project.width, spatial * patch[2], 0);
    const std::int64_t frames = (project.numFrames - 1) / temporal + 1;
    requireMultiple("num_frames", project.numFrames, temporal * patch[0], temporal * (patch[0] - 1) + 1);
    requireWithinRotary("num_frames", frames / patch[0], model.transformer);
    requireWithinRotary("height", project.height / spatial / patch[1], model.transformer);
    requireWithinRotary("width", project.width / spatial / patch[2], model.transformer);
    return {1, model.transformer.inChannels, frames, project.height / spatial, project.width / spatial};
}

std::int64_t tokensOf(const Shape& latents, const WanTransformerConfig& config) {
    return latents[2] / config.patch[0] * (latents[3] / config.patch[1]) * (latents[4] / config.patch[2]);
}

AttentionSettings attentionOf(const Project& project) {
    return {.mode = &requireAttentionMode(project.attention),
            .blocks = resolveFlashBlocks({project.blockQ, project.blockKv, project.blockKvCompute}),
            .flashMinSeqLength = project.flashMinSeqLength};
}

/// The config that the run uses; throws when no such scheduler can be made.
SchedulerConfig schedulerOf(const Project& project, const SchedulerConfig& ofCheckpoint) {
    SchedulerConfig config = chooseScheduler(ofCheckpoint, project.scheduler);
    config.flowShift = project.flowShift;
    static_cast<void>(makeScheduler(config));
    return config;
}

int workersOf(const Project& project, const PlanOptions& options) {
    if (options.workers > 0)
        return options.workers;
    return project.workers > 0 ? static_cast<int>(project.workers) : availableCpus();
}

void requireMemory(RunPlan& plan, const PlanOptions& options) {
    plan.memory.available = options.memoryBytes.value_or(0);
    if (!options.memoryBytes)
        plan.memory.available = availableMemory();
    if (plan.memory.peak() <= plan.memory.available)
        return;
    throw Error(ErrorKind::Resources,
                fmt::format("the run needs about {} of memory, and {} are available",
                            formatBytes(plan.memory.peak()), formatBytes(plan.memory.available)),
                {},
                plan.memory.decoding == plan.memory.peak()
                    ? "Make the video smaller or shorter, or close other programs"
                    : "Make the video smaller or shorter, use a smaller model, or close other programs");
}

void requireDisk(RunPlan& plan, const PlanOptions& options) {
    if (options.runsFolder.empty())
        return;
    plan.disk.available = options.diskBytes ? *options.diskBytes : freeDiskSpace(options.runsFolder);
    if (plan.disk.runFolder > plan.disk.available)
        throw Error(ErrorKind::Resources,
                    fmt::format("the run writes up to {}, and {} are free on the disk",
                                formatBytes(plan.disk.runFolder), formatBytes(plan.disk.available)),
                    withTilde(options.runsFolder), "Free some space, or choose another folder with --out");
}

void addWarnings(RunPlan& plan) {
    if (const int cpus = availableCpus(); plan.workersPerDevice > cpus)
        plan.warnings.push_back(fmt::format("{} workers share {} CPUs; more workers than CPUs are slower",
                                            plan.workersPerDevice, cpus));
    constexpr double tight = 0.9;
    if (static_cast<double>(plan.memory.peak()) > tight * static_cast<double>(plan.memory.available))
        plan.warnings.push_back(fmt::format("The run takes about {} of the {} of memory that are available",
                                            formatBytes(plan.memory.peak()),
                                            formatBytes(plan.memory.available)));
}

}  // namespace

RunPlan makePlan(const Project& project, const PlanOptions& options) {
    requireValid(project);
    RunPlan plan;
    plan.project = project;
    plan.attention = attentionOf(project);
    plan.modelFolder = findModel(project.model);
    plan.model = readModelFacts(plan.modelFolder);
    plan.model.scheduler = schedulerOf(project, plan.model.scheduler);
    plan.latentShape = latentShapeOf(project, plan.model);
    plan.tokens = tokensOf(plan.latentShape, plan.model.transformer);
    plan.guided = project.guidanceScale > 1.0;
    plan.workersPerDevice = workersOf(project, options);

    const Workload work{plan.latentShape, plan.tokens, plan.guided, plan.workersPerDevice};
    plan.memory = estimateMemory(project, plan.model, work, plan.attention);
    plan.flops = estimateFlops(project, plan.model, work);
    plan.disk = estimateDisk(project, work);
    requireMemory(plan, options);
    requireDisk(plan, options);
    addWarnings(plan);
    return plan;
}

}  // namespace meshreel

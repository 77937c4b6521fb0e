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
#include "engine/project/mesh_validation.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
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
    requireAttentionMode(project.attention);
    AttentionSettings settings = attentionSettings(project);
    settings.blocks = resolveFlashBlocks(settings.blocks);
    return settings;
}

/// Error{Project} for what this model cannot do on this mesh.
void requireMeshFits(const Project& project, int ranks, const WanTransformerConfig& model) {
    auto problems = projectMeshProblems(
        project, ranks, {.heads = model.heads, .headDim = model.headDim, .feedForward = model.ffnDim});
    if (hasErrors(problems))
        throw ProjectError(std::move(problems));
}

int cpusOf(const PlanOptions& options) {
    return options.cpus > 0 ? options.cpus : availableCpus();
}

/// The config that the run uses; throws when no such scheduler can be made.
SchedulerConfig schedulerOf(const Project& project, const SchedulerConfig& ofCheckpoint) {
    SchedulerConfig config = chooseScheduler(ofCheckpoint, project.scheduler);
    config.flowShift = project.flowShift;
    static_cast<void>(makeScheduler(config));
    return config;
}

int workersOf(const Project& project, const PlanOptions& options, int devices) {
    if (options.workers > 0)
        return options.workers;
    if (project.workers > 0)
        return static_cast<int>(project.workers);
    return std::max(1, cpusOf(options) / devices);
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

void warnOfOversubscription(RunPlan& plan, int cpus) {
    const int devices = plan.devicesPerRank();
    const int workers = devices * plan.workersPerDevice;
    if (workers <= cpus)
        return;
    const std::string who = devices == 1
                                ? fmt::format("{} workers share", workers)
                                : fmt::format("{} devices of {} {} share", devices, plan.workersPerDevice,
                                              plan.workersPerDevice == 1 ? "worker" : "workers");
    plan.warnings.push_back(
        fmt::format("{} {} {}; more workers than CPUs are slower", who, cpus, cpus == 1 ? "CPU" : "CPUs"));
}

void addWarnings(RunPlan& plan, const PlanOptions& options) {
    warnOfOversubscription(plan, cpusOf(options));
    constexpr double tight = 0.9;
    if (static_cast<double>(plan.memory.peak()) > tight * static_cast<double>(plan.memory.available))
        plan.warnings.push_back(fmt::format("The run takes about {} of the {} of memory that are available",
                                            formatBytes(plan.memory.peak()),
                                            formatBytes(plan.memory.available)));
}

}  // namespace

RunPlan makePlan(const Project& asked, const PlanOptions& options) {
    Project project = asked;
    if (options.devices > 0)
        project.devices = options.devices;
    requireValid(project);
    RunPlan plan;
    plan.project = project;
    plan.ranks = options.ranks;
    plan.attention = attentionOf(project);
    plan.modelFolder = findModel(project.model);
    plan.model = readModelFacts(plan.modelFolder);
    plan.model.scheduler = schedulerOf(project, plan.model.scheduler);
    plan.latentShape = latentShapeOf(project, plan.model);
    plan.tokens = tokensOf(plan.latentShape, plan.model.transformer);
    plan.guided = project.guidanceScale > 1.0;
    requireMeshFits(project, plan.ranks, plan.model.transformer);
    plan.layout = std::get<MeshLayout>(resolveMesh(meshRequest(project, plan.ranks)));
    plan.vaeStrips = vaeStrips(project, plan.layout.devices());
    plan.workersPerDevice = workersOf(project, options, plan.devicesPerRank());
    plan.stallTimeout = std::chrono::seconds(project.stallTimeout);

    const Workload work{plan.latentShape, plan.tokens, plan.guided, plan.workersPerDevice};
    plan.memory = estimateMemory(project, plan.model, work, plan.attention);
    plan.flops = estimateFlops(project, plan.model, work);
    plan.disk = estimateDisk(project, work);
    requireMemory(plan, options);
    requireDisk(plan, options);
    addWarnings(plan, options);
    return plan;
}

void requireRunnable(const RunPlan& plan) {
    if (plan.layout.devices() > 1)
        throw Error(
            ErrorKind::Project,
            fmt::format("the mesh has {} devices, and this version runs on one", plan.layout.devices()),
            "devices", "Leave every axis of the mesh at 1; --workers sets the threads that compute");
}

}  // namespace meshreel

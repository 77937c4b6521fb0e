// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/run_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/worker_pool.h"
#include "engine/planning/assembled_model.h"
#include "engine/planning/project_check.h"
#include "engine/planning/system_resources.h"
#include "engine/planning/task_choice.h"
#include "engine/planning/video_shape.h"
#include "engine/project/input_files.h"
#include "engine/project/mesh_validation.h"
#include "engine/project/number_list.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

void requireNoErrors(std::vector<ProjectProblem> problems) {
    if (hasErrors(problems))
        throw ProjectError(std::move(problems));
}

AttentionSettings attentionOf(const Project& project) {
    requireAttentionMode(project.attention);
    AttentionSettings settings = attentionSettings(project);
    settings.blocks = resolveFlashBlocks(settings.blocks);
    return settings;
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

std::optional<double> boundaryOf(const Project& project, const ModelFacts& model) {
    if (model.experts() == 1)
        return std::nullopt;
    const double ratio = project.boundaryRatio > 0 ? project.boundaryRatio : model.boundaryRatio.value_or(0);
    return ratio * model.scheduler.numTrainTimesteps;
}

std::int64_t guidedSteps(const RunPlan& plan) {
    std::int64_t guided = 0;
    for (const ExpertSteps& stretch : plan.experts)
        if (plan.guidanceOf(stretch.expert) > 1.0)
            guided += stretch.endStep - stretch.firstStep;
    return guided;
}

void planTask(RunPlan& plan) {
    plan.task = chooseTask(plan.project, *plan.model.family).task;
    plan.sigmas = givenSigmas(plan.project);
    plan.referenceFrames = std::ssize(inputFiles(plan.project, *findInputKey("reference_images")));
}

void planSteps(RunPlan& plan) {
    const auto scheduler = plan.makeScheduler();
    plan.experts = expertSteps(scheduler->timesteps(), boundaryOf(plan.project, plan.model));
    plan.guided = guidedSteps(plan) > 0;
    if (!plan.sigmas.empty())
        plan.project.numInferenceSteps = std::ssize(plan.sigmas);
}

int workersOf(const Project& project, const PlanOptions& options, int devices) {
    if (options.workers > 0)
        return options.workers;
    if (project.workers > 0)
        return static_cast<int>(project.workers);
    return std::max(1, cpusOf(options) / devices);
}

/// What follows from the video's size and length.
void planVideo(RunPlan& plan) {
    const Shape video = latentShapeOf(plan.project, plan.model);
    plan.latentShape = {video[0], video[1], video[2] + plan.referenceFrames, video[3], video[4]};
    plan.tokens = tokensOf(plan.latentShape, plan.model.transformer);
    const Workload work{.latentShape = plan.latentShape,
                        .tokens = plan.tokens,
                        .guided = plan.guided,
                        .steps = plan.steps(),
                        .guidedSteps = guidedSteps(plan),
                        .bothExperts = plan.bothExpertsResident,
                        .workersPerDevice = plan.workersPerDevice,
                        .layout = plan.layout,
                        .ranks = plan.ranks,
                        .vaeStrips = plan.vaeStrips,
                        .precision = plan.precision.transformer,
                        .vaeActivations = plan.precision.vae};
    plan.memory = estimateMemory(plan.project, plan.model, work, plan.attention);
    plan.flops = estimateFlops(plan.project, plan.model, work);
    plan.disk = estimateDisk(plan.project, work);
}

/// Whether the plan with another video fits into what is available.
template <typename Change>
bool fitsWith(const RunPlan& plan, const Change& change) {
    RunPlan other = plan;
    change(other.project);
    planVideo(other);
    return other.memory.peak() <= plan.memory.available;
}

/// The nearest settings that fit, each by itself: fewer frames, then a smaller size of about the same form.
std::vector<std::string> settingsThatFit(const RunPlan& plan) {
    std::vector<std::string> settings;
    const Project& project = plan.project;
    const std::int64_t group = plan.model.vae.temporalFactor();
    for (std::int64_t frames = project.numFrames - group; frames > 0; frames -= group)
        if (fitsWith(plan, [&](Project& other) { other.numFrames = frames; })) {
            settings.push_back(fmt::format("num_frames {}", frames));
            break;
        }
    const auto& patch = plan.model.transformer.patch;
    const std::int64_t sizeStep = plan.model.vae.spatialFactor() * std::max(patch[1], patch[2]);
    for (std::int64_t width = project.width - sizeStep; width > 0; width -= sizeStep) {
        const std::int64_t height =
            std::max(sizeStep, width * project.height / project.width / sizeStep * sizeStep);
        if (fitsWith(plan, [&](Project& other) { other.width = width, other.height = height; })) {
            settings.push_back(fmt::format("width {} and height {}", width, height));
            break;
        }
    }
    return settings;
}

/// The stage that needs the most, as people call it.
std::string_view hungriestStage(const MemoryEstimate& memory) {
    const std::uint64_t peak = memory.peak();
    if (memory.decoding.total() == peak)
        return "decoding";
    if (memory.denoising.total() == peak)
        return "denoising";
    return memory.conditioning.total() == peak ? "encoding the prompt" : "loading";
}

/// Both experts stay in memory where that holds them, the pages of their files included, beside all else.
void chooseResidentExperts(RunPlan& plan) {
    if (plan.model.experts() == 1)
        return;
    RunPlan both = plan;
    both.bothExpertsResident = true;
    planVideo(both);
    if (both.memory.peak() + both.memory.denoising.mapped > plan.memory.available)
        return;
    both.memory.available = plan.memory.available;
    plan = std::move(both);
}

void requireMemory(RunPlan& plan, const PlanOptions& options) {
    plan.memory.available = options.memoryBytes ? *options.memoryBytes : availableMemory();
    chooseResidentExperts(plan);
    if (plan.memory.peak() <= plan.memory.available)
        return;
    const std::vector<std::string> settings = settingsThatFit(plan);
    throw Error(ErrorKind::Resources,
                fmt::format("the run needs about {} of memory for {}, and {} are available",
                            formatBytes(plan.memory.peak()), hungriestStage(plan.memory),
                            formatBytes(plan.memory.available)),
                {},
                settings.empty()
                    ? "No smaller video fits either: use a smaller model, or close other programs"
                    : fmt::format("This fits: {}; or close other programs", fmt::join(settings, ", or ")));
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

/// A frame rate that was left at the project's default, on a model that makes videos of another.
void warnOfFrameRate(RunPlan& plan) {
    const double own = plan.model.family->defaults.fps;
    if (plan.project.fps == Project().fps && own != plan.project.fps)
        plan.warnings.push_back(fmt::format("fps is {}, and the model ({}) makes {} frames a second",
                                            plan.project.fps, plan.model.family->title, own));
}

void addWarnings(RunPlan& plan, const PlanOptions& options) {
    warnOfFrameRate(plan);
    warnOfOversubscription(plan, cpusOf(options));
    constexpr double tight = 0.9;
    if (static_cast<double>(plan.memory.peak()) > tight * static_cast<double>(plan.memory.available))
        plan.warnings.push_back(fmt::format("The run takes about {} of the {} of memory that are available",
                                            formatBytes(plan.memory.peak()),
                                            formatBytes(plan.memory.available)));
}

}  // namespace

double RunPlan::guidanceOf(int expert) const {
    if (model.experts() == 1)
        return project.guidanceScale;
    const double own = expert == 1 ? project.guidanceScaleHigh : project.guidanceScaleLow;
    return own > 0 ? own : project.guidanceScale;
}

std::unique_ptr<Scheduler> RunPlan::makeScheduler() const {
    auto scheduler = meshreel::makeScheduler(model.scheduler);
    scheduler->setNoiseSeed(static_cast<std::uint64_t>(project.seed));
    if (sigmas.empty())
        scheduler->setTimesteps(static_cast<int>(project.numInferenceSteps));
    else
        scheduler->setTimesteps(sigmas);
    if (task == WanTask::VideoToVideo)
        scheduler->dropFirst(scheduler->steps() -
                             static_cast<int>(project.strength * static_cast<double>(scheduler->steps())));
    return scheduler;
}

Shape RunPlan::videoLatentShape() const {
    return {latentShape[0], latentShape[1], latentShape[2] - referenceFrames, latentShape[3], latentShape[4]};
}

VideoGeometry RunPlan::geometry() const {
    return {.frames = project.numFrames,
            .height = project.height,
            .width = project.width,
            .spatialFactor = model.vae.spatialFactor(),
            .temporalFactor = model.vae.temporalFactor()};
}

RunPlan makePlan(const Project& asked, const PlanOptions& options) {
    Project project = asked;
    if (options.devices > 0)
        project.devices = options.devices;
    requireNoErrors(validate(project));
    RunPlan plan;
    plan.project = project;
    plan.ranks = options.ranks;
    plan.attention = attentionOf(project);
    plan.precision = precisionOf(project);
    plan.modelFolder = modelFolderOf(project);
    plan.model = readModelFacts(plan.modelFolder);
    plan.model.scheduler = schedulerOf(project, plan.model.scheduler);
    requireNoErrors(modelProblems(project, plan.model, plan.ranks));
    planTask(plan);
    planSteps(plan);
    plan.adapters = planAdapters(project.lora, plan.modelFolder);
    countAdapted(plan.adapters, 1, plan.modelFolder / transformerName(1), plan.model.transformerWeights);
    if (plan.model.secondWeights)
        countAdapted(plan.adapters, 2, plan.modelFolder / transformerName(2), *plan.model.secondWeights);
    plan.layout = std::get<MeshLayout>(resolveMesh(meshRequest(project, plan.ranks)));
    plan.vaeStrips = vaeStrips(project, plan.layout.devices());
    plan.workersPerDevice = workersOf(project, options, plan.devicesPerRank());
    plan.stallTimeout = std::chrono::seconds(project.stallTimeout);

    planVideo(plan);
    requireMemory(plan, options);
    requireDisk(plan, options);
    addWarnings(plan, options);
    return plan;
}

}  // namespace meshreel

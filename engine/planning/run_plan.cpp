// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/run_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/record.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/base/worker_pool.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/checks/project_check.h"
#include "engine/checks/task_choice.h"
#include "engine/estimates/video_shape.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/models/families/model_family.h"
#include "engine/models/vae/vae_options.h"
#include "engine/planning/applied_values.h"
#include "engine/planning/driving_plan.h"
#include "engine/planning/gpu_plan.h"
#include "engine/planning/memory_fit.h"
#include "engine/planning/plan_warnings.h"
#include "engine/planning/product_names.h"
#include "engine/planning/source_groups.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"
#include "engine/sampling/guidance.h"
#include "engine/sampling/scheduler.h"
#include "engine/sampling/step_caches.h"

namespace meshreel {
namespace {

void requireNoErrors(std::vector<Problem> problems) {
    if (hasErrors(problems))
        throw ProjectError(std::move(problems));
}

int cpusOf(const PlanOptions& options) {
    return options.cpus > 0 ? options.cpus : availableCpus();
}

/// Returns the config that the run uses; throws when no such scheduler can be made.
SchedulerConfig schedulerOf(const Project& project, const SchedulerConfig& ofCheckpoint) {
    SchedulerConfig config = chooseScheduler(ofCheckpoint, project.scheduler, project.sigmaSpacing);
    config.flowShift = project.flowShift;
    static_cast<void>(makeScheduler(config));
    return config;
}

void planTask(RunTask& task, const PlanOptions& options) {
    task.task = chooseTask(task.project, *task.model.family).task;
    if (task.task == WanTask::SourcesToVideo)
        task.pictures = options.pictures ? *options.pictures : readSourceSizes(task.project, task.model);
    task.sigmas = givenSigmas(task.project);
    if (isAnimation(task.task))
        task.referenceFrames = 1;
    else if (task.task == WanTask::VaceEditing)
        task.referenceFrames = std::ssize(inputFiles(task.project, *findInputKey("reference_images")));
    task.chainsClips = chainsClips(task.project, *task.model.family, task.task);
    task.continuedFrames = continuedFrames(task.project, *task.model.family, task.task);
    task.segments = {.count = 1, .frames = task.project.numFrames, .overlap = 0};
    if (isAnimation(task.task) && !isWindowed(task.project))
        task.segments = planSegments(task.project.numFrames, task.project.segmentFrameLength,
                                     task.project.prevSegmentConditioningFrames);
    if (followsSpeech(task.task)) {
        task.project.numFrames = framesOfSpeech(task.project).value_or(task.project.numFrames);
        task.segments = planSpeechClips(task.project.numFrames);
    }
}

/// The loop of the plan's experts as step caches see it.
CachedLoop cachedLoop(const RunTask& task, const Scheduler& scheduler) {
    constexpr std::int64_t tallRows = 720;
    const bool startsHigh = !task.experts.empty() && task.experts.front().expert == 1;
    return {.steps = task.loopSteps(),
            .experts = task.model.experts(),
            .highSteps = startsHigh ? task.experts.front().endStep : 0,
            .tall = task.project.height >= tallRows,
            .sigmas = {scheduler.sigmas().begin(), scheduler.sigmas().end() - 1},
            .flowShift = task.model.scheduler.flowShift};
}

void planSteps(RunTask& task, const PlanOptions& options) {
    const auto scheduler = task.makeScheduler();
    std::optional<double> boundary = boundaryRatio(task);
    if (boundary)
        *boundary *= task.model.scheduler.numTrainTimesteps;
    task.experts = expertSteps(scheduler->timesteps(), boundary);
    task.guided = guidesSomeStep(task);
    task.attentionGuidance = attentionGuidance(task.project);
    task.passes = task.passesFor(task.experts.empty() ? 1 : task.experts.front().expert);
    for (const ExpertSteps& stretch : task.experts)
        if (GuidedPasses passes = task.passesFor(stretch.expert); passes.size() > task.passes.size())
            task.passes = std::move(passes);
    task.stepCache =
        planStepCache(task.project, task.model, cachedLoop(task, *scheduler), scheduler->droppedSteps());
    task.stepCache.measuresMagRatios = options.measuresMagRatios;
    if (!task.sigmas.empty())
        task.project.numInferenceSteps = std::ssize(task.sigmas);
}

int chooseWorkers(const Project& project, const PlanOptions& options, int devices) {
    if (options.workers > 0)
        return options.workers;
    if (project.workers > 0)
        return static_cast<int>(project.workers);
    return std::max(1, cpusOf(options) / devices);
}

void planModel(RunTask& task, const PlanOptions& options) {
    if (options.model) {
        task.model = *options.model;
        return;
    }
    task.modelFolder = prepareModelFolder(task.project);
    task.model = readModelFacts(task.modelFolder);
}

void addAdapters(RunTask& task) {
    if (task.modelFolder.empty())
        return;
    task.presetAdapters = wantsDistilledAdapter(task.project);
    task.project.lora = readAdapters(task.project, *task.model.family, task.modelFolder);
    task.adapters = planAdapters(task.project.lora, task.modelFolder);
    task.model.transformerLayers = adaptedLayers(task.adapters, 1, task.model.transformerLayers);
    task.model.secondLayers = adaptedLayers(task.adapters, 2, task.model.secondLayers);
}

/// What the project says about a model on a mesh, checked.
RunTask makeTask(const Project& project, const PlanOptions& options) {
    requireNoErrors(check(project));
    RunTask task;
    task.project = project;
    task.ranks = options.ranks;
    task.attention = attentionSettings(project);
    task.precision = readPrecision(project);
    planModel(task, options);
    task.model.scheduler = schedulerOf(project, task.model.scheduler);
    requireNoErrors(check(project, &task.model, task.ranks));
    if (!options.oversubscribe)
        requireNoErrors(loadProblems(project, task.ranks, cpusOf(options)));
    planTask(task, options);
    planSteps(task, options);
    addAdapters(task);
    task.layout = std::get<MeshLayout>(resolveMesh(meshRequest(project, task.ranks)));
    task.workersPerDevice = chooseWorkers(project, options, task.devicesPerRank());
    task.stallTimeout = std::chrono::seconds(project.stallTimeout);
    task.hostMemory = options.memoryBytes ? *options.memoryBytes : availableMemory();
    task = withVideo(std::move(task));
    if (task.windows && task.stepCache.measuresMagRatios)
        throw ProjectError(
            {{.id = "step-cache-with-windows",
              .key = "context_frames",
              .message = sentence("A MagCache curve is measured on whole steps, and context windows make "
                                  "several passes of each"),
              .fixes = setKey(sentence("Measure with 0"), "context_frames", {"0"})}});
    return task;
}

Arithmetic productsOf(PlacedPart part, const RunPrecision& precision) {
    switch (part) {
        case PlacedPart::Transformer:
        case PlacedPart::SecondTransformer:
            return precision.transformer.linears();
        case PlacedPart::TextEncoder:
        case PlacedPart::ImageEncoder:
            return precision.encoderProducts();
        case PlacedPart::VaeEncoder:
        case PlacedPart::VaeDecoder:
        case PlacedPart::PreviewDecoder:
            return VaePrecision{.activations = precision.vae}.products();
        case PlacedPart::Embeddings:
            return Arithmetic::F32;
    }
    return Arithmetic::F32;
}

/// Adds what each part multiplies with, in what, and the bytes that it takes.
Placement completed(const RunTask& task, const Placed& placed) {
    Placement placement = placed.placement;
    for (PartPlan& part : placement.parts) {
        part.products = productsOf(part.part, task.precision);
        part.bytes = placed.memory.parts[static_cast<std::size_t>(part.part)];
    }
    nameProducts(placement);
    return placement;
}

void requireDisk(const DiskEstimate& disk, const PlanOptions& options) {
    if (disk.runFolder > disk.available)
        throw Error(
            ErrorKind::Resources,
            Problem{.id = "disk-short",
                    .place = {.file = withTilde(options.runsFolder)},
                    .message = sentence("the run writes up to {}, and {} are free on the disk",
                                        formatBytes(disk.runFolder), formatBytes(disk.available)),
                    .fixes = byHand(sentence("Free some space on it, or choose another folder for runs"))});
}

DiskEstimate checkedDisk(const RunTask& task, const PlanOptions& options) {
    DiskEstimate disk = estimateDisk(task);
    if (options.runsFolder.empty())
        return disk;
    disk.available = options.diskBytes ? *options.diskBytes : freeDiskSpace(options.runsFolder);
    requireDisk(disk, options);
    return disk;
}

/// What was refused of the libraries that multiply: one fault, whatever takes their place.
std::optional<Problem> libraryWarning(const RunPrecision& precision) {
    const std::vector<Sentence> refusals =
        libraryRemarks({precision.transformer.linears(), precision.encoderProducts()}).refusals;
    if (refusals.empty())
        return std::nullopt;
    Sentence all = refusals.front();
    for (const Sentence& refusal : std::span(refusals).subspan(1))
        all = sentence("{}. {}", all, refusal);
    return Problem{.id = "library-refused", .severity = Severity::Warning, .message = std::move(all)};
}

/// What keeps the run from nothing.
std::vector<Problem> warningsOf(const RunTask& task, const MemoryEstimate& memory,
                                const PlanOptions& options) {
    std::vector<Problem> warnings = planWarnings(task, memory, cpusOf(options));
    if (std::optional<Problem> refused = libraryWarning(task.precision))
        warnings.push_back(*std::move(refused));
    return warnings;
}

}  // namespace

/// The only maker of plans.
class Planner {
  public:
    static PlanPtr finish(RunTask task, const Placed& placed, const DiskEstimate& disk,
                          std::vector<Problem> warnings) {
        return PlanPtr(new RunPlan(std::move(task), placed, disk, std::move(warnings)));
    }
};

RunPlan::RunPlan(RunTask task, const Placed& placed, const DiskEstimate& written, std::vector<Problem> found)
    : RunTask(std::move(task)),
      placement(completed(*this, placed)),
      memory(placed.memory),
      flops(estimateFlops(static_cast<const RunTask&>(*this))),
      disk(written),
      warnings(std::move(found)) {}

PlanPtr withPlacement(RunTask task, const Placed& placed) {
    const DiskEstimate disk = estimateDisk(task);
    return Planner::finish(std::move(task), placed, disk, {});
}

PlanPtr makePlan(const Project& asked, const PlanOptions& options) {
    Project project = asked;
    if (options.devices > 0)
        project.devices = options.devices;
    const auto place = [&options](const RunTask& of) { return keepWhatFits(of, placeRun(of, options)); };
    RunTask task = withDrivingKeys(makeTask(project, options), place);
    const Placed chosen = placeRun(task, options);
    const Placed placed = options.beyondMemory ? keepWhatFits(task, chosen) : fitIntoMemory(task, chosen);
    const DiskEstimate disk = checkedDisk(task, options);
    std::vector<Problem> warnings = warningsOf(task, placed.memory, options);
    return Planner::finish(std::move(task), placed, disk, std::move(warnings));
}

PlanPtr withStoredProject(const RunPlan& plan, Project stored) {
    RunTask task = plan;
    task.project = std::move(stored);
    return Planner::finish(std::move(task), {.placement = plan.placement, .memory = plan.memory}, plan.disk,
                           plan.warnings);
}

namespace {

/// Returns the task with changes of mesh and attention keys; nothing when they are not legal or leave devices
/// without work.
std::optional<RunTask> taskOnMesh(const RunPlan& plan, const KeyChanges& changes) {
    RunTask task = plan;
    for (const KeyChange& change : changes)
        if (trySetFromText(task.project, *findProjectKey(change.key), change.value))
            return std::nullopt;
    // A new warning is about devices without work.
    const std::vector<Problem> problems = check(task.project, &plan.model, plan.ranks);
    if (hasErrors(problems) || problems.size() > check(plan.project, &plan.model, plan.ranks).size())
        return std::nullopt;
    const auto layout = resolveMesh(meshRequest(task.project, plan.ranks));
    if (std::holds_alternative<Problem>(layout))
        return std::nullopt;
    task.layout = std::get<MeshLayout>(layout);
    task.attention = attentionSettings(task.project);
    if (task.project.workers == 0)
        task.workersPerDevice =
            std::max(1, plan.workersPerDevice * plan.devicesPerRank() / task.devicesPerRank());
    task.hostMemory = plan.memory.available;
    return withVideo(std::move(task));
}

}  // namespace

PlanPtr planOnMesh(const RunPlan& plan, const KeyChanges& changes) {
    std::optional<RunTask> task = taskOnMesh(plan, changes);
    if (!task)
        return nullptr;
    const std::vector<ChosenGpu>& gpus = plan.placement.gpus;
    if (!gpus.empty() && task->layout.devices() != plan.layout.devices())
        return nullptr;
    const auto place = [&](const RunTask& of) {
        return keepWhatFits(of, gpus.empty() ? placeOnCpu(of, whyOnCpu(plan.placement))
                                             : placeOnGpus(of, gpus, plan.placement.gpusLeft).placed);
    };
    *task = withDrivingKeys(*std::move(task), place);
    return withPlacement(*task, place(*task));
}

}  // namespace meshreel

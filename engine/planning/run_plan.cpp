// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/run_plan.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/base/worker_pool.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/planning/gpu_plan.h"
#include "engine/planning/memory_fit.h"
#include "engine/planning/project_check.h"
#include "engine/planning/video_shape.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"

namespace meshreel {
namespace {

constexpr std::string_view bfloat16 = "bfloat16";

DType typeOf(std::string_view keyValue) {
    return keyValue == bfloat16 ? DType::BF16 : DType::F32;
}

Arithmetic weightArithmetic(std::string_view keyValue) {
    if (keyValue == "int8")
        return Arithmetic::Int8;
    return keyValue == bfloat16 ? Arithmetic::BF16 : Arithmetic::F32;
}

}  // namespace

RunPrecision readPrecision(const Project& project) {
    return {.transformer = {.weights = weightArithmetic(project.weightsDtype),
                            .activations = typeOf(project.activationsDtype)},
            .textEncoder = typeOf(project.textEncoderDtype),
            .vae = typeOf(project.vaeDtype),
            .vaeWeights = typeOf(project.vaeWeightsDtype),
            .scheduler = typeOf(project.schedulerDtype)};
}

std::string_view keyValueOf(DType type) {
    return type == DType::BF16 ? bfloat16 : std::string_view("float32");
}

std::string_view keyValueOf(Arithmetic weights) {
    switch (weights) {
        case Arithmetic::F32:
            return "float32";
        case Arithmetic::BF16:
            return bfloat16;
        case Arithmetic::Int8:
            return "int8";
    }
    return {};
}

nlohmann::ordered_json precisionJson(const RunPrecision& precision) {
    return {{"weights", keyValueOf(precision.transformer.weights)},
            {"activations", keyValueOf(precision.transformer.activations)},
            {"products", nameOf(precision.transformer.linears())},
            {"products_by", linearCandidate(precision.transformer.linears()).kernel.name},
            {"text_encoder", keyValueOf(precision.textEncoder)},
            {"vae", keyValueOf(precision.vae)},
            {"vae_weights", keyValueOf(precision.vaeWeights)},
            {"scheduler", keyValueOf(precision.scheduler)}};
}

namespace {

void requireNoErrors(std::vector<Problem> problems) {
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

std::optional<double> readBoundary(const Project& project, const ModelFacts& model) {
    if (model.experts() == 1)
        return std::nullopt;
    const double ratio = project.boundaryRatio > 0 ? project.boundaryRatio : model.boundaryRatio.value_or(0);
    return ratio * model.scheduler.numTrainTimesteps;
}

/// Steps in which the transformer's blocks run. What a cache only may leave out counts.
struct BlockSteps {
    std::int64_t all = 0;
    std::int64_t guided = 0;  ///< of these, with negative halves
};

BlockSteps blockSteps(const RunPlan& plan) {
    BlockSteps steps;
    for (const ExpertSteps& stretch : plan.experts)
        for (int step = stretch.firstStep; step < stretch.endStep; ++step) {
            const StepWork work = plan.stepCache.workOf(step);
            if (work == StepWork::NoBlocks && !plan.stepCache.decidesLater())
                continue;
            ++steps.all;
            if (plan.guidanceOf(stretch.expert) > 1.0 && work != StepWork::PromptOnly)
                ++steps.guided;
        }
    return steps;
}

/// Copies of a row's tokens that a cache keeps.
int streamsKept(const StepCachePlan& cache) {
    if (!cache.keepsBlocks())
        return 0;
    return cache.measuresGrowth || cache.kind == StepCacheKind::FirstBlock ? 2 : 1;
}

void planTask(RunPlan& plan) {
    plan.task = chooseTask(plan.project, *plan.model.family).task;
    plan.vaeEncodes = plan.task != WanTask::TextToVideo;
    plan.sigmas = givenSigmas(plan.project);
    plan.referenceFrames =
        isAnimation(plan.task) ? 1 : std::ssize(inputFiles(plan.project, *findInputKey("reference_images")));
    plan.segments = {.count = 1, .frames = plan.project.numFrames, .overlap = 0};
    if (isAnimation(plan.task))
        plan.segments = planSegments(plan.project.numFrames, plan.project.segmentFrameLength,
                                     plan.project.prevSegmentConditioningFrames);
}

/// The loop of the plan's experts as step caches see it.
CachedLoop cachedLoop(const RunPlan& plan) {
    constexpr std::int64_t tallRows = 720;
    const bool startsHigh = !plan.experts.empty() && plan.experts.front().expert == 1;
    return {.steps = plan.loopSteps(),
            .experts = plan.model.experts(),
            .highSteps = startsHigh ? plan.experts.front().endStep : 0,
            .tall = plan.project.height >= tallRows};
}

/// Steps that video to video leaves out.
int droppedSteps(const RunPlan& plan) {
    const auto asked = plan.sigmas.empty() ? static_cast<int>(plan.project.numInferenceSteps)
                                           : static_cast<int>(plan.sigmas.size());
    return plan.task == WanTask::VideoToVideo ? std::max(0, asked - plan.loopSteps()) : 0;
}

void planSteps(RunPlan& plan, const PlanOptions& options) {
    const auto scheduler = plan.makeScheduler();
    plan.experts = expertSteps(scheduler->timesteps(), readBoundary(plan.project, plan.model));
    plan.guided = blockSteps(plan).guided > 0;
    plan.guidesImages = plan.guided && guidesImages(plan.project, *plan.model.family);
    plan.stepCache = planStepCache(plan.project, plan.model, cachedLoop(plan), droppedSteps(plan));
    plan.stepCache.measuresGrowth = options.measuresGrowth;
    if (!plan.sigmas.empty())
        plan.project.numInferenceSteps = std::ssize(plan.sigmas);
}

int chooseWorkers(const Project& project, const PlanOptions& options, int devices) {
    if (options.workers > 0)
        return options.workers;
    if (project.workers > 0)
        return static_cast<int>(project.workers);
    return std::max(1, cpusOf(options) / devices);
}

void planModel(RunPlan& plan, const PlanOptions& options) {
    if (options.model) {
        plan.model = *options.model;
        return;
    }
    plan.modelFolder = modelFolderOf(plan.project);
    plan.model = readModelFacts(plan.modelFolder);
}

void addAdapters(RunPlan& plan) {
    if (plan.modelFolder.empty())
        return;
    plan.presetAdapters = wantsDistilledAdapter(plan.project);
    plan.project.lora = readAdapters(plan.project, *plan.model.family, plan.modelFolder);
    plan.adapters = planAdapters(plan.project.lora, plan.modelFolder);
    plan.model.transformerLayers = adaptedLayers(plan.adapters, 1, plan.model.transformerLayers);
    plan.model.secondLayers = adaptedLayers(plan.adapters, 2, plan.model.secondLayers);
}

/// What follows from the video's size and length.
void planVideo(RunPlan& plan) {
    Project segment = plan.project;
    if (isAnimation(plan.task))
        segment.numFrames = plan.segments.frames;
    const Shape video = computeLatentShape(segment, plan.model);
    plan.latentShape = {std::ssize(batchItems(plan.project)), video[1], video[2] + plan.referenceFrames,
                        video[3], video[4]};
    plan.tokens = tokensOf(plan.latentShape, plan.model.transformer);
    plan.attentions = planAttentions(plan, plan.attention);
    const BlockSteps steps = blockSteps(plan);
    const Workload work{.latentShape = plan.latentShape,
                        .tokens = plan.tokens,
                        .guided = plan.guided,
                        .guidesImages = plan.guidesImages,
                        .steps = plan.segments.count * steps.all,
                        .guidedSteps = plan.segments.count * steps.guided,
                        .keptStreams = streamsKept(plan.stepCache),
                        .asksBehindFirstBlock = plan.stepCache.kind == StepCacheKind::FirstBlock,
                        .bothExperts = plan.bothExpertsResident,
                        .residentLayers = plan.residentLayers,
                        .onGpu = !plan.gpus.empty(),
                        .vaeOnGpu = plan.vaeOnGpu,
                        .vaeEncodes = plan.vaeEncodes,
                        .vaeStripsInTurn = plan.vaeStripsInTurn,
                        .encodersOnGpu = plan.encodersOnGpu,
                        .workersPerDevice = plan.workersPerDevice,
                        .layout = plan.layout,
                        .ranks = plan.ranks,
                        .vaeStrips = plan.vaeStrips,
                        .precision = plan.precision.transformer,
                        .vaeActivations = plan.precision.vae,
                        .encoderProducts = plan.precision.encoderProducts()};
    const MemoryEstimate before =
        std::exchange(plan.memory, estimateMemory(plan.project, plan.model, work, plan.attentions.self));
    plan.memory.available = before.available;
    plan.memory.budget = before.budget;
    plan.memory.deviceAvailable = freeOfEach(plan.gpus);
    plan.flops = estimateFlops(plan.project, plan.model, work);
    plan.disk = estimateDisk(plan.project, work);
}

void requireDisk(RunPlan& plan, const PlanOptions& options) {
    if (options.runsFolder.empty())
        return;
    plan.disk.available = options.diskBytes ? *options.diskBytes : freeDiskSpace(options.runsFolder);
    if (plan.disk.runFolder > plan.disk.available)
        throw Error(
            ErrorKind::Resources,
            Problem{.id = "disk-short",
                    .place = {.file = withTilde(options.runsFolder)},
                    .message = sentence("the run writes up to {}, and {} are free on the disk",
                                        formatBytes(plan.disk.runFolder), formatBytes(plan.disk.available)),
                    .fixes = byHand(sentence("Free some space on it, or choose another folder for runs"))});
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
    std::vector<std::uint64_t> seeds;
    for (const BatchItem& item : batchItems(project))
        seeds.push_back(item.seed.value_or(0));  // a plan of open seeds is not generated
    scheduler->setNoiseSeeds(std::move(seeds));
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
    return {latentShape[0], latentShape[1], segments.count * (latentShape[2] - referenceFrames),
            latentShape[3], latentShape[4]};
}

VideoGeometry RunPlan::geometry() const {
    return {.frames = project.numFrames,
            .height = project.height,
            .width = project.width,
            .spatialFactor = model.vae.spatialFactor(),
            .temporalFactor = model.vae.temporalFactor()};
}

VideoGeometry RunPlan::segmentGeometry() const {
    VideoGeometry own = geometry();
    own.frames = segments.frames;
    return own;
}

AttentionPlans planAttentions(const RunPlan& plan, const AttentionSettings& settings) {
    return planAttentions(settings, plan.model.transformer, plan.layout.shape(),
                          {.tokens = plan.tokens, .textTokens = plan.project.maxSequenceLength});
}

RunPlan makePlan(const Project& asked, const PlanOptions& options) {
    Project project = asked;
    if (options.devices > 0)
        project.devices = options.devices;
    requireNoErrors(check(project));
    RunPlan plan;
    plan.project = project;
    plan.ranks = options.ranks;
    plan.attention = attentionSettings(project);
    plan.precision = readPrecision(project);
    planModel(plan, options);
    plan.model.scheduler = schedulerOf(project, plan.model.scheduler);
    requireNoErrors(check(project, &plan.model, plan.ranks));
    if (!options.oversubscribe)
        requireNoErrors(loadProblems(project, plan.ranks, cpusOf(options)));
    planTask(plan);
    planSteps(plan, options);
    addAdapters(plan);
    plan.layout = std::get<MeshLayout>(resolveMesh(meshRequest(project, plan.ranks)));
    plan.vaeStrips = vaeStrips(project, plan.layout.devices());
    plan.workersPerDevice = chooseWorkers(project, options, plan.devicesPerRank());
    plan.stallTimeout = std::chrono::seconds(project.stallTimeout);
    planGpus(plan, options, planVideo);

    planVideo(plan);
    fitIntoGpu(plan, planVideo);
    const std::uint64_t memory = options.memoryBytes ? *options.memoryBytes : availableMemory();
    if (options.beyondMemory)
        static_cast<void>(tryFitIntoMemory(plan, memory, planVideo));
    else
        fitIntoMemory(plan, memory, planVideo);
    requireDisk(plan, options);
    for (const Problem& warning : planWarnings(plan, cpusOf(options)))
        plan.warnings.push_back(warning.message);
    const RunPrecision& precision = plan.precision;
    std::ranges::copy(libraryRemarks({precision.transformer.linears(), precision.encoderProducts()}).refusals,
                      std::back_inserter(plan.warnings));
    return plan;
}

std::optional<RunPlan> planOnMesh(const RunPlan& plan, const KeyChanges& changes) {
    RunPlan other = plan;
    for (const KeyChange& change : changes)
        if (trySetFromText(other.project, *findProjectKey(change.key), change.value))
            return std::nullopt;
    // A new warning is about devices without work.
    const std::vector<Problem> problems = check(other.project, &plan.model, plan.ranks);
    if (hasErrors(problems) || problems.size() > check(plan.project, &plan.model, plan.ranks).size())
        return std::nullopt;
    const auto layout = resolveMesh(meshRequest(other.project, plan.ranks));
    if (std::holds_alternative<Problem>(layout))
        return std::nullopt;
    other.layout = std::get<MeshLayout>(layout);
    if (!plan.gpus.empty() && other.layout.devices() != plan.layout.devices())
        return std::nullopt;
    other.attention = attentionSettings(other.project);
    other.vaeStrips = plan.gpus.empty() ? vaeStrips(other.project, other.layout.devices()) : 1;
    if (other.project.workers == 0)
        other.workersPerDevice =
            std::max(1, plan.workersPerDevice * plan.devicesPerRank() / other.devicesPerRank());
    other.bothExpertsResident = false;
    other.residentLayers.reset();
    other.vaeOnGpu = !other.gpus.empty();
    other.encodersOnGpu = false;
    other.vaeStripsInTurn = 1;
    planVideo(other);
    fitIntoGpu(other, planVideo);
    static_cast<void>(tryFitIntoMemory(other, plan.memory.available, planVideo));
    return other;
}

}  // namespace meshreel

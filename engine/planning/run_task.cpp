// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/run_task.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/checks/guidance_choice.h"
#include "engine/estimates/transformer_memory.h"
#include "engine/estimates/workload.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/planning/source_groups.h"
#include "engine/project/input_files.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"
#include "engine/project/speech_length.h"
#include "engine/sampling/step_caches.h"
#include "engine/timing/step_record.h"

namespace meshreel {
namespace {

constexpr std::string_view bfloat16 = "bfloat16";

/// A latent frame for each picture of a subject.
std::int64_t subjectFrames(const Project& project) {
    return std::ssize(inputFiles(project, *findInputKey("reference_images")));
}

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

std::string_view toKeyValue(DType type) {
    return type == DType::BF16 ? bfloat16 : std::string_view("float32");
}

std::string_view toKeyValue(Arithmetic weights) {
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

bool RunTask::beginsWithClip() const {
    return continuedFrames > 0 && rowOf(task).clip == ClipUse::Pictures && !chainsClips;
}

bool RunTask::holdsClip() const {
    return continuedFrames > 0 && rowOf(task).clip == ClipUse::Held;
}

std::int64_t RunTask::takenFrames() const {
    constexpr std::int64_t ofChain = 9;  // so that their last latent has latents before it, as in the clip
    return chainsClips && continuedFrames > 0 ? ofChain : continuedFrames;
}

ClipCount RunTask::clipCount() const {
    return chainsClips ? ClipCount::Fixed : ClipCount::Chosen;
}

double RunTask::guidanceFor(int expert) const {
    return guidanceOf(project, model.experts(), expert);
}

GuidedPasses RunTask::passesFor(int expert) const {
    return chooseGuidance(project, task, model.experts(), expert);
}

std::int64_t RunTask::tokensOf(const GuidedPass& pass) const {
    const std::size_t seen = leavesOutGroups(task) ? pass.groups : groups.size();
    return tokenCount(latentShape.with(2, passFrames()),
                      std::span(groups).first(std::min(seen, groups.size())), model.transformer);
}

bool RunTask::sharesPasses() const {
    return sharePass(passes, task);
}

std::int64_t RunTask::passFrames() const {
    return windows ? windows->passFrames() : latentShape[2];
}

std::int64_t RunTask::trackPoints() const {
    if (task == WanTask::TracksToVideo)
        return static_cast<std::int64_t>(trackSamples);
    return task == WanTask::MoveToVideo ? movingPart().frames : 0;
}

VideoGeometry RunTask::movingPart() const {
    VideoGeometry part = geometry();
    part.frames -= std::max<std::int64_t>(1, continuedFrames) - 1;
    return part;
}

DrivingOptions RunTask::drivingOptions() const {
    constexpr float ofDistilled = -1.3F;  // log_scale of upstream's wan_animate_2_distillation
    return {
        .use = drivingKeys.value_or(DrivingKeysUse::Recomputed),
        .firstFrameBias = model.family->traits.trained == TrainedInput::DrivingInFewSteps ? ofDistilled : 0};
}

std::int64_t RunTask::noiseFramesBehind() const {
    return task == WanTask::SubjectsToVideo ? subjectFrames(project) : 0;
}

int RunTask::windowsIn(int step) const {
    return windows ? static_cast<int>(windows->ofStep(step).size()) : 1;
}

std::unique_ptr<Scheduler> RunTask::makeScheduler() const {
    auto scheduler = meshreel::makeScheduler(model.scheduler);
    std::vector<std::uint64_t> seeds;
    for (const BatchItem& item : batchItems(project))
        seeds.push_back(item.seed.value_or(0));  // a plan of open seeds is not generated
    scheduler->setNoiseSeeds(std::move(seeds), noiseFramesBehind());
    if (sigmas.empty())
        scheduler->setTimesteps(static_cast<int>(project.numInferenceSteps));
    else
        scheduler->setTimesteps(sigmas);
    if (task == WanTask::VideoToVideo)
        scheduler->keepLast(project.strength);
    return scheduler;
}

Shape RunTask::videoLatentShape() const {
    return {latentShape[0], latentShape[1], segments.count * keptFrames(), latentShape[3], latentShape[4]};
}

std::int64_t RunTask::keptFrames() const {
    return latentShape[2] + (followsSpeech(task) ? motionLatentFrames : -referenceFrames);
}

std::int64_t RunTask::oldFrames(int segment) const {
    if (followsSpeech(task))  // the reference picture and what is not shown; or the motion before
        return segment == 0 ? 1 + segments.leading : motionVideoFrames;
    return segment == 0 ? 0 : segments.overlap;
}

std::int64_t RunTask::firstNewFrame(int segment) const {
    return segment == 0 ? 0 : segments.firstFrame(segment) + segments.overlap;
}

bool RunTask::isTimed() const {
    return std::ranges::any_of(prompts, &SpokenPrompt::isTimed);
}

std::int64_t RunTask::textsOfPrompt() const {
    std::int64_t most = 1;
    for (const SpokenPrompt& prompt : prompts)
        most = std::max<std::int64_t>(most, std::ssize(prompt.texts));
    return most;
}

std::int64_t RunTask::videoLatentFrames() const {
    return (project.numFrames - 1) / model.vae.temporalFactor() + 1;
}

std::vector<LatentTime> RunTask::frameTimes(int segment) const {
    const double first = real(segments.firstFrame(segment)) / real(model.vae.temporalFactor());
    const std::int64_t frames = latentShape[2] - referenceFrames;
    std::vector<LatentTime> times(static_cast<std::size_t>(latentShape[2]));
    for (std::int64_t frame = 0; frame < frames; ++frame)
        times[static_cast<std::size_t>(referenceFrames + frame)] = first + real(frame);
    return times;
}

VideoGeometry RunTask::geometry() const {
    return {.frames = project.numFrames,
            .height = project.height,
            .width = project.width,
            .spatialFactor = model.vae.spatialFactor(),
            .temporalFactor = model.vae.temporalFactor()};
}

VideoGeometry RunTask::segmentGeometry() const {
    VideoGeometry own = geometry();
    own.frames = segments.frames;
    return own;
}

namespace {

/// Steps in which the transformer's blocks run, once for each window. What a cache only may leave out counts.
struct BlockSteps {
    /// A pass beside the prompt's.
    struct Beside {
        GuidedPass pass;
        std::int64_t times = 0;
    };

    std::int64_t all = 0;
    std::vector<Beside> beside = {};
};

BlockSteps blockSteps(const RunTask& task) {
    BlockSteps steps;
    for (const ExpertSteps& stretch : task.experts) {
        std::int64_t inFull = 0;
        for (int step = stretch.firstStep; step < stretch.endStep; ++step) {
            const StepWork work = task.stepCache.workOf(step);
            if (work == StepWork::NoBlocks && !task.stepCache.decidesLater())
                continue;
            const int windows = task.windowsIn(step);
            steps.all += windows;
            inFull += work == StepWork::PromptOnly ? 0 : windows;
        }
        const GuidedPasses passes = task.passesFor(stretch.expert);
        for (const GuidedPass& pass : std::span(passes).subspan(1))
            if (inFull > 0)
                steps.beside.push_back({.pass = pass, .times = inFull});
    }
    return steps;
}

/// Copies of a row's tokens that a cache keeps.
int streamsKept(const StepCachePlan& cache) {
    if (!cache.keepsBlocks())
        return 0;
    return cache.measuresMagRatios || cache.kind == StepCacheKind::FirstBlock ? 2 : 1;
}

std::int64_t groupElements(const RunTask& task) {
    std::int64_t elements = 0;
    for (const GroupShape& group : task.groups)
        elements += group.latents.elements();
    return elements;
}

std::vector<std::int64_t> passTokens(const RunTask& task) {
    std::vector<std::int64_t> tokens;
    for (const GuidedPass& pass : task.passes)
        tokens.push_back(task.tokensOf(pass));
    return tokens;
}

/// What guidance adds to the prompts' passes of a run.
std::vector<PassCount> negativePasses(const RunTask& task, const BlockSteps& steps) {
    std::vector<PassCount> passes;
    for (const BlockSteps::Beside& beside : steps.beside)
        passes.push_back({.tokens = task.tokensOf(beside.pass), .times = task.segments.count * beside.times});
    return passes;
}

Workload workloadOf(const RunTask& task, const Placement& placement) {
    const BlockSteps steps = blockSteps(task);
    return {
        .latentShape = task.latentShape,
        .passFrames = task.passFrames(),
        .tokens = task.tokens,
        .groupElements = groupElements(task),
        .guided = task.guided,
        .passTokens = passTokens(task),
        .partsGuidance = task.guided && !task.sharesPasses(),
        .guidesAttention = task.attentionGuidance.acts(),
        .textsOfPrompt = task.textsOfPrompt(),
        .clipFrames = task.takenFrames(),
        .pictures = task.pictures,
        .heldFrames = task.holdsClip() ? (task.continuedFrames - 1) / task.model.vae.temporalFactor() + 1 : 0,
        .decodedFrames = followsSpeech(task.task) ? task.keptFrames() : 0,
        .clips = followsSpeech(task.task) ? task.segments.count : 0,
        .soundSeconds = followsSpeech(task.task) ? heardSeconds(task.project) : 0,
        .timedText = task.isTimed() ? std::optional(task.attentions.text) : std::nullopt,
        .drivingKeys = task.drivingKeys,
        .segments = task.segments.count,
        .sparseSelf = task.attentions.sparse ? std::optional(task.attentions.sparse->phases.front().attention)
                                             : std::nullopt,
        .windows = task.windowsIn(0),
        .steps = task.segments.count * steps.all,
        .negativePasses = negativePasses(task, steps),
        .keptStreams = streamsKept(task.stepCache),
        .asksBehindFirstBlock = task.stepCache.kind == StepCacheKind::FirstBlock,
        .placement = placement,
        .workersPerDevice = task.workersPerDevice,
        .layout = task.layout,
        .ranks = task.ranks,
        .precision = task.precision.transformer,
        .vaeActivations = task.precision.vae,
        .encoderProducts = task.precision.encoderProducts()};
}

}  // namespace

bool guidesSomeStep(const RunTask& task) {
    return !blockSteps(task).beside.empty();
}

namespace {

std::optional<ContextWindows> planWindows(const RunTask& task) {
    if (!isWindowed(task.project))
        return std::nullopt;
    std::optional<ContextWindows> windows = contextWindows(
        task.project, task.latentShape[2] - task.referenceFrames, task.model.vae.temporalFactor());
    if (windows)
        windows->leading = task.referenceFrames;
    return windows;
}

/// What the project says, else what was decided, and before that what always fits.
std::optional<DrivingKeysUse> plannedDrivingKeys(const RunTask& task) {
    if (task.task != WanTask::DrivenAnimation)
        return std::nullopt;
    if (const DrivingKeysRow* asked = findDrivingKeys(task.project.drivingKeys))
        return asked->use;
    return task.drivingKeys.value_or(DrivingKeysUse::Recomputed);
}

/// The reference picture, and the motion before a clip; of the first clip only the picture.
std::vector<GroupShape> speechGroups(const Shape& clip) {
    return {
        {.name = "reference", .latents = clip.with(2, 1), .firstFrame = SoundConfig::referenceFrame},
        {.name = "motion", .latents = clip.with(2, motionLatentFrames), .embedding = PatchEmbedding::Motion}};
}

/// Phantom's subjects follow the frames of each pass in time, Fun Control's reference is before them: with or
/// without a picture.
std::vector<GroupShape> planGroups(const RunTask& task) {
    if (task.task == WanTask::SourcesToVideo)
        return sourceGroups(task);
    if (followsSpeech(task.task))
        return speechGroups(task.latentShape.with(0, 1));
    const Shape ofVideo = task.latentShape.with(0, 1);
    if (task.task == WanTask::SubjectsToVideo)
        return {{.name = "subjects",
                 .latents = ofVideo.with(2, subjectFrames(task.project)),
                 .firstFrame = task.passFrames()}};
    const std::int64_t channels = task.model.transformer.referenceChannels;
    if (task.task == WanTask::ControlToVideo && channels > 0)
        return {{.name = "reference",
                 .latents = ofVideo.with(1, channels).with(2, 1),
                 .firstFrame = -1,
                 .embedding = PatchEmbedding::Reference}};
    return {};
}

}  // namespace

RunTask withVideo(RunTask task) {
    Project segment = task.project;
    if (isAnimation(task.task))
        segment.numFrames = task.segments.frames;
    else if (followsSpeech(task.task))
        segment.numFrames = (speechClipLatents - 1) * task.model.vae.temporalFactor() + 1;
    const Shape video = computeLatentShape(segment, task.model);
    task.prompts = spokenPrompts(task.project);
    task.latentShape = {std::ssize(task.prompts), video[1], video[2] + task.referenceFrames, video[3],
                        video[4]};
    task.windows = planWindows(task);
    task.keyframes = planKeyframes(task.project, task.model);
    task.groups = planGroups(task);
    task.drivingKeys = plannedDrivingKeys(task);
    task.tokens =
        tokenCount(task.latentShape.with(2, task.passFrames()), task.groups, task.model.transformer);
    task.attentions = planAttentions(task, task.attention);
    return task;
}

RunTask withProject(const RunTask& task, const Project& project) {
    RunTask other = task;
    other.project = project;
    other.precision = readPrecision(project);
    return withVideo(std::move(other));
}

RunTask withLayout(const RunTask& task, const MeshLayout& layout) {
    RunTask other = task;
    other.layout = layout;
    return withVideo(std::move(other));
}

namespace {

std::vector<ExpertStretch> expertStretches(const RunTask& task) {
    std::vector<ExpertStretch> stretches;
    for (const ExpertSteps& steps : task.experts) {
        ExpertNoise noise = ExpertNoise::Only;
        if (task.model.experts() > 1)
            noise = steps.expert == 1 ? ExpertNoise::High : ExpertNoise::Low;
        stretches.push_back({.firstStep = steps.firstStep, .endStep = steps.endStep, .noise = noise});
    }
    return stretches;
}

}  // namespace

AttentionPlans planAttentions(const RunTask& task, const AttentionSettings& settings) {
    return planAttentions(settings, task.model.transformer, task.layout.shape(),
                          {.tokens = task.tokens,
                           .textTokens = task.project.maxSequenceLength,
                           .stretches = expertStretches(task)});
}

TokenGrid videoGrid(const RunTask& task) {
    const std::array<std::int64_t, 3>& patch = task.model.transformer.patch;
    return {.frames = task.passFrames() / patch[0],
            .rows = task.latentShape[3] / patch[1],
            .columns = task.latentShape[4] / patch[2]};
}

MemoryEstimate memoryOf(const RunTask& task, const Placement& placement) {
    MemoryEstimate memory =
        estimateMemory(task.project, task.model, workloadOf(task, placement), task.attentions.self);
    memory.available = task.hostMemory;
    memory.budget = static_cast<std::uint64_t>(task.project.memoryBudget * gibibyte);
    memory.deviceAvailable = freeOfEach(placement.gpus);
    return memory;
}

Placed placedAs(const RunTask& task, Placement placement) {
    MemoryEstimate memory = memoryOf(task, placement);
    return {.placement = std::move(placement), .memory = memory};
}

std::uint64_t drivingKeyBytes(const RunTask& task, DrivingKeysUse use) {
    return drivingKeyBytes(task.model.transformer, workloadOf(task, {}), task.attentions.self, use);
}

FlopEstimate estimateFlops(const RunTask& task) {
    return estimateFlops(task.project, task.model, workloadOf(task, {}));
}

DiskEstimate estimateDisk(const RunTask& task) {
    return estimateDisk(task.project, workloadOf(task, {}));
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/generation_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/catalogue/model_facts.h"
#include "engine/checks/project_check.h"
#include "engine/checks/prompt_lengths.h"
#include "engine/media/image_processor.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/memory_block.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/families/control_channels.h"
#include "engine/models/families/model_family.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/vae/video_frames.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/pipelines/clip_chain.h"
#include "engine/pipelines/control_conditioning.h"
#include "engine/pipelines/denoise.h"
#include "engine/pipelines/given_frames.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/text_conditioning.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/project/project.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_trust.h"
#include "engine/project/timed_prompt.h"
#include "engine/sampling/context_windows.h"
#include "engine/sampling/noise.h"
#include "engine/sampling/prompt_relay.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/timing/sparse_counts.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {

namespace {

// Broadcasts: what the first member of a group holds, on every member; what the others pass does not matter.
// They throw as Transfer::wait.

constexpr int root = 0;

/// What must be known before the elements of a tensor can be received.
struct TensorHeader {
    std::int64_t type = 0;
    std::int64_t rank = 0;
    std::array<std::int64_t, Shape::maxRank> extents{};
};

std::int64_t broadcastNumber(Communicator& group, std::int64_t value) {
    group.broadcast(root, toBlock(std::span(&value, 1)));
    return value;
}

std::string broadcastString(Communicator& group, std::string text) {
    text.resize(static_cast<std::size_t>(broadcastNumber(group, std::ssize(text))));
    if (!text.empty())
        group.broadcast(root, toBlock(std::span(text)));
    return text;
}

TensorHeader toHeader(const Tensor& value) {
    TensorHeader header{.type = static_cast<std::int64_t>(value.dtype()),
                        .rank = static_cast<std::int64_t>(value.shape().rank()),
                        .extents = {}};
    std::ranges::copy(value.shape().extents(), header.extents.begin());
    return header;
}

Tensor tensorFor(const TensorHeader& header) {
    return Tensor::empty(Shape(std::span(header.extents).first(static_cast<std::size_t>(header.rank))),
                         static_cast<DType>(header.type));
}

Tensor broadcastTensor(Communicator& group, const Tensor& value) {
    if (group.size() == 1)
        return value;
    const bool gives = group.position() == root;
    TensorHeader header = gives ? toHeader(value) : TensorHeader{};
    group.broadcast(root, toBlock(std::span(&header, 1)));
    Tensor result = gives ? value : tensorFor(header);
    if (result.bytes() > 0)
        group.broadcast(root, toBlock(std::span(result.raw(), result.bytes())));
    return result;
}

std::optional<Tensor> broadcastOptional(Communicator& group, const std::optional<Tensor>& value) {
    if (broadcastNumber(group, value.has_value() ? 1 : 0) == 0)
        return std::nullopt;
    return broadcastTensor(group, value.value_or(Tensor()));
}

TextConditioning broadcastText(Communicator& group, const TextConditioning& text) {
    return {.prompt = broadcastTensor(group, text.prompt),
            .negative = broadcastOptional(group, text.negative),
            .pushedAway = broadcastOptional(group, text.pushedAway),
            .driving = broadcastOptional(group, text.driving)};
}

/// First the numbers, then the pixels.
GivenFrames broadcastGiven(Communicator& group, const GivenFrames& given) {
    GivenFrames result = given;
    result.resize(static_cast<std::size_t>(broadcastNumber(group, std::ssize(given))));
    for (GivenStretch& stretch : result) {
        stretch.first = broadcastNumber(group, stretch.first);
        if (broadcastNumber(group, stretch.marks ? 1 : 0) != 0) {
            std::array<float, 2> marks = stretch.marks.value_or(std::array<float, 2>());
            group.broadcast(root, toBlock(std::span<float>(marks)));
            stretch.marks = marks;
        }
        stretch.pixels = broadcastTensor(group, stretch.pixels);
    }
    return result;
}

VisualInputs broadcastInputs(Communicator& group, const VisualInputs& inputs) {
    VisualInputs result = inputs;
    for (std::optional<Tensor> VisualInputs::*part :
         {&VisualInputs::image, &VisualInputs::lastImage, &VisualInputs::imageTokens, &VisualInputs::video,
          &VisualInputs::mask, &VisualInputs::tracks, &VisualInputs::pose, &VisualInputs::faces,
          &VisualInputs::background, &VisualInputs::sound, &VisualInputs::clip, &VisualInputs::clipLatents})
        result.*part = broadcastOptional(group, inputs.*part);
    result.references.resize(static_cast<std::size_t>(broadcastNumber(group, std::ssize(inputs.references))));
    for (Tensor& reference : result.references)
        reference = broadcastTensor(group, reference);
    result.given = broadcastGiven(group, inputs.given);
    return result;
}

SchedulerState broadcastState(Communicator& group, const SchedulerState& state) {
    SchedulerState result = state;
    result.resize(static_cast<std::size_t>(broadcastNumber(group, std::ssize(state))));
    for (auto& [name, tensor] : result) {
        name = broadcastString(group, name);
        tensor = broadcastTensor(group, tensor);
    }
    return result;
}

SamplerSnapshot broadcastSnapshot(Communicator& group, const SamplerSnapshot& snapshot) {
    SamplerSnapshot result;
    result.stepsDone = static_cast<int>(broadcastNumber(group, snapshot.stepsDone));
    result.latents = broadcastTensor(group, snapshot.latents);
    result.history = broadcastState(group, snapshot.history);
    result.cache = broadcastState(group, snapshot.cache);
    result.finished = broadcastOptional(group, snapshot.finished);
    return result;
}

// Conditioning.

std::optional<PromptCache> openPromptCache(const GenerationContext& context) {
    if (context.machine.caches == nullptr)
        return std::nullopt;
    return PromptCache(context.machine.caches->prompts, context.warnings());
}

/// Conditions::timedTokens.
Tensor timedTokens(const RunPlan& plan, const Tokenizer& tokenizer) {
    std::vector<std::int64_t> bounds;
    for (const SpokenPrompt& prompt : plan.prompts) {
        if (!prompt.isTimed())
            continue;
        for (const PromptPart& part : promptParts(prompt, tokenizer, plan.project.maxSequenceLength))
            if (part.span)
                bounds.insert(bounds.end(), {part.tokens.begin, part.tokens.end});
    }
    constexpr std::int64_t beginAndEnd = 2;
    return Tensor::from({std::ssize(bounds) / beginAndEnd, beginAndEnd}, bounds);
}

/// What each video's timed tokens count in the frames of a segment; nothing where no prompt has times.
std::vector<std::vector<TimedKeys>> timedKeys(const RunPlan& plan, const Tensor& tokens, int segment) {
    if (!plan.isTimed())
        return {};
    const std::vector<LatentTime> times = plan.frameTimes(segment);
    const std::int64_t frames = plan.videoLatentFrames();
    auto bound = tokens.data<std::int64_t>().begin();
    std::vector<std::vector<TimedKeys>> videos;
    for (const SpokenPrompt& prompt : plan.prompts) {
        std::vector<TimedKeys>& own = videos.emplace_back();
        for (const PromptSpan& span : prompt.spans) {
            const std::int64_t begin = *bound++;
            own.push_back({.tokens = {begin, *bound++},
                           .ofFrames = relayBias({span.begin, span.end}, frames,
                                                 plan.project.promptRelayEpsilon, times)});
        }
    }
    return videos;
}

void conditionOnText(const GenerationContext& context, const Tokenizer& tokenizer, const Umt5Encoder& encoder,
                     Conditions& conditions) {
    const Project& project = context.plan.project;
    std::vector<std::string> prompts;
    for (const SpokenPrompt& prompt : context.plan.prompts)
        prompts.insert(prompts.end(), prompt.texts.begin(), prompt.texts.end());
    const std::size_t texts = prompts.size();
    const std::size_t videos = context.plan.prompts.size();
    const std::size_t negativeAt = prompts.size();
    if (context.plan.readsNegativePrompt())
        prompts.push_back(project.negativePrompt);
    if (context.plan.drivingKeys)
        prompts.emplace_back(drivingPrompt);
    const std::optional<PromptCache> cache = openPromptCache(context);
    auto [embedded, skipped] = embedPrompts(context.host, tokenizer, encoder, prompts,
                                            project.maxSequenceLength, cache ? &*cache : nullptr);
    if (skipped)
        context.sink(RunMessage{MessageLevel::Info,
                                "Text encoder skipped: the prompts were encoded before (prompt cache)"});
    if (!context.isExamined && std::ranges::any_of(embedded, &PromptEmbedding::truncated))
        for (const Problem& cut : cutPrompts(project, tokenizer))
            context.sink(RunMessage{MessageLevel::Warning, cut.message});
    std::vector<Tensor> rows;
    for (std::size_t text = 0; text < texts; ++text)
        rows.push_back(embedded[text].embedding);
    conditions.text = {joined(rows, 0), std::nullopt};
    std::optional<Tensor> negative;
    if (context.plan.readsNegativePrompt())
        negative = repeated(embedded[negativeAt].embedding, static_cast<std::int64_t>(videos));
    if (context.plan.drivingKeys)
        conditions.text.driving = embedded.back().embedding;
    if (context.plan.guided)
        conditions.text.negative = negative;
    if (context.plan.attentionGuidance.acts())
        conditions.text.pushedAway = negative;
    conditions.timedTokens = timedTokens(context.plan, tokenizer);
    conditions.textEncoderSkipped = skipped;
}

/// A scale for each VACE block: a single number serves all.
std::vector<float> controlScales(const RunPlan& plan) {
    const auto read = parseNumbers(plan.project.conditioningScale);
    const auto& scales = std::get<std::vector<double>>(read);
    std::vector<float> each(scales.begin(), scales.end());
    if (each.size() == 1)
        each.resize(plan.model.transformer.vaceLayers.size(), float{each.front()});
    return each;
}

/// What the leading process finds in the files; nothing on others.
VisualInputs readInputs(const GenerationContext& context, const ModelParts& parts,
                        const TrustedInputs& trusted) {
    const RunPlan& plan = context.plan;
    if (!plan.encodesVideo() || !context.machine.leads())
        return {};
    VisualInputs inputs = readVisualInputs(plan, trusted);
    if (parts.imageEncoder) {
        const std::vector<Tensor> pictures = readPictures(plan, trusted);
        const ImageProcessor& processor = plan.model.imageProcessor;
        // Without a picture any number of equal tokens says the same.
        inputs.imageTokens =
            pictures.empty() ? Tensor::zeros({1, 1, plan.model.transformer.imageDim})
                             : encodeImageTokens(context.host, *parts.imageEncoder,
                                                 plan.drivingKeys ? stretchedClipPixels(processor, pictures)
                                                                  : clipPixels(processor, pictures));
    }
    if (parts.audioEncoder)
        inputs.sound = encodeSpeech(context.host, *parts.audioEncoder, readSpeech(plan, trusted),
                                    plan.project.fps, plan.segments);
    return inputs;
}

/// What every device of the mesh makes of the leading process's inputs, all the same.
template <typename MakeOf>
VisualConditioning conditionOnMesh(const GenerationContext& context, const ModelParts& parts,
                                   const VisualInputs& inputs, const MakeOf& make) {
    VisualConditioning visual;
    context.machine.mesh.run(context.machine.stop, context.machine.trace, [&](Device& device) {
        const auto span = traceSpan(device.execution().trace, "AutoencoderKLWan_encode");
        const VisualInputs own = broadcastInputs(device.everyone(), inputs);
        const WanVae& vae = parts.vaeEncoderFor(device);
        double seconds = 0;
        const EncodeVideo encode = [&](const Tensor& video) {
            const Stopwatch watch;
            Tensor latents =
                vae.normalize(vae.encode(device, context.plan.placement.encodeStrips(), video).mean);
            seconds += watch.seconds();
            return latents;
        };
        VisualConditioning made = make(device, own, encode);
        made.encodeSeconds = seconds;
        if (device.index() == context.machine.mesh.firstDevice())
            visual = std::move(made);
    });
    return visual;
}

VisualConditioning conditionOnInputs(const GenerationContext& context, const ModelParts& parts,
                                     const VisualInputs& inputs) {
    const RunPlan& plan = context.plan;
    if (!plan.encodesVideo() || conditionsSegments(plan.task))
        return {};
    VisualConditioning visual = conditionOnMesh(
        context, parts, inputs, [&](Device&, const VisualInputs& own, const EncodeVideo& encode) {
            if (plan.chainsClips)
                return conditionOnChain(own, plan.geometry(), encode);
            if (plan.task == WanTask::ControlToVideo)
                return conditionOnControl(own, plan.geometry(), encode,
                                          {.marks = marksFirstFrames(*plan.model.family),
                                           .tokenTimesteps = plan.model.tokenTimesteps()},
                                          plan.groups);
            return conditionOn(plan.task, plan.model.tokenTimesteps(), own, plan.geometry(), encode,
                               plan.groups);
        });
    if (plan.task == WanTask::VaceEditing)
        visual.controlScales = controlScales(plan);
    return visual;
}

/// Returns pixels f32 [N, 3, T, H, W] in [-1, 1] of one segment's normalised latents, on the leading process.
Tensor decodePixelsOnMesh(const GenerationContext& context, const ModelParts& parts, const Tensor& latents) {
    const Tensor vaeInput = parts.vae().denormalize(latents);
    Tensor video;
    context.machine.mesh.run(context.machine.stop, context.machine.trace, [&](Device& device) {
        Tensor decoded = parts.vaeFor(device).decode(device, context.plan.placement.vaeStrips(), vaeInput);
        if (device.isFirst())
            video = std::move(decoded);
    });
    return video;
}

/// The latents of one segment, of some or all one after the other, as they are decoded: of the first clip
/// after a sound without the frames of no motion.
Tensor latentsOfSegment(const RunPlan& plan, const Tensor& latents, int segment) {
    const std::int64_t each = plan.keptFrames();
    const std::int64_t unused = followsSpeech(plan.task) && segment == 0 ? motionLatentFrames - 1 : 0;
    return sliced(latents, frameAxis, segment * each + unused, (segment + 1) * each);
}

/// Returns what one segment of an animation, or of a video after a sound, is conditioned on, on every
/// process: the first one perhaps on the clip before, as the others on the segment before. `finished`:
/// normalised latents of the previous ones, the same on all.
VisualConditioning conditionSegment(const GenerationContext& context, const ModelParts& parts,
                                    const VisualInputs& inputs, int segment,
                                    const std::optional<Tensor>& finished) {
    const RunPlan& plan = context.plan;
    std::optional<Tensor> before = inputs.clip;
    if (segment > 0) {
        const Tensor video =
            decodePixelsOnMesh(context, parts, latentsOfSegment(plan, *finished, segment - 1));
        const std::int64_t shared = followsSpeech(plan.task) ? motionVideoFrames : plan.segments.overlap;
        if (context.machine.leads())
            before = sliced(video, frameAxis, video.extent(frameAxis) - shared, video.extent(frameAxis));
    }
    if (followsSpeech(plan.task)) {
        VisualConditioning visual = conditionOnMesh(
            context, parts, inputs, [&](Device& device, const VisualInputs& own, const EncodeVideo& encode) {
                return conditionOnClip(own, plan.segments, segment,
                                       broadcastOptional(device.everyone(), before), encode);
            });
        visual.soundScale = static_cast<float>(plan.project.audioScale);
        return visual;
    }
    return conditionOnMesh(
        context, parts, inputs, [&](Device& device, const VisualInputs& own, const EncodeVideo& encode) {
            return conditionOnSegment(own, plan.segmentGeometry(), plan.segments, segment,
                                      broadcastOptional(device.everyone(), before), encode);
        });
}

/// Returns the noise of a segment, or of the whole video if it has one; each video's depends only on its own
/// seed.
Tensor drawNoise(const RunPlan& plan, int segment = 0) {
    const NoiseKindRow* kind = findNoiseKind(plan.project.noise);
    if (!kind)
        throw Error(ErrorKind::Project, sentence("there is no noise named \"{}\"", plan.project.noise),
                    "noise", sentence("Use counter or torch_cpu"));
    const Shape one = plan.latentShape.with(0, 1);
    const std::int64_t frames = one[frameAxis];
    std::vector<Tensor> videos;
    for (const BatchItem& item : batchItems(plan.project)) {
        const std::uint64_t seed = item.seed.value();
        Tensor noise =
            initialLatents(kind->kind, seed, one.with(frameAxis, frames + plan.noiseFramesBehind()), segment);
        if (plan.noiseFramesBehind() > 0)
            noise = sliced(noise, frameAxis, 0, frames);
        if (plan.windows && plan.windows->freeNoise)
            noise = framesOf(noise, plan.windows->placed(freeNoiseOrder(*plan.windows, seed)));
        videos.push_back(std::move(noise));
    }
    return joined(videos, 0);
}

/// Noise, or a video with as much noise as the first step takes away.
Tensor firstLatents(const RunPlan& plan, const VisualConditioning& visual) {
    Tensor noise = drawNoise(plan);
    if (!visual.startVideo)
        return noise;
    return plan.makeScheduler()->addNoise(repeated(*visual.startVideo, noise.extent(0)), noise, 0);
}

/// Where the generation begins; on a process that does not lead only the number of steps done.
SamplerSnapshot firstSnapshot(const GenerationContext& context, const VisualConditioning& visual,
                              const std::optional<SamplerSnapshot>& resumeFrom) {
    const RunPlan& plan = context.plan;
    if (!resumeFrom)
        return {0, context.machine.leads() ? firstLatents(plan, visual) : Tensor(), {}};
    if (context.machine.leads() && resumeFrom->latents.shape() != plan.latentShape)
        throw Error(
            ErrorKind::Input,
            sentence("the checkpoint of the run ({} after {} steps) does not belong to its project ({}, "
                     "{} steps)",
                     resumeFrom->latents.shape().text(), resumeFrom->stepsDone, plan.latentShape.text(),
                     plan.steps()),
            "checkpoint.safetensors", sentence("Start the run again"));
    return *resumeFrom;
}

}  // namespace

Conditions condition(const GenerationContext& context, LoadedModel& model, const GenerationStart& start) {
    Conditions conditions;
    ModelParts& parts = model.parts;
    if (parts.textEncoder)
        conditionOnText(context, *model.tokenizer, *parts.textEncoder, conditions);
    parts.textEncoder.reset();
    VisualInputs inputs = readInputs(context, parts, start.inputs);
    parts.imageEncoder.reset();
    parts.audioEncoder.reset();
    conditions.visual = conditionOnInputs(context, parts, inputs);
    if (VisualConditioning& visual = conditions.visual; visual.begun)
        visual.begunNoise = sliced(drawNoise(context.plan), frameAxis, 0, visual.begun->extent(frameAxis));
    if (conditionsSegments(context.plan.task))
        conditions.inputs = std::move(inputs);
    conditions.start = firstSnapshot(context, conditions.visual, start.resumeFrom);
    return conditions;
}

namespace {

// Denoising.

Tensor tensorNamed(const SamplerSnapshot& snapshot, std::string_view name) {
    const auto found = std::ranges::find(snapshot.history, name, &std::pair<std::string, Tensor>::first);
    if (found == snapshot.history.end())
        throw Error(ErrorKind::Input,
                    sentence("the checkpoint of the run lacks the scheduler's \"{}\"", name),
                    "checkpoint.safetensors", sentence("Start the run again"));
    return found->second;
}

/// A scheduler of a device's own, set to where the snapshot was taken.
std::unique_ptr<Scheduler> schedulerAt(const RunPlan& plan, const SamplerSnapshot& snapshot) {
    auto scheduler = plan.makeScheduler();
    if (snapshot.stepsDone > 0)
        scheduler->restore(snapshot.stepsDone,
                           [&](std::string_view name) { return tensorNamed(snapshot, name); });
    return scheduler;
}

/// What is denoised in one loop: the video, or a segment of it.
struct Segment {
    int index = 0;
    int firstStep = 0;               ///< among those of all segments
    std::optional<Tensor> finished;  ///< latents of the segments before
    VisualConditioning visual;
};

/// Sends the events of the steps of one denoising loop; on the first device's thread.
class StepReporter {
  public:
    StepReporter(const GenerationContext& context, const Execution& execution, const LoadedModel& model,
                 const Scheduler& scheduler, const Segment& segment, GenerationResult& result)
        : m_context(context),
          m_execution(execution),
          m_model(model),
          m_scheduler(scheduler),
          m_segment(segment),
          m_result(result) {}

    void operator()(const DenoiseStep& step) {
        throwIfPagesWereLost();
        StepRecord record = step.record;
        record.step += m_segment.firstStep;
        m_result.steps.push_back(record);
        std::ranges::copy(step.cache.magRatios(), std::back_inserter(m_result.magRatios));
        if (step.fixedM) {
            FixedMCounts counts = m_result.timings.fixedM.value_or(FixedMCounts());
            m_result.timings.fixedM = counts += *step.fixedM;
        }
        if (step.sparse) {
            SparseCounts counts = m_result.timings.sparse.value_or(SparseCounts());
            m_result.timings.sparse = counts += *step.sparse;
        }
        m_context.sink(RunCheckpoint{.snapshot = {.stepsDone = record.step + 1,
                                                  .latents = step.latents,
                                                  .history = m_scheduler.state(),
                                                  .cache = step.cache.state(),
                                                  .finished = m_segment.finished},
                                     .lastStep = record});
        m_context.sink(record);
        m_context.sink(StepDeviceTimes{.step = record.step, .devices = step.devices});
        if (m_model.preview)
            m_context.sink(Preview{record.step, m_model.preview(m_execution, step.latents.slice(0, 1))});
        m_context.progress.stepFinished(std::exchange(m_sinceLastStep, Stopwatch()).seconds());
        m_context.sink(m_context.progress.at(Phase::Denoise));
    }

  private:
    const GenerationContext& m_context;
    const Execution& m_execution;  // of the first device
    const LoadedModel& m_model;
    const Scheduler& m_scheduler;
    const Segment& m_segment;
    GenerationResult& m_result;
    Stopwatch m_sinceLastStep;
};

SamplerSnapshot takeSnapshot(const Scheduler& scheduler, Tensor latents) {
    SamplerSnapshot snapshot{.stepsDone = scheduler.stepIndex(), .latents = std::move(latents)};
    for (const auto& [name, tensor] : scheduler.state())
        snapshot.history.emplace_back(name, tensor.clone());
    return snapshot;
}

/// Brings the expert of a stretch of steps into memory, in place of the other one where both do not fit.
void makeResident(const GenerationContext& context, LoadedModel& model, const ExpertSteps& stretch,
                  GenerationResult& result) {
    if (model.parts.holds(stretch.expert))
        return;
    const std::string name(transformerName(stretch.expert));
    const Stopwatch watch;
    {
        const auto span = traceSpan(context.host.trace, "switch to " + name, "phase");
        if (!context.plan.placement.keepsBothExperts())
            model.parts.transformers.clear();
        ::malloc_trim(0);
        loadTransformer(context.host, context.plan, stretch.expert, context.machine.mesh,
                        context.weightKeeper(), model.parts);
    }
    const double seconds = watch.seconds();
    result.expertSwitches.push_back({stretch.firstStep, stretch.expert, seconds});
    context.sink(RunMessage{MessageLevel::Info, fmt::format("Step {} begins with {}, loaded in {:.1f} s",
                                                            stretch.firstStep + 1, name, seconds)});
}

/// What a stretch's guidance needs of the text, on a device of the mesh.
TextConditioning textFor(Device& device, const RunPlan& plan, const Conditions& conditions, int segment,
                         double guidanceScale) {
    TextConditioning own = broadcastText(device.everyone(), conditions.text);
    if (!usesGuidance(guidanceScale))
        own.negative.reset();
    own.attentionGuidance = plan.attentionGuidance;
    if (plan.textsOfPrompt() > 1)
        for (const SpokenPrompt& prompt : plan.prompts)
            own.textsOfVideos.push_back(std::ssize(prompt.texts));
    own.timed = timedKeys(plan, broadcastTensor(device.everyone(), conditions.timedTokens), segment);
    return own;
}

/// Where the sampler stands after the steps of a stretch that `start` leaves to do.
SamplerSnapshot denoiseStretch(const GenerationContext& context, const LoadedModel& model,
                               const Conditions& conditions, const Segment& segment,
                               const ExpertSteps& stretch, const SamplerSnapshot& start,
                               GenerationResult& result) {
    SamplerSnapshot end;
    const double scale = context.plan.guidanceFor(stretch.expert);
    const VisualConditioning visual = visualOfExpert(segment.visual, stretch.expert);
    const auto program = [&](Device& device) {
        const TextConditioning ownText = textFor(device, context.plan, conditions, segment.index, scale);
        const SamplerSnapshot ownStart = broadcastSnapshot(device.everyone(), start);
        const auto scheduler = schedulerAt(context.plan, ownStart);
        // Nothing is carried over from another expert.
        const SchedulerState cacheState =
            ownStart.stepsDone > stretch.firstStep ? ownStart.cache : SchedulerState();
        Tensor latents = denoise(
            device, model.parts.transformerFor(device, stretch.expert), *scheduler, ownText, visual,
            {.guidanceScale = scale,
             .passes = context.plan.passesFor(stretch.expert),
             .expert = stretch.expert,
             .firstStep = scheduler->stepIndex(),
             .endStep = stretch.endStep,
             .fixedM = rowOf(context.plan.attentions.self.kernel).boundsScores,
             .sparse = context.plan.attentions.sparse.has_value(),
             .schedulerType = context.plan.precision.scheduler,
             .driving = context.plan.drivingOptions(),
             .windows = context.plan.windows,
             .cache = context.plan.stepCache,
             .cacheState = cacheState},
            ownStart.latents, StepReporter(context, device.execution(), model, *scheduler, segment, result));
        if (device.index() == context.machine.mesh.firstDevice())
            end = takeSnapshot(*scheduler, std::move(latents));
    };
    context.machine.mesh.run(context.machine.stop, context.machine.trace, program);
    return end;
}

/// The leading process's snapshot on every process.
SamplerSnapshot share(const GenerationContext& context, const SamplerSnapshot& snapshot) {
    SamplerSnapshot shared;
    context.machine.mesh.run(context.machine.stop, context.machine.trace, [&](Device& device) {
        SamplerSnapshot own = broadcastSnapshot(device.everyone(), snapshot);
        if (device.index() == context.machine.mesh.firstDevice())
            shared = std::move(own);
    });
    return shared;
}

/// Appends the latents of one more segment to the previous ones.
Tensor withSegment(const std::optional<Tensor>& finished, Tensor latents) {
    return finished ? joined({*finished, latents}, frameAxis) : std::move(latents);
}

/// The latents of a segment that `start` (its steps counted from its own first) leaves to do.
Tensor denoiseSegment(const GenerationContext& context, LoadedModel& model, const Conditions& conditions,
                      const Segment& segment, SamplerSnapshot start, GenerationResult& result) {
    for (const ExpertSteps& stretch : context.plan.experts) {
        if (stretch.endStep <= start.stepsDone)
            continue;
        makeResident(context, model, stretch, result);
        start = denoiseStretch(context, model, conditions, segment, stretch, start, result);
    }
    return finishedLatents(segment.visual, context.plan.referenceFrames, start.latents);
}

Sentence toSentence(const FixedMCounts& counts) {
    return sentence("Fixed m: {} of {} heads ran on the bound; {} were beyond its limit, {} lost weights",
                    counts.boundedHeads, counts.boundedHeads + counts.fallbackHeads(),
                    counts.boundTooLargeHeads, counts.weightsLostHeads);
}

Sentence toSentence(const SparseCounts& counts) {
    const Sentence kept = sentence("Sparse attention: {} % of the pairs of blocks were computed exactly",
                                   fmt::format("{:.1f}", 100 * counts.keptShare()));
    const Sentence moved = counts.hops + counts.skippedHops == 0
                               ? kept
                               : sentence("{}; {} of {} hops of keys were left out", kept, counts.skippedHops,
                                          counts.hops + counts.skippedHops);
    const std::optional<double> error = counts.error();
    return error ? sentence("{}; what was compared differs from dense attention by {} (relative L2)", moved,
                            fmt::format("{:.4f}", *error))
                 : moved;
}

}  // namespace

Tensor denoiseOnMesh(const GenerationContext& context, LoadedModel& model, const Conditions& conditions,
                     GenerationResult& result) {
    const RunPlan& plan = context.plan;
    const int loop = plan.loopSteps();
    const int begun = conditions.start.stepsDone / loop;
    std::optional<Tensor> finished;
    if (begun > 0) {
        const SamplerSnapshot shared = share(context, conditions.start);
        finished = shared.finished;
        if (conditions.start.stepsDone % loop == 0) {
            // What stands before a clip's latents is made of the clip before it, and not kept.
            const VisualConditioning visual =
                followsSpeech(plan.task)
                    ? conditionSegment(context, model.parts, conditions.inputs, begun - 1, finished)
                    : conditions.visual;
            finished = withSegment(finished, finishedLatents(visual, plan.referenceFrames, shared.latents));
        }
    }
    for (int index = begun; index < plan.segments.count; ++index) {
        Segment segment{
            .index = index, .firstStep = index * loop, .finished = finished, .visual = conditions.visual};
        if (conditionsSegments(plan.task)) {
            segment.visual = conditionSegment(context, model.parts, conditions.inputs, index, finished);
            result.timings.vaeEncode += segment.visual.encodeSeconds;
            context.sink(StageMeasured{&PartTimings::vaeEncode, segment.visual.encodeSeconds});
        }
        const int ownSteps = index == begun ? conditions.start.stepsDone - segment.firstStep : 0;
        SamplerSnapshot start{.stepsDone = 0, .latents = Tensor()};
        if (ownSteps > 0 || index == 0) {
            start = conditions.start;
            start.stepsDone = ownSteps;
        } else if (context.machine.leads()) {
            start.latents = drawNoise(plan, index);
        }
        finished = withSegment(finished,
                               denoiseSegment(context, model, conditions, segment, std::move(start), result));
    }
    if (result.timings.fixedM)
        context.sink(RunMessage{MessageLevel::Info, toSentence(*result.timings.fixedM)});
    if (result.timings.sparse)
        context.sink(RunMessage{MessageLevel::Info, toSentence(*result.timings.sparse)});
    return *finished;
}

std::vector<Tensor> latentSegments(const RunPlan& plan, const Tensor& latents) {
    if (plan.segments.count == 1 && !followsSpeech(plan.task))
        return {latents};
    std::vector<Tensor> segments;
    for (int segment = 0; segment < plan.segments.count; ++segment)
        segments.push_back(latentsOfSegment(plan, latents, segment));
    return segments;
}

Tensor joinedVideo(const RunPlan& plan, const std::vector<Tensor>& segments) {
    std::vector<Tensor> own;
    for (const Tensor& segment : segments) {
        const std::int64_t old = plan.oldFrames(static_cast<int>(own.size()));
        own.push_back(old == 0 ? segment
                               : sliced(segment, timeAxisOfFrames, old, segment.extent(timeAxisOfFrames)));
    }
    const Tensor video = own.size() == 1 ? own.front() : joined(own, timeAxisOfFrames);
    return video.extent(timeAxisOfFrames) == plan.project.numFrames
               ? video
               : sliced(video, timeAxisOfFrames, 0, plan.project.numFrames);
}

std::optional<DecodedFrames> ownFrames(const RunPlan& plan, int segment, std::int64_t first,
                                       const Tensor& frames) {
    const std::int64_t total = plan.project.numFrames;
    const std::int64_t old = plan.oldFrames(segment);
    const std::int64_t place = plan.firstNewFrame(segment) + first - old;  // of the first of these frames
    const std::int64_t begin = std::max<std::int64_t>(0, old - first);
    const std::int64_t end = std::min(frames.extent(0), total - place);
    if (begin >= end)
        return std::nullopt;
    return DecodedFrames{.first = place + begin, .total = total, .frames = frames.slice(begin, end)};
}

Tensor decodeFramesOnMesh(const GenerationContext& context, const ModelParts& parts, const Tensor& latents,
                          const VaeEvents& events) {
    const Tensor vaeInput = parts.vae().denormalize(latents);
    Tensor frames;
    context.machine.mesh.run(context.machine.stop, context.machine.trace, [&](Device& device) {
        Tensor decoded = parts.vaeFor(device).decodeFrames(device, context.plan.placement.vaeStrips(),
                                                           vaeInput, device.isFirst() ? events : VaeEvents());
        if (device.isFirst())
            frames = std::move(decoded);
    });
    return frames;
}

}  // namespace meshreel

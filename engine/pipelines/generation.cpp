// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/generation.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "engine/media/frames.h"
#include "engine/models/latent_preview.h"
#include "engine/models/non_finite.h"
#include "engine/pipelines/denoise.h"
#include "engine/pipelines/mesh_broadcast.h"
#include "engine/pipelines/model_parts.h"
#include "engine/pipelines/progress_meter.h"
#include "engine/pipelines/text_conditioning.h"
#include "engine/sampling/noise.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

  private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

/// What every phase of one generation shares.
struct Context {
    const Machine& machine;
    Execution host;  // all workers of this process, for what no device does
    const RunPlan& plan;
    GenerationObserver& observer;
    ProgressMeter& progress;
    MemoryWatch& memory;
    std::vector<PhaseMemory>& memoryOfPhases;
};

Execution hostExecution(const Machine& machine) {
    return {machine.mesh.hostWorkers(), machine.stop, machine.trace};
}

/// Runs one phase between its events; returns its wall-clock seconds. Nothing runs on when `work` returns, so
/// the boundary is synchronised.
template <typename Work>
double timePhase(const Context& context, Phase phase, const Work& work) {
    throwIfStopped(context.machine.stop);
    // What the phase before freed goes back to the system: the next one may need it in larger pieces.
    ::malloc_trim(0);
    static_cast<void>(context.memory.takePeak());
    context.observer.phaseStarted(phase);
    context.observer.progressed(context.progress.at(phase));
    const Stopwatch watch;
    {
        const auto span = traceSpan(context.host.trace, std::string(nameOf(phase)), "phase");
        work();
    }
    const double seconds = watch.seconds();
    context.memoryOfPhases.push_back({phase, context.memory.takePeak()});
    context.observer.phaseFinished(phase, seconds);
    return seconds;
}

/// Passes texts on to the observer, for as long as that lives.
std::function<void(const std::string&)> warningsOf(const Context& context) {
    return [&observer = context.observer](const std::string& text) {
        observer.message(MessageLevel::Warning, text);
    };
}

struct LoadedModel {
    std::optional<Tokenizer> tokenizer;
    ModelParts parts;
    std::optional<LatentPreview> preview;  // when the observer wants them and there are steps to preview
};

LoadedModel loadModel(const Context& context, ModelScope scope, TimingSummary& timings) {
    ModelFiles files;
    DeviceMesh& mesh = context.machine.mesh;
    const WeightKeeper keeper{.caches = context.machine.caches, .warn = warningsOf(context)};
    timings.load = timePhase(context, Phase::Load, [&] {
        files = openModelFiles(context.host, context.plan, scope, mesh, keeper);
    });
    LoadedModel model;
    timings.compile += timePhase(context, Phase::Compile, [&] {
        model.parts = packModel(context.host, context.plan, files, mesh);
        context.progress.setDecodeEstimate(warmUp(context.host, mesh, context.plan, model.parts));
        if (scope == ModelScope::Everything && context.observer.wantsPreviews())
            model.preview = LatentPreview::fit(context.host, model.parts.vae());
    });
    model.tokenizer = std::move(files.tokenizer);
    return model;
}

struct ConditionedText {
    TextConditioning text;
    bool encoderSkipped = false;
};

std::optional<PromptCache> promptCacheOf(const Context& context) {
    if (context.machine.caches == nullptr)
        return std::nullopt;
    return PromptCache(context.machine.caches->prompts, warningsOf(context));
}

ConditionedText conditionOnText(const Context& context, const Tokenizer& tokenizer,
                                const Umt5Encoder& encoder) {
    const Project& project = context.plan.project;
    std::vector<std::string> prompts{project.prompt};
    if (usesGuidance(project.guidanceScale))
        prompts.push_back(project.negativePrompt);
    const std::optional<PromptCache> cache = promptCacheOf(context);
    auto [embedded, skipped] = embedPrompts(context.host, tokenizer, encoder, prompts,
                                            project.maxSequenceLength, cache ? &*cache : nullptr);
    if (skipped)
        context.observer.message(MessageLevel::Info,
                                 "Text encoder skipped: the prompts were encoded before (prompt cache)");
    if (std::ranges::any_of(embedded, &PromptEmbedding::truncated))
        context.observer.message(
            MessageLevel::Warning,
            fmt::format(
                "The prompt is longer than max_sequence_length ({} tokens); what is beyond was left out",
                project.maxSequenceLength));
    TextConditioning text{std::move(embedded.front().embedding), std::nullopt};
    if (embedded.size() > 1)
        text.negative = std::move(embedded.back().embedding);
    return {std::move(text), skipped};
}

Tensor noiseOf(const RunPlan& plan) {
    const NoiseKindRow* kind = findNoiseKind(plan.project.noise);
    if (!kind)
        throw Error(ErrorKind::Project, "there is no noise named \"" + plan.project.noise + "\"", "noise",
                    "Use counter or torch_cpu");
    return initialLatents(kind->kind, static_cast<std::uint64_t>(plan.project.seed), plan.latentShape);
}

Tensor tensorNamed(const SamplerSnapshot& snapshot, std::string_view name) {
    const auto found = std::ranges::find(snapshot.history, name, &std::pair<std::string, Tensor>::first);
    if (found == snapshot.history.end())
        throw Error(ErrorKind::Input,
                    "the checkpoint of the run lacks the scheduler's \"" + std::string(name) + "\"",
                    "checkpoint.safetensors", "Start the run again");
    return found->second;
}

/// Where the generation begins; on a process that does not lead only the number of steps done.
SamplerSnapshot firstSnapshot(const Context& context, const std::optional<SamplerSnapshot>& resumeFrom) {
    const RunPlan& plan = context.plan;
    if (!resumeFrom)
        return {0, context.machine.leads() ? noiseOf(plan) : Tensor(), {}};
    if (context.machine.leads() && resumeFrom->latents.shape() != plan.latentShape)
        throw Error(
            ErrorKind::Input,
            fmt::format("the checkpoint of the run ({} after {} steps) does not belong to its project ({}, "
                        "{} steps)",
                        resumeFrom->latents.shape().text(), resumeFrom->stepsDone, plan.latentShape.text(),
                        plan.project.numInferenceSteps),
            "checkpoint.safetensors", "Start the run again");
    return *resumeFrom;
}

/// A scheduler of a device's own, set to where the snapshot was taken.
std::unique_ptr<Scheduler> schedulerAt(const RunPlan& plan, const SamplerSnapshot& snapshot) {
    auto scheduler = makeScheduler(plan.model.scheduler);
    scheduler->setTimesteps(static_cast<int>(plan.project.numInferenceSteps));
    if (snapshot.stepsDone > 0)
        scheduler->restore(snapshot.stepsDone,
                           [&](std::string_view name) { return tensorNamed(snapshot, name); });
    return scheduler;
}

/// Tells the observer about the steps of one denoising loop; on the first device's thread.
class StepTeller {
  public:
    StepTeller(const Context& context, const LoadedModel& model, const Scheduler& scheduler,
               std::vector<StepRecord>& steps)
        : m_context(context), m_model(model), m_scheduler(scheduler), m_steps(steps) {}

    void operator()(const DenoiseStep& step) {
        m_steps.push_back(step.record);
        m_context.observer.stepFinished(step.record,
                                        {step.record.step + 1, step.latents, m_scheduler.state()});
        if (m_model.preview)
            m_context.observer.preview(step.record.step, m_model.preview->frames(step.latents));
        m_context.progress.stepFinished(std::exchange(m_sinceLastStep, Stopwatch()).seconds());
        m_context.observer.progressed(m_context.progress.at(Phase::Denoise));
    }

  private:
    const Context& m_context;
    const LoadedModel& m_model;
    const Scheduler& m_scheduler;
    std::vector<StepRecord>& m_steps;
    Stopwatch m_sinceLastStep;
};

/// The final latents, on every process.
Tensor denoiseOnMesh(const Context& context, const LoadedModel& model, const TextConditioning& text,
                     const SamplerSnapshot& start, std::vector<StepRecord>& steps) {
    Tensor latents;
    const auto program = [&](Device& device) {
        const TextConditioning ownText = broadcastText(device.everyone(), text);
        const SamplerSnapshot ownStart = broadcastSnapshot(device.everyone(), start);
        Tensor denoised = ownStart.latents;
        if (!model.parts.transformers.empty()) {
            const auto scheduler = schedulerAt(context.plan, ownStart);
            denoised = denoise(device, model.parts.transformerOf(device), *scheduler, ownText,
                               {.guidanceScale = context.plan.project.guidanceScale,
                                .firstStep = scheduler->stepIndex(),
                                .schedulerType = context.plan.precision.scheduler},
                               ownStart.latents, StepTeller(context, model, *scheduler, steps));
        }
        if (device.index() == context.machine.mesh.firstDevice())
            latents = std::move(denoised);
    };
    context.machine.mesh.run(context.machine.stop, context.machine.trace, program);
    return latents;
}

/// The video that the mesh decodes, on the leading process.
Tensor decodeOnMesh(const Context& context, const ModelParts& parts, const Tensor& vaeInput) {
    Tensor video;
    const auto onChunk = [&](int done, int total) {
        context.progress.decoded(static_cast<double>(done) / total);
        context.observer.progressed(context.progress.at(Phase::Decode));
    };
    context.machine.mesh.run(context.machine.stop, context.machine.trace, [&](Device& device) {
        Tensor decoded = parts.vaeOf(device).decode(device, context.plan.vaeStrips, vaeInput,
                                                    device.isFirst() ? VaeProgress(onChunk) : VaeProgress());
        if (device.isFirst())
            video = std::move(decoded);
    });
    return video;
}

/// The frames, on the leading process; `vaeInput` is the same on all.
Tensor decodeObserved(const Context& context, const ModelParts& parts, const Tensor& vaeInput,
                      TimingSummary& timings) {
    Tensor frames;
    timings.vaeDecode = timePhase(context, Phase::Decode, [&] {
        const Stopwatch compute;
        const Tensor video = decodeOnMesh(context, parts, vaeInput);
        timings.compute = compute.seconds();
        if (!context.machine.leads())
            return;
        requireFinite(context.host, video.data<float>(), "the VAE decoder");
        throwIfStopped(context.machine.stop);
        const Stopwatch formatting;
        frames = toFrames(video);
        timings.hostFormatting = formatting.seconds();
    });
    return frames;
}

ModelScope scopeOf(const Machine& machine, bool denoised) {
    if (denoised)
        return ModelScope::DecoderOnly;
    return machine.leads() ? ModelScope::Everything : ModelScope::WithoutText;
}

}  // namespace

DeviceMeshOptions meshOptions(const RunPlan& plan) {
    DeviceMeshOptions options;
    options.layout = plan.layout;
    options.workersPerDevice = plan.workersPerDevice;
    options.stallTimeout = plan.stallTimeout;
    return options;
}

GenerationResult generate(const Machine& machine, const RunPlan& plan, const GenerationStart& start,
                          GenerationObserver& observer) {
    const int steps = static_cast<int>(plan.project.numInferenceSteps);
    const int stepsDone = start.resumeFrom ? start.resumeFrom->stepsDone : 0;
    ProgressMeter progress(steps, stepsDone);
    MemoryWatch memory;
    GenerationResult result;
    const Context context{machine, hostExecution(machine), plan, observer, progress, memory, result.memory};
    TimingSummary& timings = result.timings;
    timings.hasTrace = true;
    timings.compile = start.planningSeconds;
    LoadedModel model = loadModel(context, scopeOf(machine, stepsDone == steps), timings);
    ModelParts& parts = model.parts;

    const Stopwatch inference;
    TextConditioning text;
    SamplerSnapshot begin;
    timings.conditioning = timePhase(context, Phase::Conditioning, [&] {
        if (parts.textEncoder) {
            ConditionedText conditioned = conditionOnText(context, *model.tokenizer, *parts.textEncoder);
            text = std::move(conditioned.text);
            result.textEncoderSkipped = conditioned.encoderSkipped;
        }
        parts.textEncoder.reset();
        begin = firstSnapshot(context, start.resumeFrom);
    });

    Tensor vaeInput;
    timings.denoiseTotal = timePhase(context, Phase::Denoise, [&] {
        result.latents = denoiseOnMesh(context, model, text, begin, result.steps);
        parts.transformers.clear();
        vaeInput = parts.vae().denormalize(result.latents);
    });
    observer.latentsReady(result.latents);

    result.frames = decodeObserved(context, parts, vaeInput, timings);
    timings.inference = inference.seconds();
    observer.framesReady(result.frames);
    observer.progressed(progress.finished());
    return result;
}

DecodedLatents decodeOnly(const Machine& machine, const RunPlan& plan, const Tensor& latents,
                          GenerationObserver& observer) {
    const int steps = static_cast<int>(plan.project.numInferenceSteps);
    ProgressMeter progress(steps, steps);
    MemoryWatch memory;
    std::vector<PhaseMemory> memoryOfPhases;
    const Context context{machine, hostExecution(machine), plan, observer, progress, memory, memoryOfPhases};

    DecodedLatents result;
    result.timings.hasTrace = true;
    const ModelParts parts = loadModel(context, ModelScope::DecoderOnly, result.timings).parts;
    const Stopwatch inference;
    result.frames = decodeObserved(context, parts, parts.vae().denormalize(latents), result.timings);
    result.timings.inference = inference.seconds();
    observer.framesReady(result.frames);
    observer.progressed(progress.finished());
    return result;
}

}  // namespace meshreel

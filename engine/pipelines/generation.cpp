// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/media/frames.h"
#include "engine/models/latent_preview.h"
#include "engine/models/non_finite.h"
#include "engine/pipelines/denoise.h"
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
    const Execution& execution;
    const RunPlan& plan;
    GenerationObserver& observer;
    ProgressMeter& progress;
};

/// Runs one phase between its events; returns its wall-clock seconds. Nothing runs on when `work` returns, so
/// the boundary is synchronised.
template <typename Work>
double timePhase(const Context& context, Phase phase, const Work& work) {
    throwIfStopped(context.execution.stop);
    context.observer.phaseStarted(phase);
    context.observer.progressed(context.progress.at(phase));
    const Stopwatch watch;
    {
        const auto span = traceSpan(context.execution.trace, std::string(nameOf(phase)), "phase");
        work();
    }
    const double seconds = watch.seconds();
    context.observer.phaseFinished(phase, seconds);
    return seconds;
}

struct LoadedModel {
    std::optional<Tokenizer> tokenizer;
    ModelParts parts;
    std::optional<LatentPreview> preview;  // when the observer wants them and there are steps to preview
};

LoadedModel loadModel(const Context& context, ModelScope scope, TimingSummary& timings) {
    ModelFiles files;
    timings.load = timePhase(context, Phase::Load,
                             [&] { files = openModelFiles(context.execution, context.plan, scope); });
    LoadedModel model;
    timings.compile += timePhase(context, Phase::Compile, [&] {
        model.parts = packModel(context.execution, context.plan, files);
        context.progress.setDecodeEstimate(warmUp(context.execution, context.plan, model.parts));
        if (scope == ModelScope::Everything && context.observer.wantsPreviews())
            model.preview = LatentPreview::fit(context.execution, *model.parts.vae);
    });
    model.tokenizer = std::move(files.tokenizer);
    return model;
}

Tensor embed(const Context& context, const Tokenizer& tokenizer, const Umt5Encoder& encoder,
             const std::string& prompt) {
    const std::int64_t limit = context.plan.project.maxSequenceLength;
    PromptEmbedding embedded = embedPrompt(context.execution, tokenizer, encoder, prompt, limit);
    if (embedded.truncated)
        context.observer.message(
            MessageLevel::Warning,
            fmt::format(
                "The prompt is longer than max_sequence_length ({} tokens); what is beyond was left out",
                limit));
    return std::move(embedded.embedding);
}

TextConditioning conditionOnText(const Context& context, const Tokenizer& tokenizer,
                                 const Umt5Encoder& encoder) {
    TextConditioning text{embed(context, tokenizer, encoder, context.plan.project.prompt), std::nullopt};
    if (usesGuidance(context.plan.project.guidanceScale))
        text.negative = embed(context, tokenizer, encoder, context.plan.project.negativePrompt);
    return text;
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

/// Sets the scheduler to where the generation begins; returns the latents there.
Tensor beginSampling(const RunPlan& plan, const std::optional<SamplerSnapshot>& resumeFrom,
                     Scheduler& scheduler) {
    scheduler.setTimesteps(static_cast<int>(plan.project.numInferenceSteps));
    if (!resumeFrom)
        return noiseOf(plan);
    if (resumeFrom->latents.shape() != plan.latentShape || resumeFrom->stepsDone > scheduler.steps())
        throw Error(
            ErrorKind::Input,
            fmt::format(
                "the checkpoint of the run ({} after {} steps) does not belong to its project ({}, {} "
                "steps)",
                resumeFrom->latents.shape().text(), resumeFrom->stepsDone, plan.latentShape.text(),
                scheduler.steps()),
            "checkpoint.safetensors", "Start the run again");
    scheduler.restore(resumeFrom->stepsDone,
                      [&](std::string_view name) { return tensorNamed(*resumeFrom, name); });
    return resumeFrom->latents;
}

Tensor denoiseObserved(const Context& context, const LoadedModel& model, Scheduler& scheduler,
                       const TextConditioning& text, Tensor latents, std::vector<StepRecord>& steps) {
    Stopwatch sinceLastStep;
    const auto onStep = [&](const DenoiseStep& step) {
        steps.push_back(step.record);
        context.observer.stepFinished(step.record, {step.record.step + 1, step.latents, scheduler.state()});
        if (model.preview)
            context.observer.preview(step.record.step, model.preview->frames(step.latents));
        context.progress.stepFinished(std::exchange(sinceLastStep, Stopwatch()).seconds());
        context.observer.progressed(context.progress.at(Phase::Denoise));
    };
    return denoise(context.execution, *model.parts.transformer, scheduler, text,
                   {context.plan.project.guidanceScale, scheduler.stepIndex()}, std::move(latents), onStep);
}

Tensor decodeObserved(const Context& context, const WanVae& vae, const Tensor& vaeInput,
                      TimingSummary& timings) {
    Tensor frames;
    timings.vaeDecode = timePhase(context, Phase::Decode, [&] {
        const Stopwatch compute;
        const auto onChunk = [&](int done, int total) {
            context.progress.decoded(static_cast<double>(done) / total);
            context.observer.progressed(context.progress.at(Phase::Decode));
        };
        const Tensor video = vae.decode(context.execution, vaeInput, nullptr, {}, onChunk);
        requireFinite(context.execution, video.data<float>(), "the VAE decoder");
        timings.compute = compute.seconds();
        throwIfStopped(context.execution.stop);
        const Stopwatch formatting;
        frames = toFrames(video);
        timings.hostFormatting = formatting.seconds();
    });
    return frames;
}

}  // namespace

GenerationResult generate(const Execution& execution, const RunPlan& plan, const GenerationStart& start,
                          GenerationObserver& observer) {
    const int steps = static_cast<int>(plan.project.numInferenceSteps);
    const int stepsDone = start.resumeFrom ? start.resumeFrom->stepsDone : 0;
    ProgressMeter progress(steps, stepsDone);
    const Context context{execution, plan, observer, progress};
    const bool denoised = stepsDone == steps;

    GenerationResult result;
    TimingSummary& timings = result.timings;
    timings.hasTrace = true;
    timings.compile = start.planningSeconds;
    LoadedModel model =
        loadModel(context, denoised ? ModelScope::DecoderOnly : ModelScope::Everything, timings);
    ModelParts& parts = model.parts;

    const Stopwatch inference;
    const auto scheduler = makeScheduler(plan.model.scheduler);
    TextConditioning text;
    timings.conditioning = timePhase(context, Phase::Conditioning, [&] {
        if (parts.textEncoder)
            text = conditionOnText(context, *model.tokenizer, *parts.textEncoder);
        parts.textEncoder.reset();
        result.latents = beginSampling(plan, start.resumeFrom, *scheduler);
    });

    Tensor vaeInput;
    timings.denoiseTotal = timePhase(context, Phase::Denoise, [&] {
        if (parts.transformer)
            result.latents = denoiseObserved(context, model, *scheduler, text, result.latents, result.steps);
        parts.transformer.reset();
        vaeInput = parts.vae->denormalize(result.latents);
    });
    observer.latentsReady(result.latents);

    result.frames = decodeObserved(context, *parts.vae, vaeInput, timings);
    timings.inference = inference.seconds();
    observer.framesReady(result.frames);
    observer.progressed(progress.finished());
    return result;
}

DecodedLatents decodeOnly(const Execution& execution, const RunPlan& plan, const Tensor& latents,
                          GenerationObserver& observer) {
    const int steps = static_cast<int>(plan.project.numInferenceSteps);
    ProgressMeter progress(steps, steps);
    const Context context{execution, plan, observer, progress};

    DecodedLatents result;
    result.timings.hasTrace = true;
    const ModelParts parts = loadModel(context, ModelScope::DecoderOnly, result.timings).parts;
    const Stopwatch inference;
    result.frames = decodeObserved(context, *parts.vae, parts.vae->denormalize(latents), result.timings);
    result.timings.inference = inference.seconds();
    observer.framesReady(result.frames);
    observer.progressed(progress.finished());
    return result;
}

}  // namespace meshreel

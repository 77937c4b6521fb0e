// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/denoise_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/pipelines/mesh_broadcast.h"

namespace meshreel {
namespace {

Tensor tensorNamed(const SamplerSnapshot& snapshot, std::string_view name) {
    const auto found = std::ranges::find(snapshot.history, name, &std::pair<std::string, Tensor>::first);
    if (found == snapshot.history.end())
        throw Error(ErrorKind::Input,
                    "the checkpoint of the run lacks the scheduler's \"" + std::string(name) + "\"",
                    "checkpoint.safetensors", "Start the run again");
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

/// Tells the observer about the steps of one denoising loop; on the first device's thread.
class StepTeller {
  public:
    StepTeller(const GenerationContext& context, const LoadedModel& model, const Scheduler& scheduler,
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
    const GenerationContext& m_context;
    const LoadedModel& m_model;
    const Scheduler& m_scheduler;
    std::vector<StepRecord>& m_steps;
    Stopwatch m_sinceLastStep;
};

SamplerSnapshot snapshotOf(const Scheduler& scheduler, Tensor latents) {
    SamplerSnapshot snapshot{scheduler.stepIndex(), std::move(latents), {}};
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
        if (!context.plan.bothExpertsResident)
            model.parts.transformers.clear();
        ::malloc_trim(0);
        loadTransformer(context.host, context.plan, stretch.expert, context.machine.mesh,
                        context.weightKeeper(), model.parts);
    }
    const double seconds = watch.seconds();
    result.expertSwitches.push_back({stretch.firstStep, stretch.expert, seconds});
    context.observer.message(MessageLevel::Info, fmt::format("Step {} begins with {}, loaded in {:.1f} s",
                                                             stretch.firstStep + 1, name, seconds));
}

/// What a stretch's guidance needs of the text.
TextConditioning textFor(const TextConditioning& text, double guidanceScale) {
    return {text.prompt, usesGuidance(guidanceScale) ? text.negative : std::nullopt};
}

/// Where the sampler stands after the steps of a stretch that `start` leaves to do.
SamplerSnapshot denoiseStretch(const GenerationContext& context, const LoadedModel& model,
                               const Conditions& conditions, const ExpertSteps& stretch,
                               const SamplerSnapshot& start, std::vector<StepRecord>& steps) {
    SamplerSnapshot end;
    const double scale = context.plan.guidanceOf(stretch.expert);
    const auto program = [&](Device& device) {
        const TextConditioning ownText = textFor(broadcastText(device.everyone(), conditions.text), scale);
        const SamplerSnapshot ownStart = broadcastSnapshot(device.everyone(), start);
        const auto scheduler = schedulerAt(context.plan, ownStart);
        Tensor latents = denoise(device, model.parts.transformerOf(device, stretch.expert), *scheduler,
                                 ownText, conditions.visual,
                                 {.guidanceScale = scale,
                                  .expert = stretch.expert,
                                  .firstStep = scheduler->stepIndex(),
                                  .endStep = stretch.endStep,
                                  .schedulerType = context.plan.precision.scheduler},
                                 ownStart.latents, StepTeller(context, model, *scheduler, steps));
        if (device.index() == context.machine.mesh.firstDevice())
            end = snapshotOf(*scheduler, std::move(latents));
    };
    context.machine.mesh.run(context.machine.stop, context.machine.trace, program);
    return end;
}

/// The leading process's latents on every process.
Tensor shareLatents(const GenerationContext& context, const Tensor& latents) {
    Tensor shared;
    context.machine.mesh.run(context.machine.stop, context.machine.trace, [&](Device& device) {
        Tensor own = broadcastTensor(device.everyone(), latents);
        if (device.index() == context.machine.mesh.firstDevice())
            shared = std::move(own);
    });
    return shared;
}

}  // namespace

Tensor denoiseOnMesh(const GenerationContext& context, LoadedModel& model, const Conditions& conditions,
                     GenerationResult& result) {
    const RunPlan& plan = context.plan;
    SamplerSnapshot at = conditions.start;
    if (at.stepsDone == plan.steps())
        at.latents = shareLatents(context, at.latents);
    for (const ExpertSteps& stretch : plan.experts) {
        if (stretch.endStep <= at.stepsDone)
            continue;
        makeResident(context, model, stretch, result);
        at = denoiseStretch(context, model, conditions, stretch, at, result.steps);
    }
    return finishedLatents(conditions.visual, plan.referenceFrames, at.latents);
}

}  // namespace meshreel

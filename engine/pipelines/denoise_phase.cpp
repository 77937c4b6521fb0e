// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/denoise_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/pipelines/mesh_broadcast.h"
#include "engine/pipelines/video_axes.h"
#include "engine/tensor/joined.h"
#include "engine/weights/lost_pages.h"

namespace meshreel {
namespace {

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
    int firstStep = 0;               ///< among those of all segments
    std::optional<Tensor> finished;  ///< latents of the segments before
    VisualConditioning visual;
};

/// Tells the observer about the steps of one denoising loop; on the first device's thread.
class StepTeller {
  public:
    StepTeller(const GenerationContext& context, const LoadedModel& model, const Scheduler& scheduler,
               const Segment& segment, GenerationResult& result)
        : m_context(context), m_model(model), m_scheduler(scheduler), m_segment(segment), m_result(result) {}

    void operator()(const DenoiseStep& step) {
        throwIfPagesWereLost();
        StepRecord record = step.record;
        record.step += m_segment.firstStep;
        m_result.steps.push_back(record);
        std::ranges::copy(step.cache.growth(), std::back_inserter(m_result.growth));
        m_context.observer.stepFinished(record, {.stepsDone = record.step + 1,
                                                 .latents = step.latents,
                                                 .history = m_scheduler.state(),
                                                 .cache = step.cache.state(),
                                                 .finished = m_segment.finished});
        m_context.observer.devicesWorked({.step = record.step, .devices = step.devices});
        if (m_model.preview)
            m_context.observer.preview(record.step, m_model.preview->frames(step.latents.slice(0, 1)));
        m_context.progress.stepFinished(std::exchange(m_sinceLastStep, Stopwatch()).seconds());
        m_context.observer.progressed(m_context.progress.at(Phase::Denoise));
    }

  private:
    const GenerationContext& m_context;
    const LoadedModel& m_model;
    const Scheduler& m_scheduler;
    const Segment& m_segment;
    GenerationResult& m_result;
    Stopwatch m_sinceLastStep;
};

SamplerSnapshot snapshotOf(const Scheduler& scheduler, Tensor latents) {
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
                               const TextConditioning& text, const Segment& segment,
                               const ExpertSteps& stretch, const SamplerSnapshot& start,
                               GenerationResult& result) {
    SamplerSnapshot end;
    const double scale = context.plan.guidanceOf(stretch.expert);
    const auto program = [&](Device& device) {
        const TextConditioning ownText = textFor(broadcastText(device.everyone(), text), scale);
        const SamplerSnapshot ownStart = broadcastSnapshot(device.everyone(), start);
        const auto scheduler = schedulerAt(context.plan, ownStart);
        // Nothing is taken over from another expert.
        const SchedulerState cacheState =
            ownStart.stepsDone > stretch.firstStep ? ownStart.cache : SchedulerState();
        Tensor latents = denoise(device, model.parts.transformerOf(device, stretch.expert), *scheduler,
                                 ownText, segment.visual,
                                 {.guidanceScale = scale,
                                  .expert = stretch.expert,
                                  .firstStep = scheduler->stepIndex(),
                                  .endStep = stretch.endStep,
                                  .schedulerType = context.plan.precision.scheduler,
                                  .cache = context.plan.stepCache,
                                  .cacheState = cacheState},
                                 ownStart.latents, StepTeller(context, model, *scheduler, segment, result));
        if (device.index() == context.machine.mesh.firstDevice())
            end = snapshotOf(*scheduler, std::move(latents));
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

/// The latents of one more segment behind those before.
Tensor withSegment(const std::optional<Tensor>& finished, Tensor latents) {
    return finished ? joined({*finished, latents}, frameAxis) : std::move(latents);
}

/// The latents of a segment that `start` (its steps counted from its own first) leaves to do.
Tensor denoiseSegment(const GenerationContext& context, LoadedModel& model, const TextConditioning& text,
                      const Segment& segment, SamplerSnapshot start, GenerationResult& result) {
    for (const ExpertSteps& stretch : context.plan.experts) {
        if (stretch.endStep <= start.stepsDone)
            continue;
        makeResident(context, model, stretch, result);
        start = denoiseStretch(context, model, text, segment, stretch, start, result);
    }
    return finishedLatents(segment.visual, context.plan.referenceFrames, start.latents);
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
        if (conditions.start.stepsDone % loop == 0)
            finished = withSegment(finished,
                                   finishedLatents(conditions.visual, plan.referenceFrames, shared.latents));
    }
    for (int index = begun; index < plan.segments.count; ++index) {
        Segment segment{.firstStep = index * loop, .finished = finished, .visual = conditions.visual};
        if (isAnimation(plan.task))
            segment.visual = conditionSegment(context, model.parts, conditions.inputs, index, finished);
        const int ownSteps = index == begun ? conditions.start.stepsDone - segment.firstStep : 0;
        SamplerSnapshot start{.stepsDone = 0, .latents = Tensor()};
        if (ownSteps > 0 || index == 0) {
            start = conditions.start;
            start.stepsDone = ownSteps;
        } else if (context.machine.leads()) {
            start.latents = noiseOf(plan, index);
        }
        finished = withSegment(
            finished, denoiseSegment(context, model, conditions.text, segment, std::move(start), result));
    }
    return *finished;
}

}  // namespace meshreel

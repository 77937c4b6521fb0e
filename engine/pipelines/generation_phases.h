// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/elapsed.h"
#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/models/vae/vae_options.h"
#include "engine/pipelines/denoise.h"
#include "engine/pipelines/generation.h"
#include "engine/pipelines/model_parts.h"
#include "engine/pipelines/predictor.h"
#include "engine/pipelines/progress_meter.h"
#include "engine/pipelines/step_predictor.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/planning/run_plan.h"
#include "engine/tensor/tensor.h"
#include "engine/text/tokenizer.h"
#include "engine/timing/memory_watch.h"
#include "engine/timing/trace.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {

class Stopwatch {
  public:
    [[nodiscard]] double seconds() const { return secondsSince(m_start); }

  private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

/// What every phase of one generation shares.
struct GenerationContext {
    const RunContext& machine;
    Execution host;  ///< all workers of this process, for what no device does
    const RunPlan& plan;
    const EventSink& sink;
    Previews previews;
    const DecodedPart& decodedPart;  ///< may be empty
    ProgressMeter& progress;
    MemoryWatch& memory;
    std::vector<PhaseMemory>& memoryOfPhases;
    bool isExamined = false;  ///< as in GenerationStart

    /// Passes texts on to the sink, for as long as that lives.
    [[nodiscard]] std::function<void(const Sentence&)> warnings() const {
        return [&to = sink](const Sentence& text) { to(RunMessage{MessageLevel::Warning, text}); };
    }

    [[nodiscard]] WeightKeeper weightKeeper() const { return {.caches = machine.caches, .warn = warnings()}; }
};

/// Pictures u8 [F, H, W, 3] of latents [1, z, F, H', W'] on their way.
using PreviewMaker = std::function<Tensor(const Execution& execution, const Tensor& latents)>;

/// A model in memory, as far as its phase needs it.
struct LoadedModel {
    std::optional<Tokenizer> tokenizer;
    ModelParts parts;
    PreviewMaker preview;  ///< when they are wanted and there are steps to preview; else empty
};

/// Runs one phase between its events; returns its wall-clock seconds. Nothing runs on when `work` returns, so
/// the boundary is synchronised.
template <typename Work>
double timePhase(const GenerationContext& context, Phase phase, const Work& work) {
    throwIfStopped(context.machine.stop);
    // What the phase before freed goes back to the system: the next one may need it in larger pieces.
    freeScratch(context.host.workers);
    ::malloc_trim(0);
    static_cast<void>(context.memory.takePeak());
    context.sink(PhaseStarted{phase});
    context.sink(context.progress.at(phase));
    const Stopwatch watch;
    {
        const auto span = traceSpan(context.host.trace, std::string(enumName(phase)), "phase");
        work();
    }
    throwIfPagesWereLost();
    const double seconds = watch.seconds();
    context.memoryOfPhases.push_back({phase, context.memory.takePeak()});
    context.sink(PhaseFinished{phase, seconds});
    return seconds;
}

/// What sampling begins with.
struct Conditions {
    TextConditioning text;  ///< on the leading process
    Tensor timedTokens;     ///< I64 [parts of all prompts, 2]: first token and end of each, on that process
    VisualConditioning visual;  ///< on every process; in an animation each segment has its own, and in a
                                ///< video after a sound each clip
    VisualInputs inputs;        ///< for those, on the leading process
    SamplerSnapshot start;      ///< on the others only the number of steps done
    bool textEncoderSkipped = false;
};

/// Encodes the prompts, on the leading process, and what the task is given to see, on the whole mesh; draws
/// the noise or takes up start.resumeFrom. The text and image encoders are freed.
Conditions condition(const GenerationContext& context, LoadedModel& model, const GenerationStart& start);

/// Returns the latents of the finished video, on every process. Steps and switches between experts go to the
/// sink and are appended to `result`; of two experts only the one at work stays in memory, unless the plan
/// has room for both.
Tensor denoiseOnMesh(const GenerationContext& context, LoadedModel& model, const Conditions& conditions,
                     GenerationResult& result);

/// Normalised latents of a video, [N, C, F, H, W], by the segments that it was made in.
std::vector<Tensor> latentSegments(const RunPlan& plan, const Tensor& latents);

/// Returns the frames u8 [N, T, H, W, 3] of all segments in one: without what each one has of the previous
/// one or does not show, and no more than requested.
Tensor joinedVideo(const RunPlan& plan, const std::vector<Tensor>& segments);

/// Returns the part of a segment's frames, u8 [T, H, W, 3] from its frame `first` on, that the video shows;
/// they share memory. Nothing when all of it is in the segment before, or after the end.
std::optional<DecodedFrames> ownFrames(const RunPlan& plan, int segment, std::int64_t first,
                                       const Tensor& frames);

/// Returns frames u8 [N, T, H, W, 3] of one segment's normalised latents, which are the same on all
/// processes. The mesh decodes; the leading process gets the frames, and its first device reports the events.
Tensor decodeFramesOnMesh(const GenerationContext& context, const ModelParts& parts, const Tensor& latents,
                          const VaeEvents& events);

}  // namespace meshreel

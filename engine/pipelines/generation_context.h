// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <malloc.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/models/vae/latent_preview.h"
#include "engine/pipelines/generation.h"
#include "engine/pipelines/model_parts.h"
#include "engine/pipelines/progress_meter.h"
#include "engine/timing/trace.h"
#include "engine/weights/lost_pages.h"

namespace meshreel {

class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

  private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

/// What every phase of one generation shares.
struct GenerationContext {
    const Machine& machine;
    Execution host;  ///< all workers of this process, for what no device does
    const RunPlan& plan;
    GenerationObserver& observer;
    ProgressMeter& progress;
    MemoryWatch& memory;
    std::vector<PhaseMemory>& memoryOfPhases;

    /// Passes texts on to the observer, for as long as that lives.
    [[nodiscard]] std::function<void(const Sentence&)> warnings() const {
        return [&told = observer](const Sentence& text) { told.message(MessageLevel::Warning, text); };
    }

    [[nodiscard]] WeightKeeper weightKeeper() const { return {.caches = machine.caches, .warn = warnings()}; }
};

/// A model in memory, as far as its phase needs it.
struct LoadedModel {
    std::optional<Tokenizer> tokenizer;
    ModelParts parts;
    std::optional<LatentPreview> preview;  ///< when the observer wants them and there are steps to preview
};

/// Runs one phase between its events; returns its wall-clock seconds. Nothing runs on when `work` returns, so
/// the boundary is synchronised.
template <typename Work>
double timePhase(const GenerationContext& context, Phase phase, const Work& work) {
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
    throwIfPagesWereLost();
    const double seconds = watch.seconds();
    context.memoryOfPhases.push_back({phase, context.memory.takePeak()});
    context.observer.phaseFinished(phase, seconds);
    return seconds;
}

}  // namespace meshreel

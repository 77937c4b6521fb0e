// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/step_record.h"

namespace meshreel {

/// The parts of a run, in order. Every one starts and finishes once, or not at all when an error or a stop
/// comes first; a resumed run skips those with nothing left to do. Format, writing the video's files, belongs
/// to the run around the generation.
enum class Phase { Load, Compile, Conditioning, Denoise, Decode, Format };

/// "Load", "Compile", "Conditioning", "Denoise", "Decode", "Format".
std::string_view nameOf(Phase phase);

/// All that the denoising loop carries from one step to the next: enough to go on bit-identically.
struct SamplerSnapshot {
    int stepsDone = 0;
    Tensor latents;                                            ///< [1, C, F, H, W] f32, normalised
    std::vector<std::pair<std::string, Tensor>> history = {};  ///< Scheduler::state()
    std::vector<std::pair<std::string, Tensor>> cache = {};    ///< StepPredictor::state()
    std::optional<Tensor> finished = {};  ///< of a video made in segments those before, [1, C, F, H, W]
};

/// How far the whole generation is.
struct Progress {
    Phase phase = Phase::Load;
    int stepsDone = 0;                  ///< of the whole denoising loop, steps before a resume included
    int steps = 0;                      ///< length of the loop
    double fraction = 0;                ///< of the estimated whole, in [0, 1]; never decreases
    std::optional<double> secondsLeft;  ///< estimate, decoding included; absent until a step was measured
    double decoded = 0;                 ///< part of the decoding that is done, in [0, 1]
};

/// Frames that the VAE has made while others are still to come.
struct DecodedFrames {
    std::int64_t first = 0;  ///< of the video's frames, counted from 0
    std::int64_t total = 0;  ///< frames of the video
    Tensor frames;           ///< u8 [time, height, width, 3]
};

enum class MessageLevel { Info, Warning };

/// Told what happens, in order, on the thread that generates; a slow observer slows the generation. What an
/// observer throws stops the generation and passes through.
class GenerationObserver {
  public:
    virtual ~GenerationObserver() = default;

    virtual void phaseStarted(Phase) {}
    virtual void phaseFinished(Phase, double /*seconds*/) {}

    /// While the phase goes on: what it is there to make was kept from an earlier run.
    virtual void foundInCache(Phase) {}

    virtual void progressed(const Progress&) {}

    /// After each denoising step. The snapshot shares memory with the loop only until the call returns: clone
    /// what is kept.
    virtual void stepFinished(const StepRecord&, const SamplerSnapshot&) {}

    /// Behind stepFinished() of the same step.
    virtual void devicesWorked(const StepDeviceTimes&) {}

    /// Whether previews and the frames of each chunk should be computed at all; asked while compiling and
    /// before decoding.
    [[nodiscard]] virtual bool wantsPreviews() const { return false; }

    /// Cheap approximation of the frames after a step (counted from 0): u8 [time, height, width, 3], about an
    /// eighth of the video's size.
    virtual void preview(int /*step*/, const Tensor& /*frames*/) {}

    /// Final latents [1, C, F, H, W] f32, normalised, before they are decoded.
    virtual void latentsReady(const Tensor&) {}

    /// The frames of a chunk of the first video of the batch, as framesReady() will have them: every frame
    /// once, in order.
    virtual void framesDecoded(const DecodedFrames&) {}

    /// Decoded video, u8 [batch, time, height, width, 3].
    virtual void framesReady(const Tensor&) {}

    virtual void message(MessageLevel, const Sentence& /*text*/) {}
};

}  // namespace meshreel

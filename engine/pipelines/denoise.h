// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>

#include "engine/kernels/execution.h"
#include "engine/models/wan_transformer.h"
#include "engine/sampling/scheduler.h"
#include "engine/timing/step_record.h"

namespace meshreel {

/// Text embeddings of the videos, each [videos, maxSequenceLength, textDim], zero past the prompt's end.
struct TextConditioning {
    Tensor prompt;
    std::optional<Tensor> negative;  ///< present iff classifier-free guidance is on
};

/// Classifier-free guidance is on above a scale of 1, as in diffusers' WanPipeline.
inline bool usesGuidance(double guidanceScale) {
    return guidanceScale > 1.0;
}

/// What one step computed.
struct DenoiseStep {
    StepRecord record;
    float modelTimestep = 0;              ///< what the transformer was given
    const Tensor& noiseCond;              ///< transformer output for the prompt
    const Tensor* noiseUncond = nullptr;  ///< for the negative prompt; null without guidance
    const Tensor& latents;                ///< after the step, f32
};

struct DenoiseSettings {
    double guidanceScale = 1;
    int firstStep = 0;  ///< the scheduler's step index: above 0 when resumed
};

/// Steps firstStep … scheduler.steps()-1 of the flow-matching loop on `latents` [videos, C, F, H, W] f32:
///   noise = uncond + scale·(cond − uncond);  latents = scheduler.step(noise, latents).
/// What depends on the text alone is computed once, before the first step. The scheduler has its timesteps
/// set (and its state restored). `onStep` is called after each step. Throws Error{Internal} naming step and
/// block at the first NaN or infinity, Error{Cancelled} when stopped.
Tensor denoise(const Execution& execution, const WanTransformer& transformer, Scheduler& scheduler,
               const TextConditioning& text, const DenoiseSettings& settings, Tensor latents,
               const std::function<void(const DenoiseStep&)>& onStep);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/pipelines/denoise.h"
#include "engine/pipelines/generation_context.h"

namespace meshreel {

/// What sampling begins with.
struct Conditions {
    TextConditioning text;      ///< on the leading process
    VisualConditioning visual;  ///< on every process; of an animation each segment has its own
    VisualInputs inputs;        ///< of an animation, on the leading process
    SamplerSnapshot start;      ///< on the others only the number of steps done
    bool textEncoderSkipped = false;
};

/// Encodes the prompts, on the leading process, and what the task is given to see, on the whole mesh; draws
/// the noise or takes up `resumeFrom`. The text and image encoders are freed.
Conditions condition(const GenerationContext& context, LoadedModel& model,
                     const std::optional<SamplerSnapshot>& resumeFrom);

/// What one segment of an animation is conditioned on, on every process. `finished`: normalised latents of
/// those before, the same on all.
VisualConditioning conditionSegment(const GenerationContext& context, const ModelParts& parts,
                                    const VisualInputs& inputs, int segment,
                                    const std::optional<Tensor>& finished);

/// The noise of a segment, or of the whole video where it is one.
Tensor noiseOf(const RunPlan& plan, int segment = 0);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/pipelines/denoise.h"
#include "engine/pipelines/generation_context.h"

namespace meshreel {

/// What sampling begins with.
struct Conditions {
    TextConditioning text;      ///< on the leading process
    VisualConditioning visual;  ///< on every process
    SamplerSnapshot start;      ///< on the others only the number of steps done
    bool textEncoderSkipped = false;
};

/// Encodes the prompts, on the leading process, and what the task is given to see, on the whole mesh; draws
/// the noise or takes up `resumeFrom`. The text and image encoders are freed.
Conditions condition(const GenerationContext& context, LoadedModel& model,
                     const std::optional<SamplerSnapshot>& resumeFrom);

}  // namespace meshreel

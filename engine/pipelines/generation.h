// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/pipelines/generation_events.h"
#include "engine/planning/run_plan.h"
#include "engine/timing/timing_summary.h"

namespace meshreel {

/// Where a generation begins.
struct GenerationStart {
    std::optional<SamplerSnapshot> resumeFrom;  ///< absent: from noise
    double planningSeconds = 0;                 ///< counted as part of Compile
};

struct GenerationResult {
    Tensor latents;  ///< [1, C, F, H, W] f32, normalised
    Tensor frames;   ///< u8 [batch, time, height, width, 3]
    TimingSummary timings;
    std::vector<StepRecord> steps;  ///< of this call only
};

/// One video from a plan: load, compile, condition, denoise, decode. Deterministic for a binary, ISA and
/// worker count; a generation resumed from any step's snapshot gives the same bits as one that never stopped.
/// Throws Error: Input (checkpoint), Cancelled (execution.stop), Internal (NaN or infinity, naming step and
/// block).
GenerationResult generate(const Execution& execution, const RunPlan& plan, const GenerationStart& start,
                          GenerationObserver& observer);

struct DecodedLatents {
    Tensor frames;  ///< u8 [batch, time, height, width, 3]
    TimingSummary timings;
};

/// Only the last part: loads the VAE and decodes normalised latents [1, C, F, H, W].
DecodedLatents decodeOnly(const Execution& execution, const RunPlan& plan, const Tensor& latents,
                          GenerationObserver& observer);

}  // namespace meshreel

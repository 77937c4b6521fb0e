// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares what pipelines make of their inputs beside the transformer: Phantom's subjects and ATI's tracks.
/// Throws as verifyCase().
void verifyPipelineInputs(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

/// Compares where Wan-Move sees tracks among the latents, and the latents with what is copied along them: of
/// X.in.tracks [frames, tracks, 2], X.in.visible [frames, tracks] where it is there, and X.in.latents [z, F,
/// h, w], X.positions and X.out. Throws as verifyCase().
void verifyMoves(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

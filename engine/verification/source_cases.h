// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

// Bernini-R's sources.

/// Compares the rotary embedding of a target and its sources, X.cos and X.sin, whose shapes of latents and
/// ids are the case's params. Throws as verifyCase().
void verifySourceRotation(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

/// Compares the passes of guidance by sources, X.passN in the plan's order, and what they come to, X.guided:
/// of X.in.hidden_states, timestep, encoder_hidden_states, negative_encoder_hidden_states and sourceN. Throws
/// as verifyCase().
void verifySourcePasses(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

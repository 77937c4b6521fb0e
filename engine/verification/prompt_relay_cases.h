// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares how timed prompts are read, and what the scores of their keys get in each latent frame. Throws as
/// verifyCase().
void verifyPromptRelay(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares the rule of attention guidance on rows. Throws as verifyCase().
void verifyAttentionGuidance(const Execution& execution, const GoldenFiles& files,
                             GoldenComparison& comparison);

}  // namespace meshreel

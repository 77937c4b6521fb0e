// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares what Fun Control is given beside the latents that are denoised: of X.in.control [z, F, h, w],
/// X.in.start (latents of the given frames, absent without any) and X.in.reference [z, 1, h, w] (absent
/// without a picture), X.y and X.reference. Throws as verifyCase().
void verifyControlCondition(const Execution& execution, const GoldenFiles& files,
                            GoldenComparison& comparison);

}  // namespace meshreel

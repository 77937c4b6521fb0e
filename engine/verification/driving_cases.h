// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares attention to a driving video's keys, frame by frame, and the places of its tokens. Throws as
/// verifyCase().
void verifyDrivingAttention(const Execution& execution, const GoldenFiles& files,
                            GoldenComparison& comparison);

}  // namespace meshreel

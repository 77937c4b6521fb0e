// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

// Networks that work on finished videos. Both throw as verifyCase().

/// Frames between two others (IFNet of RIFE 4.x).
void verifyRife(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// Larger pictures (RRDBNet and SRVGGNetCompact).
void verifyUpscaler(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

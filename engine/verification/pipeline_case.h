// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares what WanPipeline and its siblings make of inputs, up to the frames: from images, from video and
/// with VACE. Throws as verifyCase().
void verifyPipeline(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

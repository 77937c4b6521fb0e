// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Verifies cases of given frames: kind keyframes_i2v (mask rows and pixels of image to video) and
/// keyframes_vace (inactive and reactive pixels and the folded mask of VACE).
void verifyKeyframesByMask(const Execution& execution, const GoldenFiles& files,
                           GoldenComparison& comparison);
void verifyKeyframesByControl(const Execution& execution, const GoldenFiles& files,
                              GoldenComparison& comparison);

}  // namespace meshreel

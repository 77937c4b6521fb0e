// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares images resized as Pillow and torch do it. Throws as verifyCase().
void verifyImageResize(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

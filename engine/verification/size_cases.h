// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares sizes of videos that start from an image. Throws as verifyCase().
void verifyOutputSize(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

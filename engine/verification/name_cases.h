// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares names of tensors in original files with those of diffusers, both ways. Throws as verifyCase().
void verifyKeyMaps(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

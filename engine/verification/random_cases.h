// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares random numbers with those of torch's CPU generator. Throws as verifyCase().
void verifyTorchRandom(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

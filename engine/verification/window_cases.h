// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares the lists of context windows, their weights, what becomes of their predictions, and the order of
/// FreeNoise. Throws as verifyCase().
void verifyContextWindows(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

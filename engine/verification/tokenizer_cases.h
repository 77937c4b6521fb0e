// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares cleaned prompts and their piece ids. Throws as verifyCase().
void verifyTokenizer(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

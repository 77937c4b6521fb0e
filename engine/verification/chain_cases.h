// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// What a clip of a chain is given (chainChannels()): X.in.anchor, X.in.previous, X.y.
void verifyChainCondition(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

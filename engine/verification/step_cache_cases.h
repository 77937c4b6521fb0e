// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares which steps EasyCache takes over, by which values, and what becomes of the sample. Throws as
/// verifyCase().
void verifyEasyCache(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

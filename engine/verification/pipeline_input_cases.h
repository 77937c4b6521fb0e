// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

/// Compares what pipelines make of their inputs beside the transformer: Phantom's subjects and ATI's tracks.
/// Throws as verifyCase().
void verifyPipelineInputs(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

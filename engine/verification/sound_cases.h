// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

// Cases of models that hear. All throw as verifyCase().

/// The sound encoder wav2vec 2.0, with norms by layer and by group: of X.in.waveform [samples] every hidden
/// state, and what is before them.
void verifyWav2Vec2(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel

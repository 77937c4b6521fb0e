// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/benchmark_run.h"

namespace meshreel {

/// Adds, for the tokens of a Wan video and each AttentionPattern, the seconds of dense attention and of each
/// way of leaving blocks out, choosing them included; with the share of blocks that is kept, and the relative
/// L2 error of the whole output against dense attention. Of a context of one device. Throws Error{Cancelled},
/// and what the engine throws.
void benchmarkSparse(BenchmarkRun& run);

}  // namespace meshreel

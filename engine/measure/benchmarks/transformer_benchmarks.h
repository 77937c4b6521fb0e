// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/benchmark_run.h"

namespace meshreel {

/// Adds the seconds of one forward pass of the options' transformer with random weights, and the shares of
/// its parts. Throws Error{Cancelled}, what transformerConfig() and latentShape() throw, and what the engine
/// throws.
void benchmarkTransformer(BenchmarkRun& run);

}  // namespace meshreel

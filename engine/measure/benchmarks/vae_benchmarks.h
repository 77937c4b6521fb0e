// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/benchmark_run.h"

namespace meshreel {

/// Adds the rates of decoding the options' video with the Wan 2.1 VAE, and the seconds of decoding while
/// chunks are encoded. Throws Error{Cancelled}, what latentShape() throws, and what the engine throws.
void benchmarkVae(BenchmarkRun& run);

}  // namespace meshreel

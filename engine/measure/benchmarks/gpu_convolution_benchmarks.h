// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/gpu_benchmark_run.h"

namespace meshreel {

/// Measures convolutions of the decoder of Wan 2.1 in bf16. Throws Error{Device} when a sample is wrong,
/// Error{Cancelled}, and what the engine throws.
void benchmarkGpuConvolution(GpuBenchmarkRun& run);

}  // namespace meshreel

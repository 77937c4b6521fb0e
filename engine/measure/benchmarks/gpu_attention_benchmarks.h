// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/gpu_benchmark_run.h"

namespace meshreel {

/// Measures flash attention of 12 heads of 128 in bf16. Throws Error{Device} when a sample is wrong,
/// Error{Cancelled}, and what the engine throws.
void benchmarkGpuAttention(GpuBenchmarkRun& run);

}  // namespace meshreel

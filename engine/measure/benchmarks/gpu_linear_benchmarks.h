// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/gpu_benchmark_run.h"

namespace meshreel {

/// Measures the linear layers of the 1.3B and 14B transformers: bf16 in the fastest form, and int8 in each,
/// on the least rows. Throws Error{Device} when a sample is wrong or no kernel takes the form that alone is
/// measured, Error{Cancelled}, and what the engine throws.
void benchmarkGpuLinear(GpuBenchmarkRun& run);

}  // namespace meshreel

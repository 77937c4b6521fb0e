// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/gpu_benchmark_run.h"

namespace meshreel {

/// Measures passes of the 1.3B transformer with random weights, in bf16 and with int8 weights. Throws
/// Error{Cancelled}, and what the engine throws.
void benchmarkGpuTransformer(GpuBenchmarkRun& run);

/// Measures decoding with the VAE of Wan 2.1 with random weights, as a run does. Throws Error{Cancelled}, and
/// what the engine throws.
void benchmarkGpuVae(GpuBenchmarkRun& run);

}  // namespace meshreel

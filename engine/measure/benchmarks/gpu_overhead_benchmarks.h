// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/gpu_benchmark_run.h"

namespace meshreel {

/// Measures small dispatches each of which reads what the previous one wrote: what starting and ordering them
/// takes. Throws Error{Cancelled}, and what the engine throws.
void benchmarkGpuChain(GpuBenchmarkRun& run);

/// Measures the host's time to record one transformer block, whatever the GPU needs for it: CPU seconds of
/// this thread for a pass of many narrow blocks, less those for a pass of one. Throws Error{Cancelled}, and
/// what the engine throws.
void benchmarkGpuRecording(GpuBenchmarkRun& run);

}  // namespace meshreel

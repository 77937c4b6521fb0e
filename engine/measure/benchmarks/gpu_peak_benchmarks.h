// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/gpu_benchmark_run.h"

namespace meshreel {

/// Measures the peak of every form in which the GPU multiplies; a form that the driver refuses is one row
/// less. Throws Error{Cancelled}, and what the engine throws.
void benchmarkGpuPeaks(GpuBenchmarkRun& run);

/// Measures the bandwidth of the GPU's memory by a sum of two matrices. Throws Error{Cancelled}, and what the
/// engine throws.
void benchmarkGpuBandwidth(GpuBenchmarkRun& run);

/// Measures copies to the GPU and back. Throws Error{Cancelled}, and what the engine throws.
void benchmarkGpuTransfer(GpuBenchmarkRun& run);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "engine/gpu/chosen_gpu.h"
#include "engine/kernels/execution.h"
#include "engine/measure/benchmarks/gpu_benchmark_run.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/tensor/compute_device.h"

namespace meshreel {

/// Measures the rows of `meshreel bench gpu`: the card's peak rates, then linear layers, attention, passes of
/// the transformer, convolutions and decoding compared with them, in bf16; linear layers and passes with int8
/// weights compared with the peak of int8. If the GPU's tuning is restricted to a form, only what multiplies
/// in it. `execution` has the GPU. Every result is compared with samples that the host computes in double.
/// Calls `onRow` with each finished row. Throws Error{Device} when a sample is wrong or the GPU does not
/// offer the form, Error{Project} for a wanted row that there is not, Error{Cancelled}.
std::vector<BenchmarkRow> benchmarkGpu(const Execution& execution, const GpuBenchmarkOptions& options,
                                       const std::function<void(const BenchmarkRow& row)>& onRow = {});

/// benchmarkJson() of the rows, with the GPU, its driver, and every measured way to compute its kernels in
/// "machine".
nlohmann::ordered_json gpuBenchmarkJson(std::span<const BenchmarkRow> rows, const ChosenGpu& chosen,
                                        ComputeDevice& gpu, int workers);

}  // namespace meshreel

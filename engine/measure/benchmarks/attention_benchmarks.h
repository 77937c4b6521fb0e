// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "engine/kernels/attention/kernel_table.h"
#include "engine/measure/benchmarks/benchmark_run.h"

namespace meshreel {

/// Adds the rates of custom and flash attention of 12 heads of 128. Throws Error{Cancelled}, and what the
/// engine throws.
void benchmarkAttention(BenchmarkRun& run);

/// Returns what the rows call a kernel: "custom"; empty for one that has none.
std::string_view attentionRowsOf(AttentionKernel kernel);

/// Adds the bandwidths of what a block computes row by row beside its attention: norms, rotary embedding.
/// Throws Error{Cancelled}, and what the engine throws.
void benchmarkElementwise(BenchmarkRun& run);

}  // namespace meshreel

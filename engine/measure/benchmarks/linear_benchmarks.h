// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/models/wan/wan_config.h"

namespace meshreel {

/// Adds the rates of the linear layers of the 1.3B, 5B and 14B transformers, each with what the transformer
/// has fused to it. Throws Error{Cancelled}, and what the engine throws.
void benchmarkLinear(BenchmarkRun& run);

/// Returns what the rows call the transformer whose linear layers have these widths: "1.3b"; empty for
/// others.
std::string_view linearRowsOf(const WanTransformerConfig& config);

/// Adds the seconds of the layers of the 14B transformer in int8, compared with those in bf16. Throws
/// Error{Cancelled}, and what the engine throws.
void benchmarkInt8(BenchmarkRun& run);

/// Adds the rates of the linear layers, compared with those of the products that OpenBLAS or oneDNN computes
/// for them. Throws Error{Cancelled}, and what the engine throws.
void benchmarkLibrary(BenchmarkRun& run);

}  // namespace meshreel

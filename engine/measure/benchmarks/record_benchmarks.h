// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/benchmark_run.h"

namespace meshreel {

/// Adds the seconds of the first and the last thousand steps that a long run of 128 devices writes into its
/// folder: rows are appended, so both take the same time. Throws Error{Cancelled}, and what the engine
/// throws.
void benchmarkRecords(BenchmarkRun& run);

}  // namespace meshreel

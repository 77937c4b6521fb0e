// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/benchmark_run.h"

namespace meshreel {

/// Adds the seconds of encoding a prompt with four layers of UMT5-XXL, compared with what reading their
/// weights or computing their products takes at least. Throws Error{Cancelled}, and what the engine throws.
void benchmarkText(BenchmarkRun& run);

}  // namespace meshreel

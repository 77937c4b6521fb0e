// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/benchmark_run.h"

namespace meshreel {

/// Adds the rates of networks of random weights that work on finished videos: finish.rife, one frame between
/// two by RIFE 4.26 at the options' size, and finish.upscale, a tile by ESRGAN's network of 4x-UltraSharp's
/// shapes; both in f32 and in bf16. Throws Error{Cancelled}, and what the engine throws.
void benchmarkFinish(BenchmarkRun& run);

}  // namespace meshreel

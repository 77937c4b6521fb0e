// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/benchmarks/benchmark_run.h"

namespace meshreel {

/// Adds the seconds of a pass of the transformer on meshes of devices, compared with those on the first one.
/// Throws Error{Cancelled}, what transformerConfig() and latentShape() throw, and what the engine throws.
void benchmarkMeshRows(BenchmarkRun& run);

/// Adds how the transformer scales with workers: for one device the efficiency, seconds of one worker /
/// (workers · seconds); for several devices the speed compared with one device with as many workers. Throws
/// as benchmarkMeshRows() does.
void benchmarkWorkers(BenchmarkRun& run);

}  // namespace meshreel

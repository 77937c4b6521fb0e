// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/studies/mesh_benchmark.h"
#include "engine/verification/benchmarks/benchmark_groups.h"
#include "engine/verification/benchmarks/transformer_shape.h"

namespace meshreel {

void benchmarkMeshRows(BenchmarkRun& run) {
    constexpr std::int64_t usualLayers = 2;
    BenchmarkOptions options = run.options();
    options.layers = options.layers.value_or(usualLayers);
    MeshBenchmark benchmark;
    benchmark.config = transformerConfig(options);
    benchmark.latents = latentShape(options, benchmark.config);
    benchmark.rounds = options.rounds;
    const std::vector<MeshSetup> setups =
        standardMeshSetups(benchmark.config.heads, benchmark.config.headDim, run.execution().workers.size());
    const std::vector<MeshTiming> timings = benchmarkMesh(benchmark, setups, run.execution().stop);
    const std::string first = "mesh." + timings.front().setup.name;
    for (const MeshTiming& timing : timings)
        run.add({.name = "mesh." + timing.setup.name,
                 .value = timing.seconds,
                 .unit = "s",
                 .ratio = timings.front().seconds / timing.seconds,
                 .of = first,
                 .spread = (timing.slowest - timing.fastest) / timing.seconds,
                 .rounds = benchmark.rounds,
                 .details = {{"workers", timing.setup.workersPerDevice},
                             {"bytes_moved", static_cast<double>(timing.bytesMoved)}}});
}

}  // namespace meshreel

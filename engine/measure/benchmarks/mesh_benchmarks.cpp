// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/mesh_benchmarks.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/measure/benchmarks/benchmark_workloads.h"
#include "engine/measure/timed_forward.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/project/attention_check.h"

namespace meshreel {
namespace {

/// One device with 1, 2, 4, 8 and 16 workers, as far as there are CPUs; then the most workers as two devices,
/// and as one device each.
std::vector<MeshSetup> workerSetups(int cpus) {
    constexpr std::array teams{1, 2, 4, 8, 16};
    std::vector<MeshSetup> setups;
    for (const int workers : teams)
        if (workers <= cpus)
            setups.push_back({.name = fmt::format("1x{}", workers),
                              .layout = {},
                              .workersPerDevice = workers,
                              .attention = {}});
    const int most = setups.back().workersPerDevice;
    AttentionSettings ring;
    ring.mode = &requireAttentionMode("tokamax_ring");
    for (const int devices : {2, most})
        if (devices <= most && (devices == 2 || most > 2))
            setups.push_back({.name = fmt::format("{}x{}", devices, most / devices),
                              .layout = MeshLayout(MeshShape{.context = devices}),
                              .workersPerDevice = most / devices,
                              .attention = ring});
    return setups;
}

}  // namespace

// All ways to run take turns, so that a row is repeated with the others.

void benchmarkMeshRows(BenchmarkRun& run) {
    if (!run.wantsAny("mesh."))
        return;
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
                             {"bytes_moved", static_cast<double>(timing.bytesMoved)}},
                 .seconds = timing.passes});
}

void benchmarkWorkers(BenchmarkRun& run) {
    if (!run.wantsAny("workers."))
        return;
    constexpr std::int64_t usualLayers = 2;
    BenchmarkOptions options = run.options();
    options.layers = options.layers.value_or(usualLayers);
    MeshBenchmark benchmark;
    benchmark.config = transformerConfig(options);
    benchmark.latents = latentShape(options, benchmark.config);
    benchmark.rounds = options.rounds;
    const std::vector<MeshTiming> timings =
        benchmarkMesh(benchmark, workerSetups(run.execution().workers.size()), run.execution().stop);
    const MeshTiming* oneDevice = &timings.front();  // with as many workers as are measured
    for (const MeshTiming& timing : timings) {
        const int devices = timing.setup.layout.devices();
        if (devices == 1)
            oneDevice = &timing;
        const MeshTiming& against = devices == 1 ? timings.front() : *oneDevice;
        const double share = devices == 1 ? timing.setup.workersPerDevice : 1;
        run.add({.name = "workers." + timing.setup.name,
                 .value = timing.seconds,
                 .unit = "s",
                 .ratio = against.seconds / timing.seconds / share,
                 .of = "workers." + against.setup.name,
                 .spread = (timing.slowest - timing.fastest) / timing.seconds,
                 .rounds = benchmark.rounds,
                 .details = {{"workers", timing.setup.workersPerDevice * devices}},
                 .seconds = timing.passes});
    }
}

}  // namespace meshreel

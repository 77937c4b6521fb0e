// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/mesh_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/attention/context_split.h"
#include "engine/base/median.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/transformer/wan_tensor_specs.h"
#include "engine/studies/timed_forward.h"

namespace meshreel {
namespace {

constexpr std::array deviceCounts{2, 4, 8};
constexpr std::array<std::string_view, 7> meshModes{
    "flash",          "tokamax_ring", "tokamax_ring_custom",      "ulysses",
    "ulysses_custom", "ulysses_ring", "ulysses_ring_custom_bidir"};

MeshTiming timingOf(const MeshSetup& setup, const std::vector<double>& seconds, std::int64_t bytesMoved) {
    const auto [fastest, slowest] = std::ranges::minmax(seconds);
    return {.setup = setup,
            .seconds = medianOf(seconds),
            .fastest = fastest,
            .slowest = slowest,
            .bytesMoved = bytesMoved};
}

}  // namespace

std::vector<MeshTiming> benchmarkMesh(const MeshBenchmark& benchmark, const std::vector<MeshSetup>& setups,
                                      const StopToken& stop,
                                      const std::function<void(int done, int total)>& onPass) {
    WorkerPool writers({.workers = availableCpus()});
    const RandomCheckpoint random({writers, stop}, wanTensors(benchmark.config, DType::F32));
    const ForwardWorkload workload{.config = benchmark.config, .latents = benchmark.latents};
    std::vector<std::unique_ptr<TimedForward>> prepared;
    for (const MeshSetup& setup : setups)
        prepared.push_back(std::make_unique<TimedForward>(workload,
                                                          ForwardMesh{setup.layout, setup.workersPerDevice},
                                                          setup.attention, random.checkpoint()));

    std::vector<std::vector<double>> seconds(setups.size());
    std::vector<std::int64_t> bytes(setups.size());
    const int total = (benchmark.rounds + 1) * static_cast<int>(setups.size());
    int done = 0;
    for (int round = 0; round <= benchmark.rounds; ++round)
        for (std::size_t index = 0; index < setups.size(); ++index) {
            throwIfStopped(stop);
            const ForwardPass pass = prepared[index]->run(stop);
            bytes[index] = pass.bytesMoved;
            if (round > 0)
                seconds[index].push_back(pass.seconds);
            if (onPass)
                onPass(++done, total);
        }

    std::vector<MeshTiming> timings;
    for (std::size_t index = 0; index < setups.size(); ++index)
        timings.push_back(timingOf(setups[index], std::move(seconds[index]), bytes[index]));
    return timings;
}

std::vector<MeshSetup> standardMeshSetups(std::int64_t heads, std::int64_t headDim, int cpus) {
    std::vector<MeshSetup> setups{
        {.name = "flash 1", .layout = {}, .workersPerDevice = cpus, .attention = {}}};
    for (const int devices : deviceCounts)
        for (const std::string_view name : meshModes) {
            AttentionSettings attention;
            attention.mode = &requireAttentionMode(name);
            if (attention.mode->hybrid)
                attention.ulyssesShards = 2;
            if (!attentionProblems(attention, heads, headDim, devices, 1).empty())
                continue;
            setups.push_back({.name = fmt::format("{} {}", name, devices),
                              .layout = MeshLayout(MeshShape{.context = devices}),
                              .workersPerDevice = std::max(1, cpus / devices),
                              .attention = attention});
        }
    return setups;
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/mesh_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/attention/context_split.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/wan_transformer.h"
#include "engine/sampling/noise.h"
#include "engine/verification/benchmarks/transformer_shape.h"
#include "engine/verification/random_checkpoint.h"

namespace meshreel {
namespace {

constexpr std::int64_t textTokens = 512;
constexpr std::array deviceCounts{2, 4, 8};
constexpr std::array<std::string_view, 7> meshModes{
    "flash",          "tokamax_ring", "tokamax_ring_custom",      "ulysses",
    "ulysses_custom", "ulysses_ring", "ulysses_ring_custom_bidir"};

struct MeasuredPass {
    double seconds = 0;
    std::int64_t bytesMoved = 0;
};

/// One setup with its mesh and weights, ready to be run again and again.
class PreparedSetup {
  public:
    PreparedSetup(const MeshBenchmark& benchmark, const MeshSetup& setup, const Checkpoint& checkpoint)
        : m_mesh(DeviceMeshOptions{.layout = setup.layout, .workersPerDevice = setup.workersPerDevice}),
          m_transformer(benchmark.config, checkpoint, setup.attention),
          m_latents(counterNormal(1, benchmark.latents)),
          m_text(counterNormal(2, {1, textTokens, benchmark.config.textDim})) {}

    MeasuredPass run(const StopToken& stop) {
        MeasuredPass pass;
        std::atomic<std::int64_t> bytes = 0;
        m_mesh.run(stop, nullptr, [&](Device& device) {
            const WanContext context = m_transformer.prepare(device, {.text = m_text});
            device.everyone().barrier();
            const std::int64_t before = device.counters().bytesReceived;
            const auto start = std::chrono::steady_clock::now();
            static_cast<void>(m_transformer.forward(
                device, {.latents = m_latents, .timesteps = Tensor::from<float>({1}, {500.0F})}, context));
            device.everyone().barrier();
            bytes += device.counters().bytesReceived - before;
            if (device.isFirst())
                pass.seconds =
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        });
        pass.bytesMoved = bytes;
        return pass;
    }

  private:
    DeviceMesh m_mesh;
    WanTransformer m_transformer;
    Tensor m_latents;
    Tensor m_text;
};

MeshTiming timingOf(const MeshSetup& setup, std::vector<double> seconds, std::int64_t bytesMoved) {
    std::ranges::sort(seconds);
    return {.setup = setup,
            .seconds = seconds[seconds.size() / 2],
            .fastest = seconds.front(),
            .slowest = seconds.back(),
            .bytesMoved = bytesMoved};
}

}  // namespace

std::vector<MeshTiming> benchmarkMesh(const MeshBenchmark& benchmark, const std::vector<MeshSetup>& setups,
                                      const StopToken& stop,
                                      const std::function<void(int done, int total)>& onPass) {
    WorkerPool writers({.workers = availableCpus()});
    const RandomCheckpoint random({writers, stop}, wanTensors(benchmark.config, DType::F32));
    std::vector<std::unique_ptr<PreparedSetup>> prepared;
    for (const MeshSetup& setup : setups)
        prepared.push_back(std::make_unique<PreparedSetup>(benchmark, setup, random.checkpoint()));

    std::vector<std::vector<double>> seconds(setups.size());
    std::vector<std::int64_t> bytes(setups.size());
    const int total = (benchmark.rounds + 1) * static_cast<int>(setups.size());
    int done = 0;
    for (int round = 0; round <= benchmark.rounds; ++round)
        for (std::size_t index = 0; index < setups.size(); ++index) {
            throwIfStopped(stop);
            const MeasuredPass pass = prepared[index]->run(stop);
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

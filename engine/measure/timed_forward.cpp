// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/timed_forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/context_split.h"
#include "engine/base/elapsed.h"
#include "engine/base/numbers.h"
#include "engine/base/worker_pool.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/video_shape.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/memory_block.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/layers/layer_source.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/planning/plan_work.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "engine/project/attention_check.h"
#include "engine/runs/rank_work.h"
#include "engine/sampling/noise.h"
#include "engine/tensor/compute_device.h"
#include "engine/weights/formats/stored_type.h"

namespace meshreel {
namespace {

constexpr std::int64_t timedTextTokens = 512;

MeshTiming toTiming(const MeshSetup& setup, const std::vector<double>& seconds, std::int64_t bytesMoved) {
    const auto [fastest, slowest] = std::ranges::minmax(seconds);
    return {.setup = setup,
            .seconds = computeMedian(seconds),
            .fastest = fastest,
            .slowest = slowest,
            .passes = seconds,
            .bytesMoved = bytesMoved};
}

DeviceMeshOptions toMeshOptions(const ForwardMesh& mesh) {
    DeviceMeshOptions options{
        .layout = mesh.layout, .workersPerDevice = mesh.workersPerDevice, .gpus = mesh.gpus};
    if (mesh.ranks != nullptr)
        takeRanksPart(options, *mesh.ranks);
    return options;
}

/// Over all devices of the mesh; they call it together.
std::int64_t sumOverDevices(std::int64_t own, Communicator& everyone) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(everyone.size()));
    std::vector<Block> parts;
    for (std::int64_t& one : all)
        parts.push_back(toBlock(std::span(&one, 1)));
    everyone.allGather(asConst(toBlock(std::span(&own, 1))), parts);
    return std::accumulate(all.begin(), all.end(), std::int64_t{0});
}

}  // namespace

TimedForward::TimedForward(const ForwardWorkload& workload, const ForwardMesh& mesh,
                           const AttentionPlans& attention, const Checkpoint& weights)
    : m_config(workload.config),
      m_mesh(toMeshOptions(mesh)),
      m_latents(counterNormal(1, workload.latents)),
      m_text(counterNormal(2, {workload.latents[0], timedTextTokens, workload.config.textDim})) {
    for (const GroupShape& group : workload.groups)
        m_groups.push_back(
            {.latents = counterNormal(3, group.latents.with(0, workload.latents[0])
                                             .with(1, workload.config.channelsOf(group.embedding))),
             .firstFrame = group.firstFrame,
             .embedding = group.embedding,
             .source = group.source});
    if (!mesh.gpus.empty()) {
        for (const std::shared_ptr<ComputeDevice>& gpu : mesh.gpus)
            m_transformers.push_back(std::make_unique<WanTransformer>(workload.config, weights, attention,
                                                                      WeightShard{}, workload.precision,
                                                                      nullptr, std::nullopt, &gpu->memory()));
        return;
    }
    std::mutex mutex;
    m_mesh.run({}, nullptr, [&](Device& device) {
        const WeightShard shard = WeightShard::of(device);
        const std::scoped_lock lock(mutex);
        if (std::ranges::none_of(m_transformers, [&](const auto& held) { return held->shard() == shard; }))
            m_transformers.push_back(std::make_unique<WanTransformer>(workload.config, weights, attention,
                                                                      shard, workload.precision));
    });
}

TimedForward::~TimedForward() = default;

void TimedForward::setAttention(const AttentionPlans& attention) {
    for (const auto& transformer : m_transformers)
        transformer->setAttention(attention);
}

const WanTransformer& TimedForward::transformerFor(const Device& device) const {
    if (device.execution().hasOwnMemory())
        return *m_transformers[static_cast<std::size_t>(device.index() - m_mesh.firstDevice())];
    const WeightShard shard = WeightShard::of(device);
    return **std::ranges::find_if(m_transformers, [&](const auto& held) { return held->shard() == shard; });
}

WanConditions TimedForward::makeConditions(ShardRange videos) const {
    WanConditions conditions = WanConditions::zeros(m_config, videos.size(), m_latents.extent(2));
    conditions.text = m_text.slice(videos.begin, videos.end);
    return conditions;
}

ForwardPass TimedForward::run(const StopToken& stop, Trace* trace) {
    constexpr float timestep = 500.0F;
    using Clock = std::chrono::steady_clock;
    ForwardPass pass;
    m_mesh.run(stop, trace, [&](Device& device) {
        const WanTransformer& transformer = transformerFor(device);
        const ShardRange own = ownVideos(device, m_latents.extent(0));
        const CrossAttentionCache context = transformer.prepare(device, makeConditions(own));
        const Tensor times = Tensor::from<float>(
            {own.size()}, std::vector<float>(static_cast<std::size_t>(own.size()), timestep));
        WanInputs inputs = WanInputs::zeros(m_config, own.size(), m_latents.extent(2), m_latents.extent(3),
                                            m_latents.extent(4));
        inputs.latents = m_latents.slice(own.begin, own.end);
        inputs.timesteps = times;
        inputs.groups = m_groups;
        for (TokenGroup& group : inputs.groups)
            group.latents = group.latents.slice(own.begin, own.end);
        device.everyone().barrier();
        const std::int64_t before = device.counters().bytesReceived;
        const Clock::time_point start = Clock::now();
        static_cast<void>(transformer.forward(device, inputs, context));
        device.everyone().barrier();
        const double seconds = secondsSince(start);
        const std::int64_t bytes =
            sumOverDevices(device.counters().bytesReceived - before, device.everyone());
        if (device.isFirst())
            pass = {.seconds = seconds, .bytesMoved = bytes};
    });
    return pass;
}

AttentionPlans planAttentions(const AttentionSettings& settings, const ForwardWorkload& workload,
                              const MeshLayout& layout) {
    return planAttentions(settings, workload.config, layout.shape(),
                          {.tokens = tokenCount(workload.latents, workload.groups, workload.config),
                           .textTokens = timedTextTokens});
}

Work forwardWork(const ForwardWorkload& workload, const ForwardMesh& mesh, const AttentionPlans& attention) {
    RunTask task;
    task.model.transformer = workload.config;
    task.model.transformerLayers =
        std::make_shared<const std::vector<StoredLayer>>(storedLayers(workload.config, StoredType::F32));
    task.layout = mesh.layout;
    task.attentions = attention;
    task.precision.transformer = workload.precision;
    task.latentShape = workload.latents;
    task.tokens = tokenCount(workload.latents, workload.groups, workload.config);
    task.guided = false;
    Placement placement;
    placement.gpus.resize(mesh.gpus.size());
    return static_cast<double>(mesh.layout.devices()) * stepWork(task, placement, timedTextTokens);
}

std::vector<MeshTiming> benchmarkMesh(const MeshBenchmark& benchmark, const std::vector<MeshSetup>& setups,
                                      const StopToken& stop,
                                      const std::function<void(int done, int total)>& onPass) {
    WorkerPool writers({.workers = availableCpus()});
    const RandomCheckpoint random({writers, stop}, wanTensors(benchmark.config, DType::F32));
    const ForwardWorkload workload{.config = benchmark.config, .latents = benchmark.latents};
    std::vector<std::unique_ptr<TimedForward>> prepared;
    for (const MeshSetup& setup : setups)
        prepared.push_back(std::make_unique<TimedForward>(
            workload, ForwardMesh{setup.layout, setup.workersPerDevice},
            planAttentions(setup.attention, workload, setup.layout), random.checkpoint()));

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
        timings.push_back(toTiming(setups[index], std::move(seconds[index]), bytes[index]));
    return timings;
}

std::vector<MeshSetup> standardMeshSetups(std::int64_t heads, std::int64_t headDim, int cpus) {
    constexpr std::array deviceCounts{2, 4, 8};
    constexpr std::array<std::string_view, 7> meshModes{
        "flash",          "tokamax_ring", "tokamax_ring_custom",      "ulysses",
        "ulysses_custom", "ulysses_ring", "ulysses_ring_custom_bidir"};
    std::vector<MeshSetup> setups{
        {.name = "flash 1", .layout = {}, .workersPerDevice = cpus, .attention = {}}};
    for (const int devices : deviceCounts)
        for (const std::string_view name : meshModes) {
            AttentionSettings attention;
            attention.mode = &requireAttentionMode(name);
            if (attention.mode->hybrid())
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/timed_forward.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "engine/models/layers/weight_shard.h"
#include "engine/models/transformer/batch_videos.h"
#include "engine/sampling/random/noise.h"

namespace meshreel {
namespace {

constexpr float timestep = 500.0F;

}  // namespace

TimedForward::TimedForward(const ForwardWorkload& workload, const ForwardMesh& mesh,
                           const AttentionSettings& attention, const Checkpoint& weights)
    : m_config(workload.config),
      m_mesh(DeviceMeshOptions{.layout = mesh.layout, .workersPerDevice = mesh.workersPerDevice}),
      m_latents(counterNormal(1, workload.latents)),
      m_text(counterNormal(2, {workload.latents[0], timedTextTokens, workload.config.textDim})) {
    std::mutex mutex;
    m_mesh.run({}, nullptr, [&](Device& device) {
        const WeightShard shard = WeightShard::of(device);
        const std::scoped_lock lock(mutex);
        if (std::ranges::none_of(m_transformers, [&](const auto& held) { return held->shard() == shard; }))
            m_transformers.push_back(std::make_unique<WanTransformer>(workload.config, weights, attention,
                                                                      shard, workload.precision));
    });
}

void TimedForward::setAttention(const AttentionSettings& attention) {
    for (const auto& transformer : m_transformers)
        transformer->setAttention(attention);
}

const WanTransformer& TimedForward::transformerOf(const Device& device) const {
    const WeightShard shard = WeightShard::of(device);
    return **std::ranges::find_if(m_transformers, [&](const auto& held) { return held->shard() == shard; });
}

WanConditions TimedForward::conditionsOf(ShardRange videos) const {
    WanConditions conditions = WanConditions::zeros(m_config, videos.size());
    conditions.text = m_text.slice(videos.begin, videos.end);
    return conditions;
}

ForwardPass TimedForward::run(const StopToken& stop, Trace* trace) {
    using Clock = std::chrono::steady_clock;
    ForwardPass pass;
    std::atomic<std::int64_t> bytes = 0;
    m_mesh.run(stop, trace, [&](Device& device) {
        const WanTransformer& transformer = transformerOf(device);
        const ShardRange own = ownVideos(device, m_latents.extent(0));
        const WanContext context = transformer.prepare(device, conditionsOf(own));
        const Tensor times = Tensor::from<float>(
            {own.size()}, std::vector<float>(static_cast<std::size_t>(own.size()), timestep));
        device.everyone().barrier();
        const std::int64_t before = device.counters().bytesReceived;
        const Clock::time_point start = Clock::now();
        static_cast<void>(transformer.forward(
            device, {.latents = m_latents.slice(own.begin, own.end), .timesteps = times}, context));
        device.everyone().barrier();
        bytes += device.counters().bytesReceived - before;
        if (device.isFirst())
            pass.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    });
    pass.bytesMoved = bytes;
    return pass;
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/cost/mesh_traffic.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/attention/attention_volume.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/planning/cost/transformer_flops.h"

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 5> purposes{"self-attention", "cross-attention", "gathered weights",
                                                   "sums over the tensor axis", "predictions"};

constexpr auto bytesPerNumber = static_cast<std::int64_t>(sizeof(float));

std::vector<CollectiveVolume> volumeOf(const RunPlan& plan, const AttentionSettings& settings,
                                       std::int64_t keys, bool keysSharded) {
    const MeshShape mesh = plan.layout.shape();
    const AttentionDimensions dimensions{
        .batch = 1,
        .queryLength = plan.tokens,
        .keyLength = keys,
        .heads = plan.model.transformer.heads / mesh.tensor,
        .headDim = plan.model.transformer.headDim,
        .elementBytes = static_cast<std::int64_t>(sizeOf(plan.precision.transformer.activations)),
        .keysSharded = keysSharded};
    return attentionVolume(settings, mesh.context, dimensions);
}

/// Text and image are attended to one after the other.
std::vector<std::vector<CollectiveVolume>> crossVolumes(const RunPlan& plan, bool keysSharded) {
    const AttentionSettings settings = crossAttentionSettings(plan.attention);
    std::vector<std::vector<CollectiveVolume>> volumes{
        volumeOf(plan, settings, plan.project.maxSequenceLength, keysSharded)};
    if (const std::int64_t image = imageTokens(plan.model.transformer); image > 0)
        volumes.push_back(volumeOf(plan, settings, image, keysSharded));
    return volumes;
}

/// What each device of the context axis receives in one attention.
std::vector<std::int64_t> receivedIn(const RunPlan& plan, const std::vector<CollectiveVolume>& volumes) {
    std::vector<std::int64_t> received(static_cast<std::size_t>(plan.layout.shape().context), 0);
    for (const CollectiveVolume& volume : volumes)
        std::ranges::transform(received, volume.bytesReceived, received.begin(), std::plus<>());
    return received;
}

std::int64_t crossAttentionBytes(const RunPlan& plan, bool keysSharded) {
    std::int64_t bytes = 0;
    for (const std::vector<CollectiveVolume>& volumes : crossVolumes(plan, keysSharded))
        bytes += std::ranges::max(receivedIn(plan, volumes));
    return bytes;
}

/// What the busiest host receives from the others in one layer's attentions.
std::int64_t attentionBytesBetweenHosts(const RunPlan& plan, bool textSharded) {
    const MeshShape& inside = plan.layout.ici();
    std::vector<std::int64_t> received(static_cast<std::size_t>(plan.layout.dcn().context), 0);
    const auto add = [&](const std::vector<CollectiveVolume>& volumes) {
        for (const CollectiveVolume& volume : volumes) {
            const std::vector<std::int64_t> bytes = bytesFromOtherHosts(volume, inside.context);
            for (std::size_t device = 0; device < bytes.size(); ++device)
                received[device / static_cast<std::size_t>(inside.context)] += bytes[device];
        }
    };
    add(volumeOf(plan, plan.attention, plan.tokens, true));
    std::ranges::for_each(crossVolumes(plan, textSharded), add);
    return std::ranges::max(received) * (inside.devices() / inside.context);
}

/// Of what comes from all others of a group, each as much, the part from other hosts.
std::int64_t partOfOtherHosts(std::int64_t bytes, int group, int inside) {
    return group > 1 ? bytes * (group - inside) / (group - 1) : 0;
}

/// Weights that the other devices of the fsdp axis keep.
std::int64_t gatheredWeightBytes(const RunPlan& plan) {
    const MeshShape mesh = plan.layout.shape();
    const std::vector<StoredLayer>& layers = *plan.model.transformerLayers;
    const LayerMemory kept = layersMemory(layers, {.fsdpDevices = mesh.fsdp, .tensorDevices = mesh.tensor},
                                          plan.precision.transformer, std::ssize(layers));
    return static_cast<std::int64_t>(kept.kept()) * (mesh.fsdp - 1);
}

/// A reduce-scatter and an all-gather of the outputs of self-attention, cross-attention and feed-forward, and
/// of the projections of VACE (one before its blocks, one behind each) and of face adapters.
std::int64_t tensorSumBytes(const RunPlan& plan, std::int64_t ownTokens) {
    constexpr std::int64_t subLayers = 3;
    const int tensor = plan.layout.shape().tensor;
    const std::int64_t output = ownTokens * plan.model.transformer.innerDim() * bytesPerNumber;
    const WanTransformerConfig& config = plan.model.transformer;
    const auto hints = static_cast<std::int64_t>(config.vaceLayers.size());
    const std::int64_t sums =
        allBlocks(config) * subLayers + (hints > 0 ? hints + 1 : 0) + faceAdapters(config);
    return sums * 2 * output * (tensor - 1) / tensor;
}

/// Bytes of predictions from the others: of the context axis their tokens, of the batch their videos
/// (guidance's halves).
struct PredictionBytes {
    std::int64_t tokens = 0;
    std::int64_t videos = 0;
};

PredictionBytes predictionBytes(const RunPlan& plan, std::int64_t ownTokens) {
    const WanTransformerConfig& config = plan.model.transformer;
    const MeshShape mesh = plan.layout.shape();
    const std::int64_t videos = plan.latentShape[0] * (plan.guided ? 2 : 1);
    const std::int64_t ownVideos = passesPerStep(plan);
    const std::int64_t tokens = plan.tokens * config.patchElements() * config.outChannels * bytesPerNumber;
    const std::int64_t ofTokens = tokens - tokens * ownTokens / plan.tokens;
    return {.tokens = ownVideos * ofTokens,
            .videos = mesh.data * mesh.fsdp > 1 ? (videos - ownVideos) * tokens : 0};
}

}  // namespace

EffectiveAttention effectiveAttention(const RunPlan& plan) {
    const std::int64_t text = plan.project.maxSequenceLength;
    EffectiveAttention attention{
        .self = effectiveSettings(plan.attention, plan.tokens, plan.tokens),
        .cross = effectiveSettings(crossAttentionSettings(plan.attention), plan.tokens, text)};
    attention.split = contextSplit(attention.self, plan.layout.shape().context);
    attention.rotations = attention.self.mode->rotation == Rotation::None ? 0 : attention.split.ring - 1;
    attention.textSharded = crossAttentionSettings(plan.attention).mode->exchange == Exchange::Ulysses;
    return attention;
}

std::vector<std::int64_t> selfAttentionBytes(const RunPlan& plan) {
    return receivedIn(plan, volumeOf(plan, plan.attention, plan.tokens, true));
}

int passesPerStep(const RunPlan& plan) {
    const MeshShape mesh = plan.layout.shape();
    const std::int64_t sharers = mesh.data * mesh.fsdp;
    const std::int64_t rows = plan.latentShape[0] * (plan.guided ? 2 : 1);
    return static_cast<int>((rows + sharers - 1) / sharers);
}

std::span<const std::string_view> trafficPurposes() {
    return purposes;
}

std::vector<MeshTraffic> trafficPerStep(const RunPlan& plan) {
    const MeshShape mesh = plan.layout.shape();
    const EffectiveAttention attention = effectiveAttention(plan);
    const std::int64_t blocks = allBlocks(plan.model.transformer);
    const std::int64_t passes = passesPerStep(plan);
    const std::int64_t ownTokens = shardOf(plan.tokens, mesh.context, 0).size();
    const PredictionBytes predictions = predictionBytes(plan, ownTokens);
    const std::array<std::int64_t, purposes.size()> bytes{
        passes * blocks * std::ranges::max(selfAttentionBytes(plan)),
        passes * blocks * crossAttentionBytes(plan, attention.textSharded),
        passes * gatheredWeightBytes(plan), passes * tensorSumBytes(plan, ownTokens),
        predictions.tokens + predictions.videos};
    std::vector<MeshTraffic> traffic;
    for (std::size_t purpose = 0; purpose < purposes.size(); ++purpose)
        if (bytes[purpose] != 0)
            traffic.push_back({purposes[purpose], bytes[purpose]});
    return traffic;
}

std::int64_t bytesBetweenHosts(const RunPlan& plan) {
    const MeshShape mesh = plan.layout.shape();
    const MeshShape& inside = plan.layout.ici();
    const std::int64_t passes = passesPerStep(plan);
    const std::int64_t ownTokens = shardOf(plan.tokens, mesh.context, 0).size();
    const PredictionBytes predictions = predictionBytes(plan, ownTokens);
    const std::int64_t ofDevice =
        passes * partOfOtherHosts(gatheredWeightBytes(plan), mesh.fsdp, inside.fsdp) +
        passes * partOfOtherHosts(tensorSumBytes(plan, ownTokens), mesh.tensor, inside.tensor) +
        partOfOtherHosts(predictions.tokens, mesh.context, inside.context) +
        partOfOtherHosts(predictions.videos, mesh.data * mesh.fsdp, inside.data * inside.fsdp);
    return passes * allBlocks(plan.model.transformer) *
               attentionBytesBetweenHosts(plan, effectiveAttention(plan).textSharded) +
           ofDevice * inside.devices();
}

}  // namespace meshreel

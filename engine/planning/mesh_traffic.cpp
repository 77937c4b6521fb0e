// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/mesh_traffic.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/attention/attention_volume.h"
#include "engine/estimates/work.h"
#include "engine/estimates/workload.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/wan_config.h"
#include "engine/planning/step_passes.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 5> purposes{"self-attention", "cross-attention", "gathered weights",
                                                   "sums over the tensor axis", "predictions"};

constexpr auto bytesPerNumber = static_cast<std::int64_t>(sizeof(float));

std::vector<CollectiveVolume> measureVolume(const RunTask& task, const AttentionPlan& attention,
                                            std::int64_t keys) {
    const AttentionDimensions dimensions{
        .batch = 1,
        .queryLength = task.tokens,
        .keyLength = keys,
        .heads = task.model.transformer.heads / task.layout.shape().tensor,
        .headDim = task.model.transformer.headDim,
        .elementBytes = static_cast<std::int64_t>(byteSize(task.precision.transformer.activations))};
    return attentionVolume(attention, dimensions);
}

/// Text and image are attended to one after the other.
std::vector<std::vector<CollectiveVolume>> crossVolumes(const RunTask& task,
                                                        const AttentionPlans& attentions) {
    std::vector<std::vector<CollectiveVolume>> volumes{
        measureVolume(task, attentions.text, task.project.maxSequenceLength)};
    if (const std::int64_t image = task.model.transformer.imageTokens(); image > 0)
        volumes.push_back(measureVolume(task, attentions.image, image));
    return volumes;
}

/// What each device of the context axis receives in one attention.
std::vector<std::int64_t> receivedIn(const RunTask& task, const std::vector<CollectiveVolume>& volumes) {
    std::vector<std::int64_t> received(static_cast<std::size_t>(task.layout.shape().context), 0);
    for (const CollectiveVolume& volume : volumes)
        std::ranges::transform(received, volume.bytesReceived, received.begin(), std::plus<>());
    return received;
}

std::int64_t crossAttentionBytes(const RunTask& task, const AttentionPlans& attentions) {
    std::int64_t bytes = 0;
    for (const std::vector<CollectiveVolume>& volumes : crossVolumes(task, attentions))
        bytes += std::ranges::max(receivedIn(task, volumes));
    return bytes;
}

/// What a pass in which attention to the text is guided receives for that.
std::int64_t guidedAttentionBytes(const RunTask& task, const AttentionPlans& attentions) {
    return task.model.transformer.layers *
           std::ranges::max(
               receivedIn(task, measureVolume(task, attentions.text, task.project.maxSequenceLength)));
}

/// What the busiest host receives from the others in one layer's attentions.
std::int64_t attentionBytesBetweenHosts(const RunTask& task) {
    const MeshShape& inside = task.layout.ici();
    std::vector<std::int64_t> received(static_cast<std::size_t>(task.layout.dcn().context), 0);
    const auto add = [&](const std::vector<CollectiveVolume>& volumes) {
        for (const CollectiveVolume& volume : volumes) {
            const std::vector<std::int64_t> bytes = bytesFromOtherHosts(volume, inside.context);
            for (std::size_t device = 0; device < bytes.size(); ++device)
                received[device / static_cast<std::size_t>(inside.context)] += bytes[device];
        }
    };
    add(measureVolume(task, task.attentions.self, task.tokens));
    std::ranges::for_each(crossVolumes(task, task.attentions), add);
    return std::ranges::max(received) * (inside.devices() / inside.context);
}

/// The part from other hosts of what comes from all others of a group, each as much.
std::int64_t partOfOtherHosts(std::int64_t bytes, int group, int inside) {
    return group > 1 ? bytes * (group - inside) / (group - 1) : 0;
}

/// Weights that the other devices of the fsdp axis keep.
std::int64_t gatheredWeightBytes(const RunTask& task) {
    const MeshShape mesh = task.layout.shape();
    const std::vector<StoredLayer>& layers = *task.model.transformerLayers;
    const LayerMemory kept = layersMemory(layers, {.fsdpDevices = mesh.fsdp, .tensorDevices = mesh.tensor},
                                          task.precision.transformer, std::ssize(layers));
    return static_cast<std::int64_t>(kept.kept()) * (mesh.fsdp - 1);
}

/// A reduce-scatter and an all-gather of the outputs of self-attention, cross-attention and feed-forward, and
/// of the projections of VACE (one before its blocks, one behind each), of face adapters and of injectors.
std::int64_t tensorSumBytes(const RunTask& task, std::int64_t ownTokens) {
    constexpr std::int64_t subLayers = 3;
    const int tensor = task.layout.shape().tensor;
    const std::int64_t output = ownTokens * task.model.transformer.innerDim() * bytesPerNumber;
    const WanTransformerConfig& config = task.model.transformer;
    const auto hints = static_cast<std::int64_t>(config.vaceLayers.size());
    const std::int64_t sums = allBlocks(config) * subLayers + (hints > 0 ? hints + 1 : 0) +
                              faceAdapters(config) + audioInjectors(config);
    return sums * 2 * output * (tensor - 1) / tensor;
}

/// Bytes of predictions from the others: of the context axis their tokens, of the batch their videos
/// (guidance's passes).
struct PredictionBytes {
    std::int64_t tokens = 0;
    std::int64_t videos = 0;
};

PredictionBytes predictionBytes(const RunTask& task) {
    const WanTransformerConfig& config = task.model.transformer;
    const MeshShape mesh = task.layout.shape();
    const std::int64_t bytesOfToken = config.patchElements() * config.outChannels * bytesPerNumber;
    const std::int64_t others = dealtRows(task) - passesPerStep(task);
    PredictionBytes bytes{.videos = mesh.data * mesh.fsdp > 1 ? others * task.tokens * bytesOfToken : 0};
    for (const PassCount& kind : passKinds(task))
        bytes.tokens +=
            kind.times * (kind.tokens - shardRange(kind.tokens, mesh.context, 0).size()) * bytesOfToken;
    return bytes;
}

}  // namespace

std::vector<std::int64_t> selfAttentionBytes(const RunTask& task) {
    return receivedIn(task, measureVolume(task, task.attentions.self, task.tokens));
}

std::span<const std::string_view> trafficPurposes() {
    return purposes;
}

std::vector<MeshTraffic> trafficPerStep(const RunTask& task) {
    return trafficPerStep(task, task.attentions);
}

namespace {

/// What a device receives for a block of a driving video beside a pass: in its attention, and its keys where
/// the pass attends to them.
std::int64_t drivingBytesOfBlock(const RunTask& task, const AttentionPlan& self) {
    if (task.drivingKeys != DrivingKeysUse::Recomputed || task.layout.shape().context == 1)
        return 0;
    RunTask driving = task;
    driving.tokens -= task.tokens / task.passFrames();
    return std::ranges::max(receivedIn(driving, measureVolume(driving, self, driving.tokens))) +
           static_cast<std::int64_t>(drivingKeyBytes(task, DrivingKeysUse::Cached)) /
               task.model.transformer.layers;
}

}  // namespace

std::vector<MeshTraffic> trafficPerStep(const RunTask& task, const AttentionPlans& attentions) {
    const MeshShape mesh = task.layout.shape();
    const std::int64_t blocks = allBlocks(task.model.transformer);
    const PredictionBytes predictions = predictionBytes(task);
    std::int64_t self = 0;
    std::int64_t cross = guidedAttentionPasses(task) * guidedAttentionBytes(task, attentions);
    std::int64_t sums = 0;
    forEachPassKind(task, [&](const RunTask& of, std::int64_t times) {
        self += times * blocks *
                (std::ranges::max(receivedIn(of, measureVolume(of, attentions.self, of.tokens))) +
                 drivingBytesOfBlock(of, attentions.self));
        cross += times * blocks * crossAttentionBytes(of, attentions);
        sums += times * tensorSumBytes(of, shardRange(of.tokens, mesh.context, 0).size());
    });
    const std::array<std::int64_t, purposes.size()> bytes{self, cross,
                                                          passesPerStep(task) * gatheredWeightBytes(task),
                                                          sums, predictions.tokens + predictions.videos};
    std::vector<MeshTraffic> traffic;
    for (std::size_t purpose = 0; purpose < purposes.size(); ++purpose)
        if (bytes[purpose] != 0)
            traffic.push_back({purposes[purpose], bytes[purpose]});
    return traffic;
}

std::int64_t bytesBetweenHosts(const RunTask& task) {
    const MeshShape mesh = task.layout.shape();
    const MeshShape& inside = task.layout.ici();
    const PredictionBytes predictions = predictionBytes(task);
    std::int64_t attention = 0;
    std::int64_t sums = 0;
    forEachPassKind(task, [&](const RunTask& of, std::int64_t times) {
        attention += times * allBlocks(of.model.transformer) * attentionBytesBetweenHosts(of);
        sums += times * partOfOtherHosts(tensorSumBytes(of, shardRange(of.tokens, mesh.context, 0).size()),
                                         mesh.tensor, inside.tensor);
    });
    const std::int64_t ofDevice =
        passesPerStep(task) * partOfOtherHosts(gatheredWeightBytes(task), mesh.fsdp, inside.fsdp) + sums +
        partOfOtherHosts(predictions.tokens, mesh.context, inside.context) +
        partOfOtherHosts(predictions.videos, mesh.data * mesh.fsdp, inside.data * inside.fsdp);
    return attention + ofDevice * inside.devices();
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/context_split.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/wan/wan_block.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

using testing::RandomWan;
using testing::WanCall;
using testing::WanOnMesh;

constexpr int devices = 4;
constexpr double activationShare = 0.30;      // of one device's peak, on each of four
constexpr double bidirectionalShare = 0.375;  // of a line of four: two pairs of keys and values pass
constexpr double weightShare = 0.27;          // of the whole weights, on each of four

/// A model of the proportions of another, an eighth as wide and with few layers, and a video for it.
struct Proportions {
    std::string_view name;
    WanTransformerConfig config;
    Shape video;  // [videos, frames, rows, columns]
};

// Feed-forward 35/6 of the inner dimension. 21·5·9 = 945 tokens: odd, and not divisible by four.
const Proportions small{
    .name = "1.3B",
    .config = {.heads = 12, .headDim = 16, .textDim = 512, .freqDim = 32, .ffnDim = 1120, .layers = 3},
    .video = {1, 21, 10, 18}};

// Feed-forward 27/10 of the inner dimension, which leaves exchanges less room. 21·4·10 = 840 tokens:
// divisible by eight, as the 75,600 of its video of 81 frames in 1280x720 are.
const Proportions large{
    .name = "14B",
    .config = {.heads = 40, .headDim = 16, .textDim = 512, .freqDim = 32, .ffnDim = 1728, .layers = 2},
    .video = {1, 21, 8, 20}};

/// The largest peak of a device's activations in one forward pass.
std::size_t peakActivations(const RandomWan& model, const AttentionSettings& attention,
                            const MeshShape& shape, const WanCall& call) {
    WanOnMesh wan(model, attention, shape);
    std::vector<std::shared_ptr<MemoryMeter>> meters;
    for (int device = 0; device < wan.mesh().localDevices(); ++device)
        meters.push_back(std::make_shared<MemoryMeter>());
    wan.mesh().run({}, nullptr, [&](Device& device) {
        const WanTransformer& part = wan.of(device);
        const CrossAttentionCache context = part.prepare(device, call.conditions);
        const MeterScope scope(meters[static_cast<std::size_t>(device.index())]);
        static_cast<void>(part.forward(device, call.inputs, context));
    });
    std::size_t peak = 0;
    for (const auto& meter : meters)
        peak = std::max(peak, meter->peak());
    return peak;
}

std::set<std::string_view> namesOfRunningModes() {
    std::set<std::string_view> names;
    for (const AttentionMode& mode : attentionModes())
        if (mode.runs())
            names.insert(mode.name);
    return names;
}

AttentionSettings listSettings(const AttentionMode& mode, int ulysses) {
    return {.mode = &mode,
            .blocks = {.blockQ = 128, .blockKv = 128, .blockKvCompute = 64},
            .ulyssesShards = mode.hybrid() ? ulysses : -1};
}

class WanMemoryOf : public ::testing::TestWithParam<Proportions> {};

TEST_P(WanMemoryOf, ActivationsFallWithTheContextAxis) {
    const RandomWan model(GetParam().config, 1);
    const WanCall call = WanCall::random(model.config(), GetParam().video, 64, 2);
    const auto onOne = static_cast<double>(peakActivations(model, {}, {}, call));
    std::set<std::string_view> measured;
    for (const AttentionMode& mode : attentionModes())
        for (const int ulysses : {1, 2, 4}) {
            const AttentionSettings settings = listSettings(mode, ulysses);
            if (!mode.runs() || (ulysses > 1 && !mode.hybrid()) ||
                !attentionProblems(settings, model.config().heads, model.config().headDim, devices, 1)
                     .empty())
                continue;
            const double share =
                static_cast<double>(peakActivations(model, settings, {.context = devices}, call)) / onOne;
            RecordProperty(std::string(mode.name) + "_" + std::to_string(ulysses), std::to_string(share));
            const double limit = mode.exchange == Exchange::Gather ? 1.0 : activationShare;
            measured.insert(mode.name);
            EXPECT_LE(share, limit) << mode.name << ", ulysses_shards " << ulysses;
        }
    EXPECT_EQ(measured, namesOfRunningModes());
}

INSTANTIATE_TEST_SUITE_P(Proportions, WanMemoryOf, ::testing::Values(small, large),
                         [](const auto& test) { return test.param.name == "14B" ? "14B" : "1_3B"; });

/// Of a pass at the length of a real video, whose feed-forward values are held for a few tokens only: what
/// the small videos above do not show. Nobody touches the memory.
TEST(WanMemory, TheWorkspaceOfALongVideoFallsWithTheContextAxis) {
    constexpr std::int64_t tokens = 75'600;  // 81 frames of 1280x720
    const auto bytesOf = [](const AttentionSettings& settings, int contextDevices) {
        const auto meter = std::make_shared<MemoryMeter>();
        const MeterScope scope(meter);
        const AttentionPlan attention =
            planAttention(settings, {.heads = large.config.heads, .contextDevices = contextDevices});
        const ShardRange own{0, tokens / contextDevices};
        const TokenTimes times(Tensor::zeros({1}), own);
        const WanWorkspace work(large.config, {},
                                {.tokens = own.size(),
                                 .exchangedShards = attention.exchangedShards(DType::F32, RingMemory::Apart)},
                                times);
        return static_cast<double>(meter->peak());
    };
    const double onOne = bytesOf({}, 1);
    for (const AttentionMode& mode : attentionModes())
        for (const int ulysses : {1, 2, 4}) {
            const AttentionSettings settings = listSettings(mode, ulysses);
            if (!mode.runs() || mode.exchange == Exchange::Gather || (ulysses > 1 && !mode.hybrid()))
                continue;
            const double share = bytesOf(settings, devices) / onOne;
            RecordProperty(std::string(mode.name) + "_" + std::to_string(ulysses), std::to_string(share));
            const bool isWideLine = mode.rotation == Rotation::BidirectionalRing && ulysses == 1;
            EXPECT_LE(share, isWideLine ? bidirectionalShare : activationShare)
                << mode.name << ", ulysses_shards " << ulysses;
        }
}

TEST(WanMemory, WeightsFallWithTheFsdpAxis) {
    const WanTransformerConfig& config = small.config;
    const RandomWan model(config, 3);
    const WanCall call = WanCall::random(config, {4, 1, 6, 6}, 7, 4);
    const auto whole = static_cast<double>(wanWeightBytes(config, 1, 1).resident);
    EXPECT_EQ(static_cast<double>(WanTransformer(config, model.checkpoint(), {}).residentBytes()), whole);

    const WanWeightBytes planned = wanWeightBytes(config, devices, 1);
    DeviceMesh mesh({.layout = MeshLayout({.fsdp = devices}), .workersPerDevice = 1});
    mesh.run({}, nullptr, [&](Device& device) {
        const auto kept = std::make_shared<MemoryMeter>();
        const auto part = [&] {
            const MeterScope scope(kept);
            return WanTransformer(config, model.checkpoint(),
                                  planAttentions({}, config, device.layout().shape()),
                                  WeightShard::of(device));
        }();
        EXPECT_LE(static_cast<double>(kept->current()), weightShare * whole);
        EXPECT_EQ(part.residentBytes(), kept->current());
        EXPECT_EQ(part.residentBytes(), planned.resident);

        const WanCall own = call.slice(ownVideos(device, call.videos()));
        const auto activations = std::make_shared<MemoryMeter>();
        const std::size_t before = kept->current();
        {
            const MeterScope scope(activations);
            static_cast<void>(part.forward(device, own.inputs, own.conditions));
        }
        EXPECT_EQ(part.gatherMeter().peak(), planned.gathered) << "two layers";
        EXPECT_EQ(part.gatherMeter().current(), 0U);
        EXPECT_EQ(kept->current(), before);
    });
}

TEST(WanMemory, TensorDevicesKeepTheirPartOfTheBlocks) {
    const WanTransformerConfig& config = small.config;
    const RandomWan model(config, 5);
    const WanWeightBytes planned = wanWeightBytes(config, 1, devices);
    for (int index = 0; index < devices; ++index)
        EXPECT_EQ(
            WanTransformer(config, model.checkpoint(), {}, {.tensorIndex = index, .tensorDevices = devices})
                .residentBytes(),
            planned.resident);
}

}  // namespace
}  // namespace meshreel

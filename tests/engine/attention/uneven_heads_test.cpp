// SPDX-License-Identifier: GPL-3.0-or-later
// Heads that the devices which exchange them do not divide: who computes which, what is moved, what it takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_volume.h"
#include "engine/attention/context_split.h"
#include "engine/attention/sharded_attention.h"
#include "engine/mesh/device_mesh.h"
#include "engine/tensor/tensor_memory.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

TEST(HeadShard, IsThePublishedSplit) {
    const auto sizes = [](std::int64_t all, int sharers) {
        std::vector<std::int64_t> each;
        for (int index = 0; index < sharers; ++index)
            each.push_back(headShard({0, all}, sharers, index).size());
        return each;
    };
    EXPECT_THAT(sizes(40, 3), ElementsAre(14, 13, 13));
    EXPECT_THAT(sizes(40, 6), ElementsAre(7, 7, 7, 7, 6, 6));
    EXPECT_THAT(sizes(40, 7), ElementsAre(6, 6, 6, 6, 6, 5, 5));
    EXPECT_THAT(sizes(12, 5), ElementsAre(3, 3, 2, 2, 2));
    EXPECT_THAT(sizes(12, 8), ElementsAre(2, 2, 2, 2, 1, 1, 1, 1));
    EXPECT_THAT(sizes(24, 6), ElementsAre(4, 4, 4, 4, 4, 4));
}

TEST(HeadShard, PartsFollowEachOtherAndDifferByOneAtMost) {
    for (std::int64_t all = 1; all <= 48; ++all)
        for (int sharers = 1; sharers <= all; ++sharers) {
            std::int64_t end = 5;
            std::int64_t last = all;
            for (int index = 0; index < sharers; ++index) {
                const ShardRange part = headShard({5, 5 + all}, sharers, index);
                ASSERT_EQ(part.begin, end);
                ASSERT_LE(part.size(), last) << "the larger ones first";
                ASSERT_GE(part.size(), all / sharers);
                ASSERT_LE(part.size(), (all + sharers - 1) / sharers);
                end = part.end;
                last = part.size();
            }
            ASSERT_EQ(end, 5 + all);
        }
}

TEST(HeadShard, ADeviceHasAsManyHeadsInAnyNumberOfChunks) {
    for (std::int64_t all = 1; all <= 48; ++all)
        for (int sharers = 1; sharers <= all; ++sharers)
            for (const int chunks : {1, 2, 3, 5, 99})
                for (int index = 0; index < sharers; ++index) {
                    std::int64_t sum = 0;
                    for (const ShardRange& chunk : headChunks(all, sharers, chunks)) {
                        ASSERT_GE(headShard(chunk, sharers, index).size(), 1)
                            << "each chunk is exchanged by all";
                        sum += headShard(chunk, sharers, index).size();
                    }
                    ASSERT_EQ(sum, headShard({0, all}, sharers, index).size())
                        << all << " heads on " << sharers << " in " << chunks;
                }
}

AttentionPlan unevenPlan(const AttentionSettings& settings, std::int64_t all, int contextDevices) {
    return planAttention(
        settings, {.queryLength = 96, .keyLength = 96, .heads = all, .contextDevices = contextDevices});
}

TEST(UnevenPlan, KnowsTheDeviceWithMostHeads) {
    const AttentionSettings ulysses{.mode = findAttentionMode("ulysses")};
    const AttentionPlan seven = unevenPlan(ulysses, 40, 7);
    EXPECT_EQ(seven.headSharers(), 7);
    EXPECT_EQ(seven.mostHeads(), 6);
    EXPECT_DOUBLE_EQ(seven.headExcess(), 42.0 / 40);
    EXPECT_DOUBLE_EQ(unevenPlan(ulysses, 12, 8).headExcess(), 16.0 / 12);
    EXPECT_EQ(unevenPlan(ulysses, 40, 8).headExcess(), 1);
    const AttentionPlan hybrid =
        unevenPlan({.mode = findAttentionMode("ulysses_ring"), .ulyssesShards = 3}, 40, 6);
    EXPECT_EQ(hybrid.mostHeads(), 14);
    const AttentionPlan ring = unevenPlan({.mode = findAttentionMode("tokamax_ring")}, 40, 7);
    EXPECT_EQ(ring.mostHeads(), 40);
    EXPECT_EQ(ring.headExcess(), 1);
    AttentionPlan held = seven;
    held.keysSharded = false;
    EXPECT_EQ(held.mostHeads(), 40) << "every device computes all heads of its own queries";
    EXPECT_EQ(held.headExcess(), 1);
}

/// What each device receives when every transfer is followed one by one, and of that what comes from other
/// hosts: [collective][device].
struct Followed {
    std::vector<std::int64_t> bytes;
    std::vector<std::int64_t> fromOthers;
};

Followed followReturn(const AttentionPlan& plan, const AttentionDimensions& size, int devicesPerHost) {
    const int devices = plan.split.devices();
    Followed all{std::vector<std::int64_t>(static_cast<std::size_t>(devices), 0),
                 std::vector<std::int64_t>(static_cast<std::size_t>(devices), 0)};
    for (int to = 0; to < devices; ++to)
        for (int from = 0; from < devices; ++from) {
            if (from == to || from / plan.split.ulysses != to / plan.split.ulysses)
                continue;
            const std::int64_t bytes =
                size.batch * shardRange(size.queryLength, devices, to).size() *
                headShard({0, size.heads}, plan.split.ulysses, from % plan.split.ulysses).size() *
                size.headDim * size.elementBytes;
            all.bytes[static_cast<std::size_t>(to)] += bytes;
            if (from / devicesPerHost != to / devicesPerHost)
                all.fromOthers[static_cast<std::size_t>(to)] += bytes;
        }
    return all;
}

TEST(UnevenVolume, OutputsComeByTheHeadsOfTheirSenders) {
    const AttentionDimensions size{
        .batch = 2, .queryLength = 61, .keyLength = 61, .heads = 11, .headDim = 16, .elementBytes = 2};
    for (const auto& [mode, shards, devices] :
         {std::tuple{"ulysses", -1, 6}, std::tuple{"ulysses_ring", 3, 6}, std::tuple{"ulysses_ring", 4, 8}}) {
        const AttentionPlan plan =
            planAttention({.mode = findAttentionMode(mode), .ulyssesShards = shards},
                          {.queryLength = 61, .keyLength = 61, .heads = 11, .contextDevices = devices});
        const std::vector<CollectiveVolume> volume = attentionVolume(plan, size);
        ASSERT_EQ(volume.back().collective.senders, Senders::UlyssesHeads);
        for (int devicesPerHost = 1; devicesPerHost <= devices; ++devicesPerHost) {
            if (devices % devicesPerHost != 0)
                continue;
            const Followed expected = followReturn(plan, size, devicesPerHost);
            EXPECT_EQ(volume.back().bytesReceived, expected.bytes) << mode;
            EXPECT_EQ(bytesFromOtherHosts(volume.back(), devicesPerHost), expected.fromOthers)
                << mode << ", " << devicesPerHost << " devices a host";
        }
    }
}

/// Bytes that the first device, which has most heads, takes at most besides what it was given, in shards of
/// its query.
double peakOfFirst(const AttentionPlan& plan, DType type) {
    constexpr std::int64_t tokens = 96;  // each device has as many
    constexpr std::int64_t headDim = 32;
    const int count = plan.split.devices();
    const auto meter = std::make_shared<MemoryMeter>();
    std::size_t shard = 0;
    DeviceMesh mesh({.layout = MeshLayout({.context = count}), .workersPerDevice = 1});
    mesh.run({}, nullptr, [&](Device& device) {
        const std::int64_t own = shardRange(tokens, count, device.index()).size();
        const auto part = [&] { return Tensor::zeros({1, own, plan.heads, headDim}, type); };
        const ShardedAttentionInputs inputs{.queryLength = tokens,
                                            .keyLength = tokens,
                                            .query = part(),
                                            .key = part(),
                                            .value = part(),
                                            .scale = 1.0};
        Tensor out = part();
        std::optional<MeterScope> scope;
        if (device.index() == 0) {
            scope.emplace(meter);
            shard = out.bytes();
        }
        ScratchArena scratch;
        attendSharded(device, plan, inputs, out, scratch);
    });
    return static_cast<double>(meter->peak()) / static_cast<double>(shard);
}

TEST(UnevenMemory, IsThatOfTheDeviceWithMostHeads) {
    for (const AttentionMode& mode : attentionModes())
        for (const int chunks : {1, 2, 3})
            for (const DType type : {DType::F32, DType::BF16}) {
                if (mode.exchange != Exchange::Ulysses || (chunks > 1 && !mode.chunked()))
                    continue;
                const AttentionPlan plan =
                    unevenPlan({.mode = &mode, .ulyssesShards = mode.hybrid() ? 3 : -1, .chunks = chunks}, 7,
                               mode.hybrid() ? 6 : 3);
                const double statistics = (type == DType::BF16 ? 4.0 : 2.0) / 32.0 * plan.headExcess();
                EXPECT_LE(peakOfFirst(plan, type),
                          plan.exchangedShards(type, RingMemory::Shared) + statistics + 1e-9)
                    << mode.name << ", " << chunks << " chunks";
            }
    const AttentionPlan single = unevenPlan({.mode = findAttentionMode("ulysses")}, 7, 3);
    EXPECT_DOUBLE_EQ(single.exchangedShards(DType::F32, RingMemory::Shared), 4 * 9.0 / 7);
    EXPECT_GT(peakOfFirst(single, DType::F32), 0.9 * 4 * 9.0 / 7) << "no more is planned than is taken";
    const AttentionPlan divided = unevenPlan({.mode = findAttentionMode("ulysses")}, 9, 3);
    EXPECT_DOUBLE_EQ(divided.exchangedShards(DType::F32, RingMemory::Shared), 2);
}

}  // namespace
}  // namespace meshreel

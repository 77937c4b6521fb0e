// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention_volume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshreel {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr AttentionDimensions even{
    .batch = 2, .queryLength = 800, .keyLength = 800, .heads = 8, .headDim = 16, .elementBytes = 2};
constexpr std::int64_t shardBytes = 2 * 100 * 8 * 16 * 2;  // of the queries, or keys, of one of eight devices

AttentionPlan planned(const AttentionSettings& settings, const AttentionDimensions& dimensions, int devices) {
    return planAttention(settings, {.queryLength = dimensions.queryLength,
                                    .keyLength = dimensions.keyLength,
                                    .heads = dimensions.heads,
                                    .contextDevices = devices});
}

std::vector<std::vector<std::int64_t>> bytesOf(const AttentionSettings& settings,
                                               const AttentionDimensions& dimensions, int devices = 8) {
    std::vector<std::vector<std::int64_t>> bytes;
    for (const CollectiveVolume& volume : attentionVolume(planned(settings, dimensions, devices), dimensions))
        bytes.push_back(volume.bytesReceived);
    return bytes;
}

// What the sentences of the table say, for even shards.
TEST(AttentionVolume, IsTheFormula) {
    EXPECT_THAT(bytesOf({.mode = findAttentionMode("flash")}, even), ElementsAre(Each(2 * 7 * shardBytes)));
    EXPECT_THAT(bytesOf({.mode = findAttentionMode("tokamax_ring")}, even),
                ElementsAre(Each(2 * 7 * shardBytes)));
    EXPECT_THAT(bytesOf({.mode = findAttentionMode("ulysses")}, even),
                ElementsAre(Each(3 * 7 * shardBytes / 8), Each(7 * shardBytes / 8)));
    EXPECT_THAT(bytesOf({.mode = findAttentionMode("flash"), .uniformSharding = false}, even),
                ElementsAre(Each(3 * 7 * shardBytes / 8), Each(7 * shardBytes / 8)));
    for (const char* mode : {"ulysses_ring", "ulysses_ring_custom_bidir", "ulysses_ring_custom_fixed_m"})
        EXPECT_THAT(
            bytesOf({.mode = findAttentionMode(mode), .ulyssesShards = 4}, even),
            ElementsAre(Each(3 * 3 * shardBytes / 4), Each(2 * shardBytes), Each(3 * shardBytes / 4)));
}

TEST(AttentionVolume, ChunksMoveAsMuch) {
    AttentionSettings settings{.mode = findAttentionMode("ulysses_ring"), .ulyssesShards = 2};
    const auto whole = bytesOf(settings, even);
    settings.chunks = 3;
    EXPECT_EQ(bytesOf(settings, even), whole);
}

TEST(AttentionVolume, UnevenShardsMissNothing) {
    AttentionDimensions uneven = even;
    uneven.queryLength = 5;
    uneven.keyLength = 3;
    // Each of the first three devices holds a key; everybody gets the others.
    constexpr std::int64_t tokenBytes = shardBytes / 100;
    EXPECT_THAT(bytesOf({.mode = findAttentionMode("ring")}, uneven, 4),
                ElementsAre(ElementsAre(4 * tokenBytes, 4 * tokenBytes, 4 * tokenBytes, 6 * tokenBytes)));
    EXPECT_EQ(totalBytes(attentionVolume(planned({.mode = findAttentionMode("ring")}, uneven, 4), uneven)),
              18 * tokenBytes);
}

TEST(AttentionVolume, FollowsTheEffectiveMode) {
    AttentionPlan held = planned({.mode = findAttentionMode("ulysses")}, even, 8);
    held.keysSharded = false;
    EXPECT_THAT(attentionVolume(held, even), IsEmpty());
    EXPECT_THAT(attentionCollectives(held), IsEmpty());
    EXPECT_EQ(bytesOf({.mode = findAttentionMode("ulysses"), .flashMinSeqLength = 801}, even),
              bytesOf({.mode = findAttentionMode("dot_product")}, even));
}

/// What each device receives from devices of other hosts when every transfer is followed one by one; shards
/// are of one byte a pair.
std::vector<std::int64_t> followed(Senders senders, const ContextSplit& split, int devicesPerHost) {
    const auto hostOf = [&](int device) { return device / devicesPerHost; };
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(split.devices()), 0);
    const auto pass = [&](int from, int to) {
        if (hostOf(from) != hostOf(to))
            ++bytes[static_cast<std::size_t>(to)];
    };
    for (int to = 0; to < split.devices(); ++to)
        for (int from = 0; from < split.devices(); ++from) {
            const int ring = to / split.ulysses;
            const int origin = from / split.ulysses;
            const bool sameRing = from % split.ulysses == to % split.ulysses && ring != origin;
            const auto beside = [&](int place) {
                return (place + split.ring) % split.ring * split.ulysses + to % split.ulysses;
            };
            if (senders == Senders::UlyssesGroup && ring == origin && from != to)
                pass(from, to);
            if (senders == Senders::RingGroup && sameRing)
                pass(from, to);
            if (senders == Senders::RingNeighbour && sameRing)
                pass(beside(ring - 1), to);
            if (senders == Senders::LineNeighbours && sameRing)
                pass(beside(origin < ring ? ring - 1 : ring + 1), to);
        }
    return bytes;
}

TEST(AttentionVolume, WhatComesFromOtherHostsIsThatOfEveryTransfer) {
    for (const Senders senders :
         {Senders::UlyssesGroup, Senders::RingGroup, Senders::RingNeighbour, Senders::LineNeighbours})
        for (const ContextSplit split :
             {ContextSplit{1, 1}, {1, 8}, {8, 1}, {2, 4}, {4, 2}, {3, 4}, {6, 2}, {2, 6}})
            for (int devicesPerHost = 1; devicesPerHost <= split.devices(); ++devicesPerHost) {
                if (split.devices() % devicesPerHost != 0)
                    continue;
                const bool inGroup = senders == Senders::UlyssesGroup;
                const std::int64_t received = (inGroup ? split.ulysses : split.ring) - 1;
                const CollectiveVolume volume{.collective = {.name = "", .formula = "", .senders = senders},
                                              .split = split,
                                              .bytesReceived = std::vector<std::int64_t>(
                                                  static_cast<std::size_t>(split.devices()), received)};
                EXPECT_EQ(bytesFromOtherHosts(volume, devicesPerHost),
                          followed(senders, split, devicesPerHost))
                    << "rings of " << split.ring << ", ulysses groups of " << split.ulysses << ", "
                    << devicesPerHost << " devices a host, senders " << static_cast<int>(senders);
            }
}

TEST(AttentionVolume, EveryModeThatRunsNamesItsCollectives) {
    for (const AttentionMode& mode : attentionModes()) {
        const AttentionSettings settings{.mode = &mode, .ulyssesShards = 2};
        const std::vector<AttentionCollective> collectives = attentionCollectives(mode);
        if (mode.runs()) {
            EXPECT_EQ(collectives.size(), attentionVolume(planned(settings, even, 8), even).size())
                << mode.name;
        }
        for (const AttentionCollective& collective : collectives)
            EXPECT_FALSE(collective.chunked && !mode.chunked()) << mode.name;
    }
}

}  // namespace
}  // namespace meshreel

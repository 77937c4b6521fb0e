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

std::vector<std::vector<std::int64_t>> bytesOf(const AttentionSettings& settings,
                                               const AttentionDimensions& dimensions, int devices = 8) {
    std::vector<std::vector<std::int64_t>> bytes;
    for (const CollectiveVolume& volume : attentionVolume(settings, devices, dimensions))
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
    EXPECT_EQ(totalBytes(attentionVolume({.mode = findAttentionMode("ring")}, 4, uneven)), 18 * tokenBytes);
}

TEST(AttentionVolume, FollowsTheEffectiveMode) {
    AttentionDimensions held = even;
    held.keysSharded = false;
    EXPECT_THAT(bytesOf({.mode = findAttentionMode("ulysses")}, held), IsEmpty());
    EXPECT_EQ(bytesOf({.mode = findAttentionMode("ulysses"), .flashMinSeqLength = 801}, even),
              bytesOf({.mode = findAttentionMode("dot_product")}, even));
}

TEST(AttentionVolume, EveryModeThatRunsNamesItsCollectives) {
    for (const AttentionMode& mode : attentionModes()) {
        const AttentionSettings settings{.mode = &mode, .ulyssesShards = 2};
        const std::vector<AttentionCollective> collectives = attentionCollectives(mode);
        if (mode.runs) {
            EXPECT_EQ(collectives.size(), attentionVolume(settings, 8, even).size()) << mode.name;
        }
        for (const AttentionCollective& collective : collectives)
            EXPECT_FALSE(collective.chunked && !mode.chunked) << mode.name;
    }
}

}  // namespace
}  // namespace meshreel

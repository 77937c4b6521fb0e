// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/attention/context_split.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

AttentionSettings listSettings(std::string_view mode, int ulyssesShards = -1) {
    return {.mode = findAttentionMode(mode), .ulyssesShards = ulyssesShards};
}

TEST(ContextSplit, IsRingTimesUlysses) {
    EXPECT_EQ(contextSplit(listSettings("ulysses"), 4), (ContextSplit{.ring = 1, .ulysses = 4}));
    EXPECT_EQ(contextSplit(listSettings("tokamax_ring", 2), 4), (ContextSplit{.ring = 4, .ulysses = 1}));
    EXPECT_EQ(contextSplit(listSettings("ulysses_ring", 2), 8), (ContextSplit{.ring = 4, .ulysses = 2}));
    EXPECT_EQ(contextSplit(listSettings("ulysses_ring_custom_bidir", 8), 8),
              (ContextSplit{.ring = 1, .ulysses = 8}));
    EXPECT_EQ(contextSplit(listSettings("flash"), 4), (ContextSplit{.ring = 4, .ulysses = 1}));
    AttentionSettings heads = listSettings("flash");
    heads.uniformSharding = false;
    EXPECT_EQ(contextSplit(heads, 4), (ContextSplit{.ring = 1, .ulysses = 4}));
}

TEST(ContextSplit, GroupsHoldTheShardsOfTheirDevices) {
    const ContextSplit split{.ring = 2, .ulysses = 3};
    EXPECT_EQ(groupTokens(split, 21, 0), (ShardRange{0, 12}));
    EXPECT_EQ(groupTokens(split, 21, 1), (ShardRange{12, 21}));
    EXPECT_EQ(groupTokens(split, 2, 1), (ShardRange{2, 2}));
}

TEST(ContextSplit, TheLastChunkTakesTheHeadsThatAreLeft) {
    EXPECT_THAT(headChunks(40, 6, 4),
                ElementsAre(ShardRange{0, 12}, ShardRange{12, 24}, ShardRange{24, 30}, ShardRange{30, 40}));
    EXPECT_THAT(headChunks(12, 8, 3), ElementsAre(ShardRange{0, 12})) << "no device goes without a head";
}

TEST(ContextSplit, ChunksAreWholeGroupsSpreadEvenly) {
    EXPECT_THAT(headChunks(40, 8, 2), ElementsAre(ShardRange{0, 24}, ShardRange{24, 40}));
    EXPECT_THAT(headChunks(40, 8, 3), ElementsAre(ShardRange{0, 16}, ShardRange{16, 32}, ShardRange{32, 40}));
    EXPECT_THAT(headChunks(40, 8, 5), ElementsAre(ShardRange{0, 8}, ShardRange{8, 16}, ShardRange{16, 24},
                                                  ShardRange{24, 32}, ShardRange{32, 40}));
    EXPECT_EQ(headChunks(40, 8, 99), headChunks(40, 8, 5));
    EXPECT_THAT(headChunks(40, 8, 1), ElementsAre(ShardRange{0, 40}));
}

}  // namespace
}  // namespace meshreel

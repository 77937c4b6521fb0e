// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/context_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshreel {
namespace {

using ::testing::ElementsAre;

AttentionSettings splitSettings(std::string_view mode, int ulyssesShards = -1) {
    return {.mode = findAttentionMode(mode), .ulyssesShards = ulyssesShards};
}

TEST(ContextSplit, IsRingTimesUlysses) {
    EXPECT_EQ(contextSplit(splitSettings("ulysses"), 4), (ContextSplit{.ring = 1, .ulysses = 4}));
    EXPECT_EQ(contextSplit(splitSettings("tokamax_ring", 2), 4), (ContextSplit{.ring = 4, .ulysses = 1}));
    EXPECT_EQ(contextSplit(splitSettings("ulysses_ring", 2), 8), (ContextSplit{.ring = 4, .ulysses = 2}));
    EXPECT_EQ(contextSplit(splitSettings("ulysses_ring_custom_bidir", 8), 8),
              (ContextSplit{.ring = 1, .ulysses = 8}));
    EXPECT_EQ(contextSplit(splitSettings("flash"), 4), (ContextSplit{.ring = 4, .ulysses = 1}));
    AttentionSettings heads = splitSettings("flash");
    heads.uniformSharding = false;
    EXPECT_EQ(contextSplit(heads, 4), (ContextSplit{.ring = 1, .ulysses = 4}));
}

TEST(ContextSplit, GroupsHoldTheShardsOfTheirDevices) {
    const ContextSplit split{.ring = 2, .ulysses = 3};
    EXPECT_EQ(groupTokens(split, 21, 0), (ShardRange{0, 12}));
    EXPECT_EQ(groupTokens(split, 21, 1), (ShardRange{12, 21}));
    EXPECT_EQ(groupTokens(split, 2, 1), (ShardRange{2, 2}));
}

TEST(ContextSplit, ChunksAreWholeGroupsAndTheLastTakesTheRemainder) {
    EXPECT_THAT(headChunks(40, 8, 2), ElementsAre(ShardRange{0, 16}, ShardRange{16, 40}));
    EXPECT_THAT(headChunks(40, 8, 3), ElementsAre(ShardRange{0, 8}, ShardRange{8, 16}, ShardRange{16, 40}));
    EXPECT_THAT(headChunks(40, 8, 5), ElementsAre(ShardRange{0, 8}, ShardRange{8, 16}, ShardRange{16, 24},
                                                  ShardRange{24, 32}, ShardRange{32, 40}));
    EXPECT_EQ(headChunks(40, 8, 99), headChunks(40, 8, 5));
    EXPECT_THAT(headChunks(40, 8, 1), ElementsAre(ShardRange{0, 40}));
}

TEST(ContextSplit, CrossAttentionOfRingsAndCustomKernelsIsTokamaxFlash) {
    for (const AttentionMode& mode : attentionModes()) {
        const std::string_view cross = crossAttentionSettings({.mode = &mode}).mode->name;
        const bool moved = mode.rotation != Rotation::None || mode.kernel == AttentionKernel::Custom ||
                           mode.kernel == AttentionKernel::CustomFixedM;
        EXPECT_EQ(cross, moved ? "tokamax_flash" : mode.name);
    }
}

TEST(ContextSplit, ShortSequencesGatherForDotProduct) {
    AttentionSettings settings = splitSettings("ulysses_ring", 2);
    settings.flashMinSeqLength = 100;
    settings.uniformSharding = false;
    EXPECT_EQ(effectiveSettings(settings, 100, 100).mode->name, "ulysses_ring");
    const AttentionSettings shorter = effectiveSettings(settings, 100, 99);
    EXPECT_EQ(shorter.mode->name, "dot_product");
    EXPECT_TRUE(shorter.uniformSharding) << "three heads on two of four devices need not divide by four";
    settings = splitSettings("ulysses_ring_custom", 2);
    settings.flashMinSeqLength = 100;
    EXPECT_EQ(effectiveSettings(settings, 1, 1).mode->name, "ulysses_ring_custom");
}

}  // namespace
}  // namespace meshreel

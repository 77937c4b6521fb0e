// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/tile_grid.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/attention/attention_mode.h"
#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::int64_t mebi = 1 << 20;

std::vector<std::int64_t> queriesOf(const std::vector<TilePair>& pairs) {
    std::vector<std::int64_t> queries;
    for (const TilePair& pair : pairs)
        if (queries.empty() || queries.back() != pair.blockQ)
            queries.push_back(pair.blockQ);
    return queries;
}

std::vector<std::int64_t> keysBeside(const std::vector<TilePair>& pairs, std::int64_t blockQ) {
    std::vector<std::int64_t> keys;
    for (const TilePair& pair : pairs)
        if (pair.blockQ == blockQ)
            keys.push_back(pair.blockKv);
    return keys;
}

std::vector<TilePair> smart(std::int64_t sequence, std::int64_t megabytes) {
    return smartTileGrid({sequence, sequence}, {.bytes = megabytes * mebi});
}

// The ladders of MaxDiffusion's tile search for a 720p video on 8, 4, 2 and 1 devices, and 480p on one.
TEST(SmartTileGrid, IsMaxDiffusionsLadder) {
    using Sizes = std::vector<std::int64_t>;
    EXPECT_EQ(queriesOf(smart(9450, 64)), (Sizes{9472, 4736, 3200, 1408, 768}));
    EXPECT_EQ(keysBeside(smart(9450, 64), 9472), (Sizes{1024, 896, 768}));
    EXPECT_EQ(keysBeside(smart(9450, 64), 3200), (Sizes{3328, 3200, 3072}));
    EXPECT_EQ(keysBeside(smart(9450, 64), 1408), (Sizes{7680, 7552, 7424}));
    EXPECT_EQ(keysBeside(smart(9450, 64), 768), (Sizes{9472, 9344, 9216}));
    EXPECT_EQ(queriesOf(smart(9450, 32)), (Sizes{4736, 3200, 2432, 1152, 512}));
    EXPECT_EQ(keysBeside(smart(9450, 32), 1152), (Sizes{4608, 4480, 4352}));
    EXPECT_EQ(queriesOf(smart(18900, 64)), (Sizes{9472, 6400, 4736, 2176, 1152}));
    EXPECT_EQ(keysBeside(smart(18900, 64), 1152), (Sizes{9216, 9088, 8960}));
    EXPECT_EQ(queriesOf(smart(18900, 32)), (Sizes{4736, 3840, 3200, 1536, 768}));
    EXPECT_EQ(queriesOf(smart(37800, 64)), (Sizes{9472, 7680, 6400, 3200, 1536}));
    EXPECT_EQ(queriesOf(smart(37800, 32)), (Sizes{4736, 4224, 3840, 1920, 896}));
    EXPECT_EQ(queriesOf(smart(75600, 64)), (Sizes{9472, 8448, 7680, 3840, 1920}));
    EXPECT_EQ(queriesOf(smart(75600, 32)), (Sizes{5120, 4736, 4480, 2176, 1024}));
    EXPECT_EQ(queriesOf(smart(32760, 64)), (Sizes{8192, 6656, 5504, 2560, 1280}));
    EXPECT_EQ(queriesOf(smart(32760, 32)), (Sizes{4736, 4096, 3712, 1792, 896}));
}

TEST(SmartTileGrid, KeepsToTheLimitWhateverTheSequence) {
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        const LocalSequence sequence{.queries = std::uniform_int_distribution(1, 90000)(random),
                                     .keys = std::uniform_int_distribution(1, 90000)(random)};
        const ScratchLimit limit{.bytes =
                                     std::uniform_int_distribution<std::int64_t>(1, 64)(random) * mebi / 4};
        const std::vector<TilePair> pairs = smartTileGrid(sequence, limit);
        ASSERT_FALSE(pairs.empty());
        for (const TilePair& pair : pairs) {
            EXPECT_EQ(pair.blockQ % 128, 0);
            EXPECT_EQ(pair.blockKv % 128, 0);
            EXPECT_LT(pair.blockQ, sequence.queries + 128);
            EXPECT_LT(pair.blockKv, sequence.keys + 128);
            EXPECT_LE(pair.blockQ, limit.mostQueries());
            EXPECT_LE(pair.blockKv, limit.keysBeside(pair.blockQ));
        }
    }
}

TEST(FullTileGrid, IsEveryPairOfMultiples) {
    const std::vector<TilePair> pairs = fullTileGrid({9450, 9450});
    EXPECT_EQ(pairs.size(), 1369U);
    EXPECT_EQ(pairs.back(), (TilePair{9472, 9472}));
    EXPECT_EQ(fullTileGrid({9450, 9450}, 256, 10).size(), 10U);
    EXPECT_THROW(fullTileGrid({9450, 9450}, 200), Error);
}

TEST(TilePadding, CountsBlocksAndWhatTheyWaste) {
    EXPECT_EQ(tilePadding(9450, 9472).blocks, 1);
    EXPECT_EQ(tilePadding(9450, 9472).rows, 22);
    EXPECT_EQ(tilePadding(9450, 1024).blocks, 10);
    EXPECT_NEAR(tilePadding(9450, 1024).percent, 100.0 * 790 / 9450, 1e-9);
    EXPECT_EQ(blockForCount(9450, 3), 3200);
    EXPECT_FALSE(blockForCount(300, 7)) << "three blocks of 128 hold it";
}

TEST(LocalSequence, IsWhatTheKernelOfADeviceSees) {
    const auto local = [](const char* mode, int ulyssesShards, int devices) {
        return localSequence({.mode = &requireAttentionMode(mode), .ulyssesShards = ulyssesShards}, 75600,
                             devices);
    };
    EXPECT_EQ(local("tokamax_ring", -1, 8), (LocalSequence{9450, 9450}));
    EXPECT_EQ(local("tokamax_ring_custom", -1, 8), (LocalSequence{9450, 9450}));
    EXPECT_EQ(local("ulysses_ring_custom", 2, 8), (LocalSequence{18900, 18900}));
    EXPECT_EQ(local("ulysses_ring_custom_bidir", 4, 8), (LocalSequence{37800, 37800}));
    EXPECT_EQ(local("ulysses_custom", -1, 8), (LocalSequence{75600, 75600}));
    EXPECT_EQ(local("flash", -1, 8), (LocalSequence{9450, 75600}));
    EXPECT_EQ(local("flash", -1, 1), (LocalSequence{75600, 75600}));
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <random>

#include "engine/attention/attention_mode.h"
#include "engine/base/error.h"
#include "engine/measure/tile_search.h"
#include "engine/measure/tile_tuning.h"
#include "engine/project/attention_check.h"

namespace meshreel {
namespace {

constexpr std::int64_t mebi = 1 << 20;

std::vector<std::int64_t> gatherQueries(const std::vector<TilePair>& pairs) {
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
    EXPECT_EQ(gatherQueries(smart(9450, 64)), (Sizes{9472, 4736, 3200, 1408, 768}));
    EXPECT_EQ(keysBeside(smart(9450, 64), 9472), (Sizes{1024, 896, 768}));
    EXPECT_EQ(keysBeside(smart(9450, 64), 3200), (Sizes{3328, 3200, 3072}));
    EXPECT_EQ(keysBeside(smart(9450, 64), 1408), (Sizes{7680, 7552, 7424}));
    EXPECT_EQ(keysBeside(smart(9450, 64), 768), (Sizes{9472, 9344, 9216}));
    EXPECT_EQ(gatherQueries(smart(9450, 32)), (Sizes{4736, 3200, 2432, 1152, 512}));
    EXPECT_EQ(keysBeside(smart(9450, 32), 1152), (Sizes{4608, 4480, 4352}));
    EXPECT_EQ(gatherQueries(smart(18900, 64)), (Sizes{9472, 6400, 4736, 2176, 1152}));
    EXPECT_EQ(keysBeside(smart(18900, 64), 1152), (Sizes{9216, 9088, 8960}));
    EXPECT_EQ(gatherQueries(smart(18900, 32)), (Sizes{4736, 3840, 3200, 1536, 768}));
    EXPECT_EQ(gatherQueries(smart(37800, 64)), (Sizes{9472, 7680, 6400, 3200, 1536}));
    EXPECT_EQ(gatherQueries(smart(37800, 32)), (Sizes{4736, 4224, 3840, 1920, 896}));
    EXPECT_EQ(gatherQueries(smart(75600, 64)), (Sizes{9472, 8448, 7680, 3840, 1920}));
    EXPECT_EQ(gatherQueries(smart(75600, 32)), (Sizes{5120, 4736, 4480, 2176, 1024}));
    EXPECT_EQ(gatherQueries(smart(32760, 64)), (Sizes{8192, 6656, 5504, 2560, 1280}));
    EXPECT_EQ(gatherQueries(smart(32760, 32)), (Sizes{4736, 4096, 3712, 1792, 896}));
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
        return localSequence(
            planAttention({.mode = &requireAttentionMode(mode), .ulyssesShards = ulyssesShards},
                          {.heads = 40, .contextDevices = devices}),
            75600);
    };
    EXPECT_EQ(local("tokamax_ring", -1, 8), (LocalSequence{9450, 9450}));
    EXPECT_EQ(local("tokamax_ring_custom", -1, 8), (LocalSequence{9450, 9450}));
    EXPECT_EQ(local("ulysses_ring_custom", 2, 8), (LocalSequence{18900, 18900}));
    EXPECT_EQ(local("ulysses_ring_custom_bidir", 4, 8), (LocalSequence{37800, 37800}));
    EXPECT_EQ(local("ulysses_custom", -1, 8), (LocalSequence{75600, 75600}));
    EXPECT_EQ(local("flash", -1, 8), (LocalSequence{9450, 75600}));
    EXPECT_EQ(local("flash", -1, 1), (LocalSequence{75600, 75600}));
}

using ::testing::HasSubstr;

const FlashBlockSizes large{.blockQ = 9472, .blockKv = 1024, .blockKvCompute = 1024};
const FlashBlockSizes middle{.blockQ = 4736, .blockKv = 2048, .blockKvCompute = 2048};
const FlashBlockSizes small{.blockQ = 768, .blockKv = 9472, .blockKvCompute = 9472};

/// Seconds by block_q: 0.07 of the large one, 0.0709 of the middle one; the small one throws.
class FakeMachine {
  public:
    double operator()(const FlashBlockSizes& blocks) {
        order.push_back(blocks.blockQ);
        if (blocks == small)
            throw std::bad_alloc();
        return blocks == large ? 0.07 : 0.0709;
    }
    std::vector<std::int64_t> order;
};

TEST(TimeTiles, WarmsUpThenTakesTurns) {
    FakeMachine machine;
    const std::vector<TileSample> trials =
        timeTiles({large, small, middle}, {.iterations = 2, .warmUp = 2}, {},
                  [&](const FlashBlockSizes& b) { return machine(b); });
    EXPECT_EQ(machine.order,
              (std::vector<std::int64_t>{9472, 9472, 768, 4736, 4736, 9472, 4736, 9472, 4736}));
    ASSERT_EQ(trials.size(), 3U);
    EXPECT_EQ(trials[0].seconds.size(), 2U);
    EXPECT_EQ(trials[1].status, SampleStatus::OutOfMemory);
    EXPECT_DOUBLE_EQ(trials[2].mean(), 0.0709);
    EXPECT_DOUBLE_EQ(trials[2].deviation(), 0);
    EXPECT_EQ(fastestSample(trials)->blocks, large);
}

TEST(TimeTiles, TellsEachChoiceOnceWithItsPlace) {
    FakeMachine machine;
    std::vector<std::size_t> told;
    static_cast<void>(timeTiles(
        {small, large, middle}, {.iterations = 3, .warmUp = 1}, {},
        [&](const FlashBlockSizes& b) { return machine(b); },
        [&](std::size_t index, std::size_t count, const TileSample&) {
            EXPECT_EQ(count, 3U);
            told.push_back(index);
        }));
    EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(TimeTiles, NothingThatSucceedsHasNoWinner) {
    const std::vector<TileSample> trials = timeTiles(
        {large}, {.iterations = 1}, {},
        [](const FlashBlockSizes&) -> double { throw Error(ErrorKind::Project, "no such blocks"); });
    EXPECT_EQ(trials[0].status, SampleStatus::Failed);
    EXPECT_THAT(trials[0].detail, HasSubstr("no such blocks"));
    EXPECT_EQ(fastestSample(trials), nullptr);
    EXPECT_EQ(tileWinnerLine(nullptr), "[tile-search] no config succeeded (all OOM/error)\n");
}

TEST(TimeTiles, AStopEndsIt) {
    EXPECT_THROW(
        timeTiles({large}, {}, {},
                  [](const FlashBlockSizes&) -> double { throw Error(ErrorKind::Cancelled, "stopped"); }),
        Error);
}

TEST(TimeTiles, NoiseIsNotFaster) {
    const TileSample own{.blocks = large, .seconds = {1.0, 1.2, 0.8, 1.1}};
    EXPECT_EQ(judgeFastest({.blocks = small, .seconds = {0.9, 1.1, 0.8, 1.0}}, own, 1).difference,
              Difference::Noise);
    const TileSample fast{.blocks = small, .seconds = {0.5, 0.6, 0.5, 0.6}};
    EXPECT_EQ(judgeFastest(fast, own, 1).difference, Difference::Faster);
    EXPECT_EQ(judgeFastest(fast, own, 15).difference, Difference::TooFew) << "the best of fifteen";
}

TEST(TimeTiles, OneSlowPassMakesNoChoiceSlow) {
    const TileSample usual{.blocks = large, .seconds = {1, 1, 1, 1, 1}};
    const TileSample disturbed{.blocks = small, .seconds = {0.9, 0.9, 0.9, 0.9, 5}};
    EXPECT_EQ(fastestSample({usual, disturbed})->blocks, small);
    EXPECT_TRUE(isFaster(disturbed, usual));
    EXPECT_FALSE(isFaster({.status = SampleStatus::Failed}, usual));
}

TEST(TileReport, SpeaksAsMaxDiffusionDoes) {
    FakeMachine machine;
    const TileTiming timing{.iterations = 10, .warmUp = 2};
    const std::vector<TileSample> trials =
        timeTiles({middle, small, large}, timing, {}, [&](const FlashBlockSizes& b) { return machine(b); });
    const LocalSequence sequence{9450, 9450};
    EXPECT_EQ(
        tileSearchHeader("wan/tokamax_ring/u1", sequence, TileGridMode::Smart, 3, timing),
        "[tile-search] wan/tokamax_ring/u1: q_seq=9450 kv_seq=9450 mode=smart -> 3 configs (iters=10)\n");
    EXPECT_EQ(tileSampleLine(2, 3, trials[2]), "  [3/3] bq=9472 bkv=1024: 70.00ms  (compile 0s, excluded)\n");
    EXPECT_EQ(tileSampleLine(1, 3, trials[1]), "  [2/3] bq=768 bkv=9472: oom\n");
    EXPECT_EQ(tileSearchResults(sequence, TileGridMode::Smart, trials),
              "[tile-search] results (q_seq=9450, kv_seq=9450, mode=smart):\n"
              "    bq=  9472 bkv= 1024 cmp= 1024    70.00 ms  (±0.00)\n"
              "    bq=  4736 bkv= 2048 cmp= 2048    70.90 ms  (±0.00)\n"
              "    bq=   768 bkv= 9472 cmp= 9472  oom\n");
    EXPECT_EQ(tileWinnerLine(fastestSample(trials)),
              "[tile-search] WINNER: bq=9472 bkv=1024 bkv_compute=1024 -> 70.00 ms\n");
    const std::string csv = toCsv(tileTable(trials));
    EXPECT_THAT(csv, ::testing::StartsWith("bq,bkv,bkv_compute,status,mean_ms,std_ms,compile_ms,detail"));
    EXPECT_THAT(csv, HasSubstr("768,9472,9472,oom,,,,"));
}

}  // namespace

}  // namespace meshreel

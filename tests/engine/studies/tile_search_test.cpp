// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/tile_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include "engine/base/error.h"
#include "engine/studies/tile_report.h"

namespace meshreel {
namespace {

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
    const std::vector<TileTrial> trials = timeTiles({large, small, middle}, {.iterations = 2, .warmUp = 2},
                                                    {}, [&](const FlashBlockSizes& b) { return machine(b); });
    EXPECT_EQ(machine.order,
              (std::vector<std::int64_t>{9472, 9472, 768, 4736, 4736, 9472, 4736, 9472, 4736}));
    ASSERT_EQ(trials.size(), 3U);
    EXPECT_EQ(trials[0].seconds.size(), 2U);
    EXPECT_EQ(trials[1].status, TrialStatus::OutOfMemory);
    EXPECT_DOUBLE_EQ(trials[2].mean(), 0.0709);
    EXPECT_DOUBLE_EQ(trials[2].deviation(), 0);
    EXPECT_EQ(fastestTrial(trials)->blocks, large);
}

TEST(TimeTiles, TellsEachChoiceOnceWithItsPlace) {
    FakeMachine machine;
    std::vector<std::size_t> told;
    static_cast<void>(timeTiles(
        {small, large, middle}, {.iterations = 3, .warmUp = 1}, {},
        [&](const FlashBlockSizes& b) { return machine(b); },
        [&](std::size_t index, std::size_t count, const TileTrial&) {
            EXPECT_EQ(count, 3U);
            told.push_back(index);
        }));
    EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(TimeTiles, NothingThatSucceedsHasNoWinner) {
    const std::vector<TileTrial> trials = timeTiles(
        {large}, {.iterations = 1}, {},
        [](const FlashBlockSizes&) -> double { throw Error(ErrorKind::Project, "no such blocks"); });
    EXPECT_EQ(trials[0].status, TrialStatus::Failed);
    EXPECT_THAT(trials[0].detail, HasSubstr("no such blocks"));
    EXPECT_EQ(fastestTrial(trials), nullptr);
    EXPECT_EQ(tileWinnerLine(nullptr), "[tile-search] no config succeeded (all OOM/error)\n");
}

TEST(TimeTiles, AStopEndsIt) {
    EXPECT_THROW(
        timeTiles({large}, {}, {},
                  [](const FlashBlockSizes&) -> double { throw Error(ErrorKind::Cancelled, "stopped"); }),
        Error);
}

TEST(TimeTiles, NoiseIsNotFaster) {
    const TileTrial own{.blocks = large, .seconds = {1.0, 1.2, 0.8, 1.1}};
    EXPECT_FALSE(clearlyFaster({.blocks = small, .seconds = {0.9, 1.1, 0.8, 1.0}}, own));
    EXPECT_TRUE(clearlyFaster({.blocks = small, .seconds = {0.5, 0.6, 0.5, 0.6}}, own));
    EXPECT_TRUE(clearlyFaster({.blocks = small, .seconds = {5}}, {.status = TrialStatus::Failed}));
}

TEST(TileReport, SpeaksAsMaxDiffusionDoes) {
    FakeMachine machine;
    const TileTiming timing{.iterations = 10, .warmUp = 2};
    const std::vector<TileTrial> trials =
        timeTiles({middle, small, large}, timing, {}, [&](const FlashBlockSizes& b) { return machine(b); });
    const LocalSequence sequence{9450, 9450};
    EXPECT_EQ(
        tileSearchHeader("wan/tokamax_ring/u1", sequence, TileGridMode::Smart, 3, timing),
        "[tile-search] wan/tokamax_ring/u1: q_seq=9450 kv_seq=9450 mode=smart -> 3 configs (iters=10)\n");
    EXPECT_EQ(tileTrialLine(2, 3, trials[2]), "  [3/3] bq=9472 bkv=1024: 70.00ms  (compile 0s, excluded)\n");
    EXPECT_EQ(tileTrialLine(1, 3, trials[1]), "  [2/3] bq=768 bkv=9472: oom\n");
    EXPECT_EQ(tileSearchResults(sequence, TileGridMode::Smart, trials),
              "[tile-search] results (q_seq=9450, kv_seq=9450, mode=smart):\n"
              "    bq=  9472 bkv= 1024 cmp= 1024    70.00 ms  (±0.00)\n"
              "    bq=  4736 bkv= 2048 cmp= 2048    70.90 ms  (±0.00)\n"
              "    bq=   768 bkv= 9472 cmp= 9472  oom\n");
    EXPECT_EQ(tileWinnerLine(fastestTrial(trials)),
              "[tile-search] WINNER: bq=9472 bkv=1024 bkv_compute=1024 -> 70.00 ms\n");
    const std::string csv = csvOf(tileTable(trials));
    EXPECT_THAT(csv, ::testing::StartsWith("bq,bkv,bkv_compute,status,mean_ms,std_ms,compile_ms,detail"));
    EXPECT_THAT(csv, HasSubstr("768,9472,9472,oom,,,,"));
}

}  // namespace
}  // namespace meshreel

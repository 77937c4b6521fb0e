// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/rank_watch.h"
#include "engine/mesh/mesh_failure.h"

#include <gmock/gmock.h>

namespace meshreel {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class RankWatchTest : public ::testing::Test {
  protected:
    [[nodiscard]] FailureDetector watchOf(int self) const { return {self, {"a", "b", "c"}, {}, start}; }

    /// Ranks keep talking while time passes.
    void pass(FailureDetector& watch, std::chrono::milliseconds time, const std::vector<int>& talking) {
        for (const auto end = now + time; now < end;) {
            now += 100ms;
            for (const int rank : talking)
                watch.noteAlive(rank, now);
            watch.advance(now);
        }
    }

    const FailureDetector::Time start = FailureDetector::Clock::now();
    FailureDetector::Time now = start;
};

TEST_F(RankWatchTest, RanksThatTalkLive) {
    FailureDetector watch = watchOf(0);
    pass(watch, 60s, {1, 2});
    EXPECT_FALSE(watch.failing());
    EXPECT_FALSE(watch.failure());
}

TEST_F(RankWatchTest, ASilentRankIsGoneAfterFiveSeconds) {
    FailureDetector watch = watchOf(0);
    pass(watch, 4900ms, {1});
    EXPECT_FALSE(watch.failure());
    pass(watch, 300ms, {1});
    ASSERT_TRUE(watch.failure());
    EXPECT_EQ(watch.failure()->rank, 2);
    EXPECT_EQ(watch.failure()->host, "c");
    EXPECT_THAT(watch.failure()->reason, HasSubstr("5 s"));
    EXPECT_FALSE(watch.failure()->cancelled);
    EXPECT_TRUE(watch.isQuiet(2));
}

TEST_F(RankWatchTest, OwnAbsenceIsHeldAgainstNobody) {
    FailureDetector watch = watchOf(0);
    pass(watch, 1s, {1, 2});
    now += 1h;  // this process was stopped, and so was nobody's fault
    watch.advance(now);
    EXPECT_FALSE(watch.failure());
    pass(watch, 9s, {1, 2});
    EXPECT_FALSE(watch.failure());
}

TEST_F(RankWatchTest, TheFirstReasonStays) {
    FailureDetector watch = watchOf(0);
    watch.noteFailing(1, MeshFailure{.device = 3, .rank = 1, .host = "b", .reason = "first"}, now);
    watch.noteFailing(2, MeshFailure{.device = 5, .rank = 2, .host = "c", .reason = "second"}, now);
    watch.fail({.host = "a", .reason = "third"});
    EXPECT_EQ(watch.failure()->reason, "first");
}

TEST_F(RankWatchTest, AReasonMayFollowSoon) {
    FailureDetector watch = watchOf(0);
    watch.noteFailing(1, std::nullopt, now);
    EXPECT_TRUE(watch.failing());
    pass(watch, 200ms, {1, 2});
    EXPECT_FALSE(watch.failure());
    watch.noteFailing(1, MeshFailure{.device = 3, .rank = 1, .host = "b", .reason = "why"}, now);
    EXPECT_EQ(watch.failure()->reason, "why");
}

TEST_F(RankWatchTest, ARankThatNeverSaysWhyIsNamed) {
    FailureDetector watch = watchOf(0);
    watch.noteFailing(1, std::nullopt, now);
    pass(watch, 600ms, {1, 2});
    ASSERT_TRUE(watch.failure());
    EXPECT_EQ(watch.failure()->rank, 1);
    EXPECT_EQ(watch.failure()->host, "b");
}

TEST_F(RankWatchTest, WhenAllAreAskedToEndItIsACancel) {
    FailureDetector watch = watchOf(0);
    watch.noteTerminating(2, now);
    watch.terminate(now);
    watch.advance(now);
    EXPECT_FALSE(watch.failure());
    watch.noteTerminating(1, now);
    watch.advance(now);
    ASSERT_TRUE(watch.failure());
    EXPECT_TRUE(watch.failure()->cancelled);
}

TEST_F(RankWatchTest, WhenOneDoesNotAnswerItHasDied) {
    FailureDetector watch = watchOf(0);
    watch.terminate(now);
    watch.noteTerminating(2, now);
    pass(watch, 500ms, {2});
    ASSERT_TRUE(watch.failure());
    EXPECT_FALSE(watch.failure()->cancelled);
    EXPECT_EQ(watch.failure()->rank, 1);
    EXPECT_THAT(watch.failure()->reason, HasSubstr("died"));
}

TEST_F(RankWatchTest, WhoSaidGoodbyeMayBeSilent) {
    FailureDetector watch = watchOf(0);
    watch.noteBye(1, now);
    EXPECT_FALSE(watch.allDone());
    pass(watch, 60s, {2});
    EXPECT_FALSE(watch.failure());
    watch.noteBye(2, now);
    EXPECT_TRUE(watch.allDone());
}

}  // namespace
}  // namespace meshreel

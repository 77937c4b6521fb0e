// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks that throw, die, stop or are ended: everybody learns why, and nothing is left.
#include <gmock/gmock.h>
#include <signal.h>

#include <random>
#include <thread>

#include "mpi_runs.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::MpiRun;
using ::testing::Not;
using testing::overTcp;
using testing::ProcessResult;
using testing::runScenario;

constexpr auto limit = 20s;  // ten for the ranks to end, ten for a machine that is busy otherwise

/// Ends a turning ring of three ranks by `strike` and returns what came of it.
template <typename Strike>
ProcessResult strikeAt(MpiRun& run, const Strike& strike) {
    const std::vector<pid_t> ranks = run.waitUntilTurning();
    EXPECT_EQ(ranks.size(), 3U);
    if (ranks.size() == 3)
        strike(ranks);
    ProcessResult result = run.wait(limit);
    EXPECT_FALSE(result.timedOut) << result.err;
    EXPECT_NE(result.exitCode, 0);
    EXPECT_EQ(run.left(), 0);
    return result;
}

TEST(MpiFailures, WhatOneRankThrowsEndsAll) {
    for (const auto& options : {std::vector<std::string>(), overTcp}) {
        const ProcessResult result = runScenario(3, "throw", options);
        EXPECT_NE(result.exitCode, 0);
        EXPECT_THAT(result.err, HasSubstr("rank 0 knows: failure of rank 1"));
        EXPECT_THAT(result.err, HasSubstr("rank 2 knows: failure of rank 1"));
        EXPECT_THAT(result.err, HasSubstr("thrown on purpose"));
    }
}

TEST(MpiFailures, WhatOneDeviceThrowsEndsEveryMesh) {
    const ProcessResult result = runScenario(2, "mesh-failure");
    EXPECT_NE(result.exitCode, 0);
    EXPECT_THAT(result.err, HasSubstr("rank 0 ends: device 3 of rank 1"));
    EXPECT_THAT(result.err, HasSubstr("rank 1 ends: thrown on purpose"));
}

TEST(MpiFailures, WhoDoesNotEndIsEndedByForce) {
    MpiRun run(3, "hang-after-failure");
    const ProcessResult result = run.wait(limit);
    EXPECT_FALSE(result.timedOut);
    EXPECT_EQ(result.exitCode, 5);
}

TEST(MpiFailures, AKilledRankEndsAllAtAnyMoment) {
    std::mt19937 random(11);
    for (int attempt = 0; attempt < 4; ++attempt) {
        const auto victim = random() % 3;
        const std::chrono::milliseconds delay(random() % 500);
        SCOPED_TRACE("rank " + std::to_string(victim) + " after " + std::to_string(delay.count()) + " ms");
        MpiRun run(3, "turn", attempt % 2 == 0 ? std::vector<std::string>() : overTcp);
        const ProcessResult result = strikeAt(run, [&](const std::vector<pid_t>& ranks) {
            std::this_thread::sleep_for(delay);
            ::kill(ranks[victim], SIGKILL);
        });
        EXPECT_THAT(result.err, HasSubstr("knows: failure"));
        EXPECT_THAT(result.err, Not(HasSubstr("knows: cancel")));
    }
}

TEST(MpiFailures, ARankThatFallsSilentCountsAsGone) {
    MpiRun run(3, "turn-impatient");
    const ProcessResult result =
        strikeAt(run, [](const std::vector<pid_t>& ranks) { ::kill(ranks[1], SIGSTOP); });
    EXPECT_THAT(result.err, HasSubstr("knows: failure of rank 1"));
}

/// Stopped before any rank has heard of another: as soon as mpirun has started them all.
TEST(MpiFailures, ARankThatIsStoppedAtItsStartHoldsNobodyUp) {
    MpiRun run(3, "turn");
    const std::vector<pid_t> ranks = run.waitUntilStarted(3);
    ASSERT_EQ(ranks.size(), 3U);
    ::kill(ranks[1], SIGSTOP);
    const ProcessResult result = run.wait(limit);
    EXPECT_FALSE(result.timedOut) << result.err;
    EXPECT_NE(result.exitCode, 0);
    EXPECT_EQ(run.left(), 0);
}

// What they say is lost with mpirun.
TEST(MpiFailures, AStoppedMpirunEndsWithItsRanks) {
    MpiRun run(3, "turn");
    strikeAt(run, [&](const std::vector<pid_t>&) { run.process().send(SIGSTOP); });
}

TEST(MpiFailures, EndingMpirunIsACancel) {
    MpiRun run(3, "turn");
    const ProcessResult result =
        strikeAt(run, [&](const std::vector<pid_t>&) { run.process().send(SIGTERM); });
    EXPECT_THAT(result.err, HasSubstr("rank 0 knows: cancel"));
    EXPECT_THAT(result.err, Not(HasSubstr("knows: failure")));
}

TEST(MpiFailures, WithoutMpirunTheRanksEnd) {
    MpiRun run(3, "turn");
    strikeAt(run, [&](const std::vector<pid_t>&) { run.process().send(SIGKILL); });
}

}  // namespace
}  // namespace meshreel

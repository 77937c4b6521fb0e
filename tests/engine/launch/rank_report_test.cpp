// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/rank_report.h"
#include "engine/mesh/mesh_failure.h"

#include <gmock/gmock.h>

#include "engine/launch/mpirun_messages.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

const std::string rule(74, '-');
constexpr pid_t mpirun = 321;

using ::testing::ElementsAre;

TEST(RankReport, SurvivesItsLine) {
    const RankReport report{
        .rank = 2,
        .exitCode = 5,
        .failure = {.device = 3, .rank = 1, .host = "beta", .reason = "two\n\"lines\"", .cancelled = false}};
    const std::string line = rankReportLine(report);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto parsed = parseRankReport("somebody else's words " + line);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->rank, 2);
    EXPECT_EQ(parsed->exitCode, 5);
    EXPECT_EQ(parsed->failure.device, 3);
    EXPECT_EQ(parsed->failure.rank, 1);
    EXPECT_EQ(parsed->failure.host, "beta");
    EXPECT_EQ(parsed->failure.reason, report.failure.reason);
    EXPECT_FALSE(parsed->isOwn());
}

TEST(RankReport, KeepsWhatItsReasonIsMadeOf) {
    const MeshFailure failure{.host = "beta", .reason = sentence("mpirun ended with code {}", 3)};
    const auto parsed = parseRankReport(rankReportLine({.rank = 0, .exitCode = 5, .failure = failure}));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->failure.reason, failure.reason);
    EXPECT_EQ(parsed->failure.reason.pattern(), failure.reason.pattern());
}

TEST(RankReport, SaysWhoFailedAsFarAsItIsKnown) {
    const Sentence why = sentence("MPI does not return");
    const auto said = [&why](int device, int rank, const char* host) {
        const Sentence made = toSentence({.device = device, .rank = rank, .host = host, .reason = why});
        EXPECT_EQ(
            made.empty() || made.pattern() == why.pattern() ? made.pattern() : made.parts().back().pattern(),
            why.pattern());
        return testing::valuesOf(made);
    };
    EXPECT_THAT(said(3, 1, "beta"), ElementsAre("3", "1", "beta"));
    EXPECT_THAT(said(-1, 1, "beta"), ElementsAre("1", "beta"));
    EXPECT_THAT(said(-1, -1, "beta"), ElementsAre("beta"));
    EXPECT_THAT(said(-1, -1, ""), ElementsAre());
}

TEST(RankReport, OtherLinesAreNone) {
    EXPECT_FALSE(parseRankReport("meshreel: warning: nothing"));
    EXPECT_FALSE(parseRankReport("meshreel-rank-failure: {\"rank\": 1"));
    EXPECT_FALSE(parseRankReport("meshreel-rank-failure: {\"rank\": \"x\"}"));
    EXPECT_FALSE(parseRankReport("meshreel-rank-failure: {}"));
}

TEST(MpirunMessages, TellWhichRankDied) {
    MpirunMessages messages(mpirun);
    EXPECT_FALSE(messages.take("a rank's own words"));
    EXPECT_TRUE(messages.take(rule));
    EXPECT_TRUE(messages.take(
        "mpirun noticed that process rank 3 with PID 0 on node beta exited on signal 9 (Killed)."));
    EXPECT_TRUE(messages.take(rule));
    EXPECT_FALSE(messages.take("words again"));
    ASSERT_TRUE(messages.death());
    EXPECT_EQ(messages.death()->rank, 3);
    EXPECT_EQ(messages.death()->host, "beta");
    EXPECT_THAT(messages.death()->reason, HasSubstr("signal 9 (Killed)"));
}

TEST(MpirunMessages, TellWhichHostWasLost) {
    MpirunMessages messages(mpirun);
    for (const std::string& line : {rule, std::string("ORTE has lost communication with a remote daemon."),
                                    std::string(), std::string("  HNP daemon   : [[1,0],0] on node alpha"),
                                    std::string("  Remote daemon: [[1,0],1] on node beta"), rule})
        EXPECT_TRUE(messages.take(line));
    EXPECT_FALSE(messages.death());
    EXPECT_EQ(messages.lostHost(), "beta");
}

TEST(MpirunMessages, WhatItTellsItsDevelopersIsItsOwn) {
    MpirunMessages messages(mpirun);
    EXPECT_TRUE(messages.take("[alpha:00321] *** Process received signal ***"));
    EXPECT_TRUE(
        messages.take("mpiexec: abort is already in progress...hit ctrl-c again to forcibly terminate"));
    EXPECT_FALSE(messages.take("[alpha:00322] of a rank"));
    EXPECT_FALSE(messages.take("[1/3] a rank counts"));
    EXPECT_TRUE(messages.text().empty());
}

TEST(MpirunMessages, OfOtherThingsOnlyTheText) {
    MpirunMessages messages(mpirun);
    EXPECT_TRUE(messages.take(rule));
    EXPECT_TRUE(messages.take("There are not enough slots"));
    EXPECT_TRUE(messages.take("  available"));
    EXPECT_FALSE(messages.death());
    EXPECT_EQ(messages.text(), "There are not enough slots available");
}

}  // namespace
}  // namespace meshreel

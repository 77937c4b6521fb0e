// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/rank_launcher.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/runs/run_folder.h"
#include "tests/support/locations.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto limit = 25s;  // ten for the ranks to end, the rest for a busy machine

struct Launched {
    LaunchEnd end;
    std::vector<std::string> out;
    std::vector<std::string> err;
};

class RankLauncher : public ::testing::Test {
  protected:
    /// Launches the scenario on this machine; a stop is requested when a line "turning" comes.
    static Launched launch(int ranks, const std::vector<std::string>& arguments,
                           bool stopWhenTurning = false) {
        Launched launched;
        StopSource stop;
        const LaunchRequest request{
            .hosts = {{"localhost", ranks}}, .arguments = arguments, .program = MESHREEL_LAUNCHED_PROGRAM};
        const auto start = std::chrono::steady_clock::now();
        launched.end = launchRanks(request,
                                   {.out =
                                        [&](const std::string& line) {
                                            launched.out.push_back(line);
                                            if (stopWhenTurning && line == "turning")
                                                stop.request_stop();
                                        },
                                    .err = [&](const std::string& line) { launched.err.push_back(line); }},
                                   stop.get_token());
        EXPECT_LT(std::chrono::steady_clock::now() - start, limit);
        return launched;
    }
};

TEST_F(RankLauncher, PassesOnWhatTheRanksWrite) {
    const Launched launched = launch(3, {"print"});
    EXPECT_EQ(launched.end.exitCode, 0);
    EXPECT_FALSE(launched.end.failure);
    EXPECT_THAT(launched.out, ElementsAre("first", "ranks 3"));
    EXPECT_THAT(launched.err, ::testing::UnorderedElementsAre("words of rank 1", "words of rank 2"));
}

TEST_F(RankLauncher, AStopCancelsOnAllRanks) {
    const Launched launched = launch(3, {"turn"}, true);
    EXPECT_EQ(launched.end.exitCode, 130);
    ASSERT_TRUE(launched.end.failure);
    EXPECT_TRUE(launched.end.failure->cancelled);
    EXPECT_EQ(toError(launched.end).kind(), ErrorKind::Cancelled);
    EXPECT_THAT(launched.err, IsEmpty());
}

TEST_F(RankLauncher, TheErrorOfRankZeroIsTheEnd) {
    const Launched launched = launch(2, {"throw-0"});
    EXPECT_EQ(launched.end.exitCode, 3);
    EXPECT_EQ(toError(launched.end).kind(), ErrorKind::Input);
    EXPECT_THAT(toError(launched.end).what(), HasSubstr("the image is missing"));
    EXPECT_THAT(launched.err, IsEmpty());
}

TEST_F(RankLauncher, AnotherRanksErrorNamesRankHostAndReason) {
    const Launched launched = launch(3, {"throw-1"});
    EXPECT_EQ(launched.end.exitCode, 5);
    ASSERT_TRUE(launched.end.failure);
    EXPECT_EQ(launched.end.failure->rank, 1);
    EXPECT_FALSE(launched.end.failure->host.empty());
    EXPECT_THAT(toError(launched.end).what(), HasSubstr("rank 1 on host " + launched.end.failure->host));
    EXPECT_THAT(toError(launched.end).what(), HasSubstr("thrown on purpose"));
}

TEST_F(RankLauncher, ADeadRankEndsTheRunWhichCanBeContinued) {
    for (const int dead : {0, 1}) {
        SCOPED_TRACE(dead);
        const testing::TemporaryFolder folder;
        const Launched launched = launch(3, {"die-" + std::to_string(dead), (folder / "run").string()});
        EXPECT_EQ(launched.end.exitCode, 5);
        ASSERT_TRUE(launched.end.failure);
        EXPECT_EQ(launched.end.failure->rank, dead);
        EXPECT_THAT(launched.end.failure->reason, HasSubstr("signal 9"));

        const std::string why = toError(launched.end).what();
        EXPECT_TRUE(markAbandonedRun(folder / "run", why));
        const RunState state = RunFolder::open(folder / "run").state();
        EXPECT_EQ(state.status, RunStatus::Failed);
        EXPECT_EQ(state.why, why);
        EXPECT_FALSE(markAbandonedRun(folder / "run", "again"));
    }
}

TEST_F(RankLauncher, AModelOfRankZeroReachesAllRanks) {
    const Launched launched = launch(3, {"model", testing::sourceFolder() / "resources/models/tiny-wan-t2v"});
    EXPECT_EQ(launched.end.exitCode, 0) << (launched.end.failure ? launched.end.failure->reason : "");
}

/// A mpirun that writes where it was told to, and what was there then.
TEST_F(RankLauncher, WhatOpenMpiKeepsIsGoneWithItsLaunch) {
    const testing::TemporaryFolder folder;
    const fs::path temporary = folder / "temporary";
    fs::create_directory(temporary);
    const fs::path forsaken = temporary / "meshreel-ranks-killed";
    const fs::path young = temporary / "meshreel-ranks-begins";
    const fs::path other = temporary / "somebody-elses";
    for (const fs::path& each : {forsaken, young, other})
        fs::create_directory(each);
    for (const fs::path& each : {forsaken, other})
        fs::last_write_time(each, fs::file_time_type::clock::now() - 1h);
    writeFileAtomically(folder / "mpirun", R"(#!/bin/sh
while [ $# -gt 0 ]; do
    case $2 in orte_tmpdir_base | btl_vader_backing_directory) echo "$3"; touch "$3/file" ;; esac
    shift
done)");
    fs::permissions(folder / "mpirun", fs::perms::owner_all);
    const std::string path = std::getenv("PATH");
    const char* before = std::getenv("TMPDIR");
    const std::string previous = before == nullptr ? "/tmp" : before;
    ::setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
    ::setenv("TMPDIR", temporary.c_str(), 1);
    const Launched here = launch(1, {});
    ::setenv("PATH", path.c_str(), 1);
    ::setenv("TMPDIR", previous.c_str(), 1);
    ASSERT_EQ(here.out.size(), 2U) << ::testing::PrintToString(here.err);
    for (const std::string& made : here.out)
        EXPECT_FALSE(fs::exists(made)) << made;
    EXPECT_EQ(fs::path(here.out.front()).parent_path(), temporary);
    EXPECT_FALSE(fs::exists(forsaken)) << "its process is gone";
    EXPECT_TRUE(fs::exists(young)) << "somebody may be about to lock it";
    EXPECT_TRUE(fs::exists(other));
}

TEST_F(RankLauncher, AMissingProgramIsToldByMpirun) {
    const LaunchRequest request{.hosts = {{"localhost", 1}}, .program = "/nowhere/meshreel"};
    const LaunchEnd end = launchRanks(request, {[](const std::string&) {}, [](const std::string&) {}}, {});
    EXPECT_EQ(end.exitCode, 5);
    EXPECT_THAT(toError(end).what(), HasSubstr("/nowhere/meshreel"));
}

TEST_F(RankLauncher, WithoutMpirunItSaysWhatToInstall) {
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", "/nowhere", 1);
    try {
        launchRanks({.hosts = {{"localhost", 1}}}, {}, {});
        ADD_FAILURE() << "mpirun was found in /nowhere";
    } catch (const Error& refusal) {
        EXPECT_EQ(refusal.kind(), ErrorKind::Input);
        EXPECT_THAT(refusal.what(), HasSubstr("openmpi-bin"));
    }
    ::setenv("PATH", path.c_str(), 1);
}

TEST_F(RankLauncher, HostsAndRanksStandOnTheCommandLine) {
    const LaunchRequest request{
        .hosts = {{"a", 2}, {"b", 1}}, .arguments = {"run", "p.yaml"}, .program = "/m"};
    std::vector<std::string> line = mpirunLine(request);
    EXPECT_THAT(line, Contains("a:2,b:1"));
    EXPECT_EQ(*(std::ranges::find(line, "-n") + 1), "3");
    EXPECT_THAT(std::vector<std::string>(line.end() - 3, line.end()), ElementsAre("/m", "run", "p.yaml"));
    LaunchRequest more = request;
    more.ranks = 7;
    line = mpirunLine(more);
    EXPECT_EQ(*(std::ranges::find(line, "-n") + 1), "7");
}

TEST(AbandonedRun, AFinishedOrForeignFolderIsLeftAlone) {
    const testing::TemporaryFolder folder;
    EXPECT_FALSE(markAbandonedRun(folder.path(), "why"));
    EXPECT_FALSE(markAbandonedRun(folder / "missing", "why"));
}

}  // namespace
}  // namespace meshreel

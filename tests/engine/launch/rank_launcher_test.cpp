// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/rank_launcher.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/process_states.h"
#include "engine/runs/run_folder.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
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
    EXPECT_THAT(toError(launched.end).problem(), testing::Names("1", launched.end.failure->host));
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
[ "$1" = --version ] && exec echo "mpirun (Open MPI) 4.1.4"
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
    const MpirunProgram mpirun{.path = "/usr/bin/mpirun"};
    std::vector<std::string> line = mpirunLine(request, mpirun);
    EXPECT_THAT(line, Contains("a:2,b:1"));
    EXPECT_EQ(*(std::ranges::find(line, "-n") + 1), "3");
    EXPECT_THAT(std::vector<std::string>(line.end() - 3, line.end()), ElementsAre("/m", "run", "p.yaml"));
    LaunchRequest more = request;
    more.ranks = 7;
    line = mpirunLine(more, mpirun);
    EXPECT_EQ(*(std::ranges::find(line, "-n") + 1), "7");
}

TEST_F(RankLauncher, SettingsHaveTheNamesOfTheVersion) {
    const LaunchRequest request{.hosts = {{"a", 2}}, .program = "/m"};
    const auto old = mpirunLine(request, {.path = "mpirun", .major = 4});
    EXPECT_THAT(old, Contains("--oversubscribe"));
    EXPECT_THAT(old, Contains("orte_keep_fqdn_hostnames"));
    const auto recent = mpirunLine(request, {.path = "mpirun", .major = 5});
    EXPECT_THAT(recent, Contains("slot:OVERSUBSCRIBE"));
    EXPECT_THAT(recent, Contains("prte_keep_fqdn_hostnames"));
}

TEST_F(RankLauncher, OnlyRanksOfOneMachineAreKeptFromTheNetwork) {
    const MpirunProgram mpirun{.path = "mpirun"};
    EXPECT_THAT(mpirunLine({.hosts = {{"localhost", 2}}, .program = "/m"}, mpirun),
                Contains(localTransports));
    EXPECT_THAT(mpirunLine({.hosts = {{"localhost", 2}, {"far.invalid", 1}}, .program = "/m"}, mpirun),
                ::testing::Not(Contains(localTransports)));
}

/// Inodes of the sockets of all processes that listen on an address that other machines reach.
std::set<std::string> openSockets() {
    std::set<std::string> open;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::ifstream file(table);
        std::string line;
        for (std::getline(file, line); std::getline(file, line);) {
            std::istringstream words(line);
            std::vector<std::string> row;
            for (std::string word; words >> word;)
                row.push_back(word);
            const std::string address = row.at(1).substr(0, row.at(1).find(':'));
            if (row.at(3) == "0A" && address != "0100007F" && address != "00000000000000000000000001000000")
                open.insert("socket:[" + row.at(9) + "]");
        }
    }
    return open;
}

bool holdsAny(pid_t process, const std::set<std::string>& sockets) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd", failure))
        if (sockets.contains(fs::read_symlink(entry, failure).string()))
            return true;
    return false;
}

/// The mpirun that this test started; 0 before.
pid_t ownMpirun() {
    for (const pid_t child : childProcesses(::getpid()))
        if (processName(child).starts_with("mpirun"))
            return child;
    return 0;
}

TEST_F(RankLauncher, RanksOfOneMachineListenToNoOtherMachine) {
    StopSource stop;
    std::vector<std::string> seen;
    std::vector<std::string> errors;
    const LaunchRequest request{
        .hosts = {{"localhost", 2}}, .arguments = {"turn"}, .program = MESHREEL_LAUNCHED_PROGRAM};
    launchRanks(request,
                {.out =
                     [&](const std::string& line) {
                         if (line != "turning")
                             return;
                         std::vector<pid_t> processes = childProcesses(ownMpirun());
                         EXPECT_EQ(processes.size(), 2U);
                         processes.push_back(ownMpirun());
                         const std::set<std::string> open = openSockets();
                         for (const pid_t process : processes)
                             if (holdsAny(process, open))
                                 seen.push_back(processName(process));
                         stop.request_stop();
                     },
                 .err = [&](const std::string& line) { errors.push_back(line); }},
                stop.get_token());
    EXPECT_THAT(seen, IsEmpty());
    EXPECT_THAT(errors, IsEmpty());
}

TEST_F(RankLauncher, AnMpirunThatTakesNoGuardIsNamedAndRunsAllTheSame) {
    const testing::TemporaryFolder folder;
    const fs::path wrapper = folder / "mpirun";
    writeFileAtomically(wrapper,
                        "#!/bin/sh\nexec env -u LD_PRELOAD " + findMpirun().path.string() + " \"$@\"\n");
    fs::permissions(wrapper, fs::perms::owner_all);
    ::setenv("MESHREEL_MPIRUN", wrapper.c_str(), 1);
    const Launched launched = launch(2, {"end"});
    ::unsetenv("MESHREEL_MPIRUN");
    EXPECT_EQ(launched.end.exitCode, 0);
    EXPECT_THAT(launched.err, Contains(HasSubstr("could not be guarded")));
}

/// Stops one of the processes of a launch as soon as it is there: a rank, or mpirun after its ranks.
void stopAtStart(int rank) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < deadline) {
        const std::vector<pid_t> ranks = childProcesses(ownMpirun());
        if (rank < 0 && ranks.size() == 3) {
            ::kill(ownMpirun(), SIGSTOP);
            return;
        }
        for (const pid_t process : ranks)
            if (rankOfProcess(process) == rank) {
                ::kill(process, SIGSTOP);
                return;
            }
        std::this_thread::sleep_for(1ms);
    }
}

TEST_F(RankLauncher, WhoIsStoppedAtTheStartHoldsNobodyUp) {
    for (const int stopped : {0, 2, -1}) {
        SCOPED_TRACE(stopped);
        std::thread striker(stopAtStart, stopped);
        const Launched launched = launch(3, {"turn"});
        striker.join();
        EXPECT_EQ(launched.end.exitCode, 5);
        ASSERT_TRUE(launched.end.failure);
        EXPECT_THAT(launched.end.failure->reason, HasSubstr("stopped"));
        EXPECT_EQ(launched.end.failure->rank, stopped);
    }
}

/// A remote shell behind which a host answers the first question, and then nothing.
TEST_F(RankLauncher, AHostThatNeverBeginsIsNamed) {
    const testing::TemporaryFolder folder;
    const fs::path shell = folder / "shell";
    writeFileAtomically(shell, R"(#!/bin/sh
case "$*" in *"command -v orted"*) exit 0 ;; esac
exec sleep 61)");
    fs::permissions(shell, fs::perms::owner_all);
    ::setenv("MESHREEL_RSH", shell.c_str(), 1);
    ::setenv("MESHREEL_HOST_TIMEOUT", "2", 1);
    const LaunchEnd end = launchRanks({.hosts = {{"localhost", 1}, {"far.invalid", 1}},
                                       .arguments = {"turn"},
                                       .program = MESHREEL_LAUNCHED_PROGRAM},
                                      {[](const std::string&) {}, [](const std::string&) {}}, {});
    ::unsetenv("MESHREEL_RSH");
    ::unsetenv("MESHREEL_HOST_TIMEOUT");
    EXPECT_EQ(end.exitCode, 5);
    EXPECT_THAT(toError(end).problem(), testing::Names("far.invalid", "2"));
    EXPECT_THAT(toError(end).what(), ::testing::Not(HasSubstr("localhost")));
}

TEST_F(RankLauncher, AJobOfASchedulerDoesNotDecideWhereRanksRun) {
    const std::vector<std::pair<const char*, const char*>> job{
        {"SLURM_JOB_ID", "1"},
        {"SLURM_JOBID", "1"},
        {"SLURM_JOB_NODELIST", "x[1-3]"},
        {"SLURM_NODELIST", "x[1-3]"},
        {"SLURM_NNODES", "3"},
        {"SLURM_JOB_NUM_NODES", "3"},
        {"SLURM_TASKS_PER_NODE", "8(x3)"},
        {"OMPI_MCA_rmaps_base_mapping_policy", "ppr:1:node"}};
    for (const auto& [name, value] : job)
        ::setenv(name, value, 1);
    const Launched launched = launch(2, {"print"});
    for (const auto& [name, value] : job)
        ::unsetenv(name);
    EXPECT_EQ(launched.end.exitCode, 0) << (launched.end.failure ? launched.end.failure->reason : "");
    EXPECT_THAT(launched.out, ElementsAre("first", "ranks 2"));
}

TEST(AbandonedRun, AFinishedOrForeignFolderIsLeftAlone) {
    const testing::TemporaryFolder folder;
    EXPECT_FALSE(markAbandonedRun(folder.path(), "why"));
    EXPECT_FALSE(markAbandonedRun(folder / "missing", "why"));
}

}  // namespace
}  // namespace meshreel

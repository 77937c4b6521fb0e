// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "tests/support/made_run.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

TEST(RunTime, IsAPointOfTimeWhateverTheZone) {
    EXPECT_EQ(pointOfTime("1970-01-01T00:00:00+0000"), 0);
    EXPECT_EQ(pointOfTime("1970-01-01T01:00:00+0100"), 0);
    EXPECT_EQ(pointOfTime("1969-12-31T18:30:00-0530"), 0);
    EXPECT_EQ(pointOfTime("2026-11-21T08:45:00+0100"), 1795247100);
    EXPECT_EQ(pointOfTime(timestampNow()).has_value(), true);
    for (const char* text : {"", "yesterday", "2026-11-21T08:45:00", "2026-13-21T08:45:00+0100",
                             "2026-11-21T08:45:0x+0100", "2026-11-21T08:45:00+01000"})
        EXPECT_EQ(pointOfTime(text), std::nullopt) << text;
}

void makeRunAt(const fs::path& path, const std::string& started) {
    testing::makeRun(path, 1);
    RunFolder run = RunFolder::open(path);
    RunState state = run.state();
    state.started = started;
    run.lock();
    run.writeState(state);
}

TEST(RunTime, RunsStandInTheirOrderWhereSummerTimeEnds) {
    const testing::TemporaryFolder runs;
    makeRunAt(runs / "20261025-025958-summer", "2026-10-25T02:59:58+0200");
    makeRunAt(runs / "20261025-020005-winter", "2026-10-25T02:00:05+0100");
    makeRunAt(runs / "20261025-093000-abroad", "2026-10-25T09:30:00+0900");
    EXPECT_THAT(runsByBeginning(runs.path()),
                ElementsAre(runs / "20261025-020005-winter", runs / "20261025-025958-summer",
                            runs / "20261025-093000-abroad"));
    std::vector<fs::path> listed;
    for (const RunSummary& run : listRuns(runs.path()))
        listed.push_back(run.folder);
    EXPECT_EQ(listed, runsByBeginning(runs.path()));
}

TEST(RunTime, RunsWithoutATimeAreTheOldest) {
    const RunBeginning none{.started = "", .folder = "z"};
    const RunBeginning some{.started = "2026-10-25T02:00:05+0100", .folder = "a"};
    EXPECT_TRUE(isNewer(some, none));
    EXPECT_FALSE(isNewer(none, some));
    EXPECT_FALSE(isNewer(some, some));
}

}  // namespace
}  // namespace meshreel

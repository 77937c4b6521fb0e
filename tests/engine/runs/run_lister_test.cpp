// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_lister.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/runs/run_folder.h"
#include "tests/support/made_run.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::makeRun;

/// As if nothing had been written in it for long.
void age(const fs::path& folder) {
    const auto then = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        fs::last_write_time(entry.path(), then);
    fs::last_write_time(folder, then);
}

std::vector<std::string> namesOf(const std::vector<RunSummary>& runs) {
    std::vector<std::string> names;
    for (const RunSummary& run : runs)
        names.push_back(run.folder.filename().string());
    return names;
}

TEST(RunLister, ListsOnlyWhatHasChanged) {
    const testing::TemporaryFolder runs;
    RunLister lister;
    ASSERT_TRUE(lister.listIfChanged(runs.path()).has_value()) << "the first list, although empty";
    EXPECT_FALSE(lister.listIfChanged(runs.path()).has_value());
    makeRun(runs / "b", 1);
    makeRun(runs / "a", 2);
    const auto both = lister.listIfChanged(runs.path());
    ASSERT_TRUE(both.has_value());
    EXPECT_EQ(namesOf(*both), (std::vector<std::string>{"a", "b"})) << "the newest first";
    EXPECT_EQ(*both, listRuns(runs.path()));
    EXPECT_FALSE(lister.listIfChanged(runs.path()).has_value());
    fs::remove_all(runs / "b");
    const auto one = lister.listIfChanged(runs.path());
    ASSERT_TRUE(one.has_value());
    EXPECT_EQ(namesOf(*one), (std::vector<std::string>{"a"}));
}

TEST(RunLister, SeesEveryKindOfChange) {
    const testing::TemporaryFolder runs;
    makeRun(runs / "run", 1);
    RunLister lister;
    const auto changes = [&](const auto& change) {
        age(runs / "run");
        (void)lister.listIfChanged(runs.path());
        EXPECT_FALSE(lister.listIfChanged(runs.path()).has_value());
        change(RunFolder::open(runs / "run"));
        return lister.listIfChanged(runs.path());
    };
    const auto stepped = changes([](const RunFolder& run) { run.appendStep({.step = 3, .seconds = 9}); });
    ASSERT_TRUE(stepped.has_value());
    EXPECT_EQ(stepped->front().stepsDone, 4);
    const auto starred = changes(
        [](const RunFolder& run) { writeRunNotes(run.path(), {.tags = {}, .note = "", .star = true}); });
    ASSERT_TRUE(starred.has_value());
    EXPECT_TRUE(starred->front().notes.star);
    const auto edited = changes([](const RunFolder& run) {  // in place, as editors may
        std::string text = readFile(run.file("notes.json"));
        text.replace(text.find("true"), 4, "false");
        std::ofstream(run.file("notes.json"), std::ios::trunc) << text;
    });
    ASSERT_TRUE(edited.has_value());
    EXPECT_FALSE(edited->front().notes.star);
    const auto pictured = changes([](const RunFolder& run) { run.write(run_file::preview, "a picture"); });
    ASSERT_TRUE(pictured.has_value());
    EXPECT_TRUE(pictured->front().preview.has_value());
    const auto again = changes([](const RunFolder& run) { run.write(run_file::preview, "another one"); });
    EXPECT_TRUE(again.has_value()) << "its picture is to be read again";
}

TEST(RunLister, ARunThatDiesLeavesNoTraceAndIsSeen) {
    const testing::TemporaryFolder runs;
    RunLister lister;
    {
        const RunFolder run = RunFolder::create(runs / "run");
        run.write(run_file::project, "prompt: a ball\n");
        RunState state;
        state.started = "2026-01-01T00:00:00+0000";
        run.writeState(state);
        age(runs / "run");
        const auto alive = lister.listIfChanged(runs.path());
        ASSERT_TRUE(alive.has_value());
        EXPECT_EQ(alive->front().state.status, RunStatus::Running);
    }
    const auto dead = lister.listIfChanged(runs.path());
    ASSERT_TRUE(dead.has_value());
    EXPECT_EQ(dead->front().state.status, RunStatus::Crashed);
}

TEST(RunLister, AnotherFolderIsAnotherList) {
    const testing::TemporaryFolder one;
    const testing::TemporaryFolder other;
    makeRun(one / "run", 1);
    RunLister lister;
    EXPECT_EQ(lister.listIfChanged(one.path())->size(), 1U);
    const auto none = lister.listIfChanged(other.path());
    ASSERT_TRUE(none.has_value());
    EXPECT_TRUE(none->empty());
    EXPECT_EQ(lister.listIfChanged(one.path())->size(), 1U);
}

}  // namespace
}  // namespace meshreel

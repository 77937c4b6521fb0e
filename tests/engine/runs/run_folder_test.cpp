// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/project/project_file.h"
#include "engine/runs/run_history.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;

ErrorKind kindOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& failure) {
        return failure.kind();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorKind::Internal;
}

RunState stateWith(RunStatus status, const std::string& started = "2026-01-01T00:00:00+0000") {
    RunState state;
    state.status = status;
    state.started = started;
    return state;
}

RunFolder writtenRun(const fs::path& path, const RunState& state) {
    RunFolder folder = RunFolder::create(path);
    folder.write(run_file::project, resolvedYaml(testing::smallProject()));
    folder.writeState(state);
    return folder;
}

TEST(RunFolder, MakesTheParentsAndTakesAnEmptyFolder) {
    const testing::TemporaryFolder temporary;
    RunFolder::create(temporary / "a/b/c");
    EXPECT_TRUE(fs::is_directory(temporary / "a/b/c"));
    fs::create_directory(temporary / "empty");
    EXPECT_NO_THROW(RunFolder::create(temporary / "empty"));
}

TEST(RunFolder, RefusesWhatIsNotEmpty) {
    const testing::TemporaryFolder temporary;
    fs::create_directory(temporary / "full");
    writeFileAtomically(temporary / "full/thesis.txt", "years of work");
    EXPECT_EQ(kindOf([&] { RunFolder::create(temporary / "full"); }), ErrorKind::Input);
    EXPECT_EQ(kindOf([&] { RunFolder::create(temporary / "full/thesis.txt"); }), ErrorKind::Input);
    EXPECT_EQ(kindOf([&] { RunFolder::create(temporary / "full/thesis.txt/run"); }), ErrorKind::Input);
    EXPECT_EQ(readFile(temporary / "full/thesis.txt"), "years of work");
}

TEST(RunFolder, DiscardingRemovesOnlyWhatWasMade) {
    const testing::TemporaryFolder temporary;
    fs::create_directory(temporary / "kept");
    RunFolder::create(temporary / "kept/a/b").discard();
    EXPECT_TRUE(fs::is_empty(temporary / "kept"));
    RunFolder::create(temporary / "kept").discard();
    EXPECT_TRUE(fs::is_directory(temporary / "kept"));
    RunFolder shared = RunFolder::create(temporary / "c/d");
    writeFileAtomically(temporary / "c/notes.txt", "mine");
    shared.discard();
    EXPECT_FALSE(fs::exists(temporary / "c/d"));
    EXPECT_TRUE(fs::exists(temporary / "c/notes.txt"));
}

TEST(RunFolder, OneAtATime) {
    const testing::TemporaryFolder temporary;
    {
        const RunFolder working = writtenRun(temporary / "run", stateWith(RunStatus::Running));
        RunFolder other = RunFolder::open(temporary / "run");
        EXPECT_EQ(other.state().status, RunStatus::Running);
        EXPECT_EQ(kindOf([&] { other.lock(); }), ErrorKind::Input);
    }
    RunFolder later = RunFolder::open(temporary / "run");
    EXPECT_EQ(later.state().status, RunStatus::Crashed) << "running, but nobody holds the lock";
    EXPECT_NO_THROW(later.lock());
}

TEST(RunFolder, OpensOnlyRuns) {
    const testing::TemporaryFolder temporary;
    EXPECT_EQ(kindOf([&] { RunFolder::open(temporary / "missing"); }), ErrorKind::Input);
    EXPECT_EQ(kindOf([&] { RunFolder::open(temporary.path()); }), ErrorKind::Input);
}

TEST(RunFolder, DamagedFilesAreToldAsSuch) {
    const testing::TemporaryFolder temporary;
    const RunFolder folder = writtenRun(temporary / "run", stateWith(RunStatus::Done));
    folder.write(run_file::status, "{\"status\": \"asleep\"}");
    EXPECT_EQ(kindOf([&] { static_cast<void>(folder.state()); }), ErrorKind::Input);
    folder.write(run_file::status, "{\"status\": ");
    EXPECT_EQ(kindOf([&] { static_cast<void>(folder.state()); }), ErrorKind::Input);
    folder.write(run_file::checkpoint, "not a checkpoint");
    EXPECT_EQ(kindOf([&] { static_cast<void>(folder.checkpoint()); }), ErrorKind::Input);
}

TEST(RunFolder, KeepsWhatAReasonIsMadeOfBesideItsText) {
    const testing::TemporaryFolder temporary;
    RunState state = stateWith(RunStatus::Failed);
    state.why = sentence("{} failed: {}", "rank 1", sentence("no space"));
    const RunFolder folder = writtenRun(temporary / "run", state);
    const RunState read = folder.state();
    EXPECT_EQ(read.why.text(), "rank 1 failed: no space");
    EXPECT_EQ(read.why.pattern(), "{} failed: {}");
    EXPECT_EQ(read.why.parts().at(1).pattern(), "no space");
    const nlohmann::json stored = nlohmann::json::parse(readFile(folder.file(run_file::status)));
    EXPECT_EQ(stored.at("why"), "rank 1 failed: no space") << "for other programs";
}

TEST(RunFolder, AReasonOfEarlierVersionsIsReadAsItStands) {
    const testing::TemporaryFolder temporary;
    const RunFolder folder = writtenRun(temporary / "run", stateWith(RunStatus::Failed));
    nlohmann::json stored = nlohmann::json::parse(readFile(folder.file(run_file::status)));
    EXPECT_FALSE(stored.contains("why_parts")) << "no reason has no parts";
    stored["why"] = "device 1 failed: no space.";
    folder.write(run_file::status, stored.dump());
    EXPECT_EQ(folder.state().why.text(), "device 1 failed: no space.");
    EXPECT_TRUE(folder.state().why.pattern().empty());
}

TEST(RunFolder, LatentsAreEqualBytesForEqualLatents) {
    const testing::TemporaryFolder temporary;
    const RunFolder a = RunFolder::create(temporary / "a");
    const RunFolder b = RunFolder::create(temporary / "b");
    const Tensor latents = Tensor::from<float>({1, 2}, {0.5F, -1});
    a.writeLatents(latents);
    b.writeLatents(latents.clone());
    EXPECT_EQ(readFile(a.file(run_file::latents)), readFile(b.file(run_file::latents)));
}

TEST(RunHistory, ListsRunsNewestFirstAndTellsWhatIsBroken) {
    const testing::TemporaryFolder temporary;
    writtenRun(temporary / "old", stateWith(RunStatus::Done, "2026-01-01T00:00:00+0000"));
    writtenRun(temporary / "new", stateWith(RunStatus::Failed, "2026-01-02T00:00:00+0000"));
    const RunFolder broken =
        writtenRun(temporary / "broken", stateWith(RunStatus::Done, "2025-01-01T00:00:00+0000"));
    broken.write(run_file::project, "prompt: [");
    fs::create_directory(temporary / "something else");

    const std::vector<RunSummary> runs = listRuns(temporary.path());
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].folder.filename(), "new");
    EXPECT_EQ(runs[0].state.status, RunStatus::Failed);
    EXPECT_EQ(runs[0].name, "small");
    EXPECT_EQ(runs[0].steps, 4);
    EXPECT_TRUE(runs[0].problem.empty());
    EXPECT_EQ(runs[2].folder.filename(), "broken");
    EXPECT_FALSE(runs[2].problem.empty());
    EXPECT_TRUE(listRuns(temporary / "missing").empty());
}

TEST(RunHistory, ListsTellWhatWasMadeAndHowFast) {
    const testing::TemporaryFolder temporary;
    RunState state = stateWith(RunStatus::Done);
    state.outline = {.model = "wan",
                     .width = 832,
                     .height = 480,
                     .frames = 81,
                     .attention = "ulysses_ring",
                     .mesh = {.data = 2, .context = 4}};
    const RunFolder folder = writtenRun(temporary / "run", state);
    folder.writeSteps({{.step = 0, .seconds = 9}, {.step = 1, .seconds = 2}, {.step = 2, .seconds = 4}});
    const RunSummary run = summarizeRun(temporary / "run");
    EXPECT_EQ(run.state.outline, state.outline);
    EXPECT_EQ(run.stepSeconds, 3.0);
    EXPECT_EQ(run, summarizeRun(temporary / "run"));
    // Of an earlier version.
    writtenRun(temporary / "old", stateWith(RunStatus::Done));
    EXPECT_EQ(summarizeRun(temporary / "old").state.outline, std::nullopt);
    EXPECT_TRUE(summarizeRun(temporary / "old").problem.empty());
}

TEST(RunHistory, TheRunsFolderFollowsTheEnvironment) {
    ::setenv("XDG_DATA_HOME", "/data", 1);
    ::unsetenv("MESHREEL_RUNS");
    EXPECT_EQ(runsFolder(), "/data/meshreel/runs");
    ::setenv("XDG_DATA_HOME", "not/absolute", 1);
    ::setenv("HOME", "/home/ann", 1);
    EXPECT_EQ(runsFolder(), "/home/ann/.local/share/meshreel/runs");
    ::setenv("MESHREEL_RUNS", "/tmp/runs", 1);
    EXPECT_EQ(runsFolder(), "/tmp/runs");
    EXPECT_THAT(newRunFolder("a cat/in ñ").string(), EndsWith("-a-cat-in---"));
    ::unsetenv("MESHREEL_RUNS");
    ::unsetenv("XDG_DATA_HOME");
}

}  // namespace
}  // namespace meshreel

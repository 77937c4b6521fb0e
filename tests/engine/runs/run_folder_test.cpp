// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/write_failure.h"
#include "engine/project/project_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;

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

TEST(RunFolder, TakesWhatARunLeftThatWasKilledWhileItWasPlanned) {
    const testing::TemporaryFolder temporary;
    const fs::path folder = temporary / "run";
    fs::create_directories(folder / run_file::inputs);
    for (const std::string_view name :
         {RunLock::fileName, run_file::project, run_file::sources, run_file::environment})
        std::ofstream(folder / name) << "";
    std::ofstream(folder / ".status.4711.part.json") << "half";
    try {
        RunFolder::open(folder);
        FAIL() << "there is nothing to go on with";
    } catch (const Error& refusal) {
        EXPECT_EQ(refusal.kind(), ErrorKind::Input);
        EXPECT_EQ(refusal.where(), folder.string());
        EXPECT_THAT(refusal.what(), HasSubstr("--out"));
    }
    const RunFolder run = RunFolder::create(folder);
    EXPECT_FALSE(fs::exists(folder / ".status.4711.part.json"));
    EXPECT_EQ(kindOf([&] { RunFolder::create(folder); }), ErrorKind::Input) << "somebody plans in it";
}

TEST(RunFolder, TakesNoFolderWithMoreThanThat) {
    const testing::TemporaryFolder temporary;
    for (const char* name : {"notes.txt", "status.json", "latents.safetensors", ".my.part"}) {
        const fs::path folder = temporary / name;
        fs::create_directory(folder);
        std::ofstream(folder / RunLock::fileName) << "";
        std::ofstream(folder / name) << "mine";
        EXPECT_EQ(kindOf([&] { RunFolder::create(folder); }), ErrorKind::Input) << name;
        EXPECT_EQ(readFile(folder / name), "mine");
    }
    fs::create_directory(temporary / "project");
    std::ofstream(temporary / "project" / run_file::project) << "mine";
    EXPECT_EQ(kindOf([&] { RunFolder::create(temporary / "project"); }), ErrorKind::Input)
        << "no lock: no run was ever there";
}

TEST(RunFolder, WorksOnNoRunWithALinkInIt) {
    const testing::TemporaryFolder temporary;
    writeFileAtomically(temporary / "outside", "mine");
    for (const std::string_view name :
         {run_file::status, run_file::project, run_file::steps, run_file::devices, run_file::checkpoint,
          run_file::timings, run_file::latents, run_file::log, run_file::inputs, RunLock::fileName,
          std::string_view("inputs/image.png"), std::string_view("video/frame_00001.png")}) {
        SCOPED_TRACE(name);
        const testing::TemporaryFolder place;
        const fs::path folder = place / "run";
        { const RunFolder made = writtenRun(folder, stateWith(RunStatus::Failed)); }
        fs::create_directories((folder / name).parent_path());
        fs::remove(folder / name);
        fs::create_symlink(temporary / "outside", folder / name);
        try {
            RunFolder::openToWork(folder);
            ADD_FAILURE() << "was opened";
        } catch (const Error& refusal) {
            EXPECT_EQ(refusal.kind(), ErrorKind::Input);
            EXPECT_EQ(refusal.where(), (folder / name).string());
            EXPECT_THAT(refusal.what(), HasSubstr("link"));
        }
        EXPECT_EQ(readFile(temporary / "outside"), "mine");
    }
}

TEST(RunFolder, ReadsNoFileThroughALink) {
    const testing::TemporaryFolder temporary;
    const RunFolder folder = writtenRun(temporary / "run", stateWith(RunStatus::Done));
    for (const auto& [name, read] : std::vector<std::pair<std::string_view, std::function<void()>>>{
             {run_file::steps, [&] { static_cast<void>(folder.steps()); }},
             {run_file::devices, [&] { static_cast<void>(folder.deviceTimes()); }},
             {run_file::checkpoint, [&] { static_cast<void>(folder.checkpoint()); }},
             {run_file::timings, [&] { static_cast<void>(folder.timings()); }},
             {run_file::latents, [&] { static_cast<void>(folder.latents()); }},
             {run_file::status, [&] { static_cast<void>(folder.state()); }},
             {run_file::project, [&] { static_cast<void>(folder.project()); }}}) {
        fs::remove(folder.file(name));
        fs::create_symlink("/dev/null", folder.file(name));
        EXPECT_EQ(kindOf(read), ErrorKind::Input) << name;
    }
}

TEST(RunFolder, ShowsNoVideoAndNoPictureThroughALink) {
    const testing::TemporaryFolder temporary;
    writeFileAtomically(temporary / "holiday.mp4", "private");
    for (const char* name : {"video.mp4", "video.webm", "video"}) {
        SCOPED_TRACE(name);
        const testing::TemporaryFolder place;
        const RunFolder folder = writtenRun(place / "run", stateWith(RunStatus::Done));
        EXPECT_FALSE(folder.video());
        fs::create_symlink(temporary / "holiday.mp4", folder.file(name));
        EXPECT_EQ(kindOf([&] { static_cast<void>(folder.video()); }), ErrorKind::Input);
        EXPECT_EQ(kindOf([&] { static_cast<void>(folder.openVideo()); }), ErrorKind::Input);
        EXPECT_FALSE(summarizeRun(folder.path()).video);
        EXPECT_THAT(summarizeRun(folder.path()).problem.text(), HasSubstr("link"));
    }
    const RunFolder folder = writtenRun(temporary / "run", stateWith(RunStatus::Done));
    fs::create_symlink(temporary / "holiday.mp4", folder.file(run_file::preview));
    EXPECT_FALSE(summarizeRun(folder.path()).preview);
}

TEST(RunFolder, WaitsForNoPipe) {
    const testing::TemporaryFolder temporary;
    const RunFolder folder = writtenRun(temporary / "run", stateWith(RunStatus::Done));
    for (const auto& [name, read] : std::vector<std::pair<std::string_view, std::function<void()>>>{
             {run_file::steps, [&] { static_cast<void>(folder.steps()); }},
             {run_file::steps, [&] { folder.appendStep({}); }},
             {run_file::devices, [&] { static_cast<void>(folder.deviceTimes()); }},
             {run_file::checkpoint, [&] { static_cast<void>(folder.checkpoint()); }},
             {run_file::timings, [&] { static_cast<void>(folder.timings()); }},
             {run_file::latents, [&] { static_cast<void>(folder.latents()); }},
             {run_file::preview, [&] { static_cast<void>(folder.has(run_file::preview)); }},
             {"video.mp4", [&] { static_cast<void>(folder.video()); }},
             {run_file::status, [&] { static_cast<void>(folder.state()); }},
             {run_file::project, [&] { static_cast<void>(folder.project()); }}}) {
        fs::remove(folder.file(name));
        ASSERT_EQ(::mkfifo(folder.file(name).c_str(), 0600), 0);
        EXPECT_EQ(kindOf(read), ErrorKind::Input) << name;
    }
}

TEST(RunFolder, WorksOnTheProjectThatWasAskedAbout) {
    const testing::TemporaryFolder temporary;
    { const RunFolder made = writtenRun(temporary / "run", stateWith(RunStatus::Failed)); }
    const RunFolder working = RunFolder::openToWork(temporary / "run");
    Project other = testing::smallProject();
    other.prompt = "another prompt";
    other.image = "/home/somebody/private.png";
    writeFileAtomically(working.file(run_file::project), resolvedYaml(other));
    EXPECT_EQ(working.project().prompt, testing::smallProject().prompt);
    EXPECT_TRUE(working.project().image.empty());
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
    Project named;
    named.name = "a cat/in ñ";
    EXPECT_THAT(newRunFolder(named).string(), EndsWith("-a-cat-in-ñ"));
    Project described;
    described.prompt = "A red fox trots through fresh snow at sunrise, close shot, soft light";
    EXPECT_THAT(newRunFolder(described).string(), EndsWith("-A-red-fox-trots-through-fresh-snow-at"));
    described.prompt = std::string(300, 'x');
    EXPECT_EQ(newRunFolder(described).filename().string().size(), 56U);
    EXPECT_THAT(newRunFolder({}).string(), EndsWith("-untitled"));
    Project longNamed;
    longNamed.name = std::string(400, 'n');
    EXPECT_LE(newRunFolder(longNamed).filename().string().size(), nameBytesOnAnyDisk);
    ::unsetenv("MESHREEL_RUNS");
    ::unsetenv("XDG_DATA_HOME");
}

TEST(RunHistory, TheRunsFolderIsKept) {
    const testing::TemporaryFolder folder;
    ::unsetenv("MESHREEL_RUNS");
    ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
    std::filesystem::create_directories(folder / "elsewhere");
    setRunsFolder(folder / "elsewhere");
    EXPECT_EQ(runsFolder(), folder / "elsewhere");
    EXPECT_THROW(setRunsFolder(folder / "missing"), Error);
    setRunsFolder({});
    EXPECT_NE(runsFolder(), folder / "elsewhere");
    ::unsetenv("XDG_CONFIG_HOME");
}

TEST(RunHistory, ASummaryTellsWhatIsNotAtItsDefault) {
    const testing::TemporaryFolder folder;
    Project project;
    project.prompt = "a ball";
    project.seed = 7;
    project.guidanceScale = 4;
    EXPECT_EQ(changedSettings(Project()), std::vector<std::string>{});
    const std::vector<std::string> settings = changedSettings(project);
    EXPECT_THAT(settings, ::testing::UnorderedElementsAre("prompt=a ball", "seed=7", "guidance_scale=4.0"));
    // A run of an earlier version: its project tells.
    const RunFolder run = RunFolder::create(folder / "run");
    run.write(run_file::project, resolvedYaml(project));
    RunState state;
    state.status = RunStatus::Done;
    run.writeState(state);
    EXPECT_EQ(summarizeRun(folder / "run").state.settings, settings);
    state = run.state();
    EXPECT_TRUE(state.settings.empty());
    state.settings = {"seed=8"};
    run.writeState(state);
    EXPECT_EQ(summarizeRun(folder / "run").state.settings, state.settings);
}

class RunNotesTest : public ::testing::Test {
  protected:
    RunNotesTest() { std::filesystem::create_directories(m_folder); }
    ~RunNotesTest() override { std::filesystem::remove_all(m_folder); }

    std::filesystem::path m_folder =
        std::filesystem::temp_directory_path() / ("meshreel-notes-" + std::to_string(getpid()));
};

TEST_F(RunNotesTest, AreKept) {
    EXPECT_EQ(readRunNotes(m_folder), RunNotes());
    const RunNotes notes{.tags = {"best", "for Ann"}, .note = "the ball \"bounces\"\n2nd line"};
    writeRunNotes(m_folder, notes);
    EXPECT_EQ(readRunNotes(m_folder), notes);
    writeRunNotes(m_folder, {});
    EXPECT_TRUE(std::filesystem::is_empty(m_folder));
}

TEST_F(RunNotesTest, TellTheStarAndTheBoards) {
    const RunNotes notes{.tags = {}, .note = "", .star = true, .boards = {"spring", "harbour"}};
    writeRunNotes(m_folder, notes);
    EXPECT_EQ(readRunNotes(m_folder), notes);
    const RunNotes changed = changeRunNotes(m_folder, [](RunNotes& kept) { kept.star = false; });
    EXPECT_FALSE(changed.star);
    EXPECT_EQ(changed.boards, notes.boards);
    EXPECT_EQ(readRunNotes(m_folder), changed);
}

TEST_F(RunNotesTest, OfEarlierVersionsHaveNoStar) {
    writeFileAtomically(m_folder / "notes.json", R"({"tags": ["best"], "note": "it bounces"})");
    EXPECT_EQ(readRunNotes(m_folder), (RunNotes{.tags = {"best"}, .note = "it bounces"}));
}

TEST_F(RunNotesTest, KeysOfOtherProgramsStay) {
    writeFileAtomically(m_folder / "notes.json", R"({"tags": [], "note": "", "rating": {"stars": 4}})");
    changeRunNotes(m_folder, [](RunNotes& kept) { kept.tags = {"best"}; });
    EXPECT_EQ(nlohmann::json::parse(readFile(m_folder / "notes.json")).at("rating").at("stars"), 4);
    writeRunNotes(m_folder, {});
    EXPECT_EQ(nlohmann::json::parse(readFile(m_folder / "notes.json")).at("rating").at("stars"), 4);
    EXPECT_EQ(readRunNotes(m_folder), RunNotes());
}

TEST_F(RunNotesTest, OfAnotherProgramAloneSayNothingAndStay) {
    writeFileAtomically(m_folder / "notes.json", R"({"rating": 5})");
    EXPECT_EQ(readRunNotes(m_folder), RunNotes());
    changeRunNotes(m_folder, [](RunNotes& kept) { kept.star = true; });
    EXPECT_TRUE(readRunNotes(m_folder).star);
    EXPECT_EQ(nlohmann::json::parse(readFile(m_folder / "notes.json")).at("rating"), 5);
}

TEST_F(RunNotesTest, WhatCannotBeReadIsNotReplaced) {
    for (const char* text : {"{\"tags\": 3}", "{\"note\": []}", "{\"tags\": null}", "not JSON", "[]", "",
                             R"({"version": 99, "tags": [], "note": "as later versions mean it"})"}) {
        writeFileAtomically(m_folder / "notes.json", text);
        EXPECT_EQ(kindOf([&] { readRunNotes(m_folder); }), ErrorKind::Input) << text;
        EXPECT_EQ(kindOf([&] { writeRunNotes(m_folder, {.tags = {"best"}, .note = ""}); }), ErrorKind::Input)
            << text;
        EXPECT_EQ(readFile(m_folder / "notes.json"), text);
    }
}

TEST_F(RunNotesTest, WhatCannotBeRemovedIsToldAsOtherErrorsAre) {
    const fs::path file = m_folder / "notes.json";
    writeRunNotes(m_folder, {.tags = {}, .note = "", .star = true});
    const auto endTheStar = [&file](RunNotes& kept) {
        kept.star = false;
        // What nobody can remove as a file, whoever runs this.
        fs::remove(file);
        fs::create_directories(file / "inside");
    };
    try {
        changeRunNotes(m_folder, endTheStar);
        FAIL() << "it is still there";
    } catch (const Error& refusal) {
        EXPECT_EQ(refusal.kind(), ErrorKind::Input);
        EXPECT_THAT(refusal.where(), EndsWith("notes.json"));
        EXPECT_FALSE(refusal.hint().empty());
    }
}

TEST_F(RunNotesTest, DamagedOnesDoNotHideTheRun) {
    writtenRun(m_folder / "run", stateWith(RunStatus::Done));
    writeFileAtomically(m_folder / "run" / "notes.json", "{");
    const RunSummary run = summarizeRun(m_folder / "run");
    EXPECT_EQ(run.name, "small");
    EXPECT_EQ(run.state.status, RunStatus::Done);
    EXPECT_NE(run.problem.text().find("notes"), std::string::npos);
}

TEST(RunState, TellsTaskAndAdapters) {
    RunState state;
    EXPECT_EQ(taskOf(state), "t2v") << "no input is set";
    state.settings = {"image=start.png"};
    EXPECT_EQ(taskOf(state), "i2v") << "of an earlier version, by its inputs";
    state.settings = {"task=vace",
                      "lora=[{file: ~/loras/mist.safetensors, strength: 0.5}, {file: fog.gguf}]"};
    EXPECT_EQ(taskOf(state), "vace");
    EXPECT_EQ(adaptersOf(state), (std::vector<std::string>{"mist.safetensors", "fog.gguf"}));
    state.outline = {.model = "m", .attention = "flash", .mesh = {}, .task = "v2v"};
    EXPECT_EQ(taskOf(state), "v2v");
    EXPECT_EQ(nlohmann::json(state).get<RunState>(), state);
    state.outline->task.clear();
    EXPECT_FALSE(nlohmann::json(state).at("outline").contains("task"));
}

TEST_F(RunNotesTest, DamagedOnesAreExplained) {
    writeFileAtomically(m_folder / "notes.json", "{\"tags\": 3}");
    try {
        readRunNotes(m_folder);
        FAIL() << "damaged notes were read";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_NE(error.where().find("notes.json"), std::string::npos);
    }
}

TEST(RunTags, AreSplitAtCommas) {
    EXPECT_EQ(readTags(" demo,best one ,, demo"), (std::vector<std::string>{"demo", "best one"}));
    EXPECT_TRUE(readTags("  ").empty());
}

}  // namespace

}  // namespace meshreel

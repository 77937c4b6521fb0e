// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of projects with wildcards: what is drawn is what the run's folder says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/base/files.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_file.h"
#include "engine/project/wildcards.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_session.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class WildcardRuns : public ::testing::Test {
  protected:
    WildcardRuns() {
        setenv("XDG_DATA_HOME", (m_folder / "data").c_str(), 1);
        std::filesystem::create_directories(m_folder / "words");
        std::ofstream(m_folder / "words" / "colour.txt") << "red\nblue\n";
    }
    ~WildcardRuns() override { unsetenv("XDG_DATA_HOME"); }

    [[nodiscard]] Project project() const {
        Project project = testing::smallProject();
        project.prompt = "a __colour__ ball";
        project.wildcards = (m_folder / "words").string();
        return project;
    }

    RunFolder run(const RunRequest& request) const {
        return RunFolder::open(runProject(request, ignoreEvent, {}).folder);
    }

    [[nodiscard]] std::filesystem::path place(const std::string& name) const { return m_folder / name; }

  private:
    testing::TemporaryFolder m_folder;
};

TEST_F(WildcardRuns, TheFolderHasTheWordsThatWereDrawn) {
    const RunFolder folder = run({project(), place("run"), {.workers = 1}});
    const std::string words = withDrawnWords(project()).prompt;
    EXPECT_THAT(words, AnyOf("a red ball", "a blue ball"));
    EXPECT_EQ(folder.project().prompt, words);
    EXPECT_TRUE(folder.project().wildcards.empty());
    EXPECT_EQ(folder.state().prompt, words);
    const std::string log = readFile(folder.file(run_file::log));
    EXPECT_THAT(log, HasSubstr("a __colour__ ball"));
    EXPECT_THAT(log, HasSubstr(words));
}

TEST_F(WildcardRuns, TheProjectOfTheFolderRepeatsTheRun) {
    const RunFolder first = run({project(), place("first"), {.workers = 1}});
    std::ofstream(place("words") / "colour.txt") << "green\n";
    const RunFolder again = run({first.project(), place("again"), {.workers = 1}});
    EXPECT_EQ(readFile(first.file(run_file::latents)), readFile(again.file(run_file::latents)));
}

TEST_F(WildcardRuns, AnOpenSeedIsDrawnBeforeItsWords) {
    Project open = project();
    open.seed.reset();
    ForecastOptions options;
    options.workers = 1;
    const ProjectForecast forecast = makeForecast(open, options);
    ASSERT_NE(forecast.plan, nullptr);
    // The examination and the run draw the same words by chance: half of the time.
    for (const char* name : {"one", "two", "three", "four", "five"}) {
        const RunFolder folder = run({open, place(name), {.workers = 1}, {}, ExaminedRun{forecast.plan, {}}});
        Project drawn = open;
        drawn.seed = folder.project().seed;
        ASSERT_TRUE(drawn.seed);
        EXPECT_EQ(folder.project().prompt, withDrawnWords(drawn).prompt);
    }
}

TEST_F(WildcardRuns, AnExaminationTellsTheWordsAndPlansThem) {
    const ProjectForecast forecast = makeForecast(project());
    ASSERT_NE(forecast.plan, nullptr);
    const std::string words = withDrawnWords(project()).prompt;
    EXPECT_EQ(forecast.plan->project.prompt, words);
    ASSERT_FALSE(forecast.notes.empty());
    EXPECT_EQ(forecast.notes.back().id, ProblemId("wildcards-drawn"));
    EXPECT_EQ(forecast.notes.back().key, "prompt");
    EXPECT_EQ(forecast.notes.back().message.text(), "Seed 7 draws: " + words);
}

TEST_F(WildcardRuns, AMissingFileKeepsTheRunFromBeginning) {
    Project missing = project();
    missing.prompt = "a __zebra__";
    EXPECT_THROW(run({missing, place("run"), {.workers = 1}}), ProjectError);
    EXPECT_FALSE(std::filesystem::exists(place("run")));
    const ProjectForecast forecast = makeForecast(missing);
    EXPECT_TRUE(hasErrors(forecast.problems));
    EXPECT_TRUE(std::ranges::any_of(forecast.problems, [](const Problem& problem) {
        return problem.id == ProblemId("wildcard-missing") && problem.key == "prompt";
    }));
}

}  // namespace
}  // namespace meshreel

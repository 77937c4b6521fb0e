// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of a film before it is made: which shots are there, and what the others take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/film/film.h"
#include "engine/film/film_plan.h"
#include "engine/film/storyboard.h"
#include "engine/film/storyboard_text.h"
#include "engine/runs/run_session.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* threeShots =
    "version: 3\nwidth: 32\nheight: 32\nnum_frames: 5\nnum_inference_steps: 2\nmax_sequence_length: 32\n"
    "gpus: none\nseed: 7\nshots:\n  - prompt: a ball\n  - prompt: a star\n  - prompt: a ring\n";

class FilmStates : public ::testing::Test {
  protected:
    [[nodiscard]] FilmPlan examine(const std::string& text) const {
        return examineFilm(board(text), m_folder.path() / "film", {});
    }

    [[nodiscard]] Storyboard board(const std::string& text) const {
        return examineStoryboard(text, m_folder.path() / "story.yaml");
    }

    void make(const std::string& text) const {
        const EventSink sink = [](const RunEvent&) {};
        const ShotMaker maker{
            .make =
                [&](const PlannedShot& shot) {
                    return runProject(
                        {.project = shot.project, .outFolder = shot.folder, .options = {.workers = 1}}, sink,
                        {});
                },
            .resume =
                [&](const PlannedShot& shot) { return resumeRun(shot.folder, {.workers = 1}, sink, {}); }};
        makeFilm(planFilm(board(text), m_folder.path() / "film", {}), maker, sink);
    }

    static std::vector<ShotState> statesOf(const FilmPlan& plan) {
        std::vector<ShotState> states;
        for (const PlannedShot& shot : plan.shots)
            states.push_back(shot.state);
        return states;
    }

    testing::TemporaryFolder m_folder;
};

using enum ShotState;

TEST_F(FilmStates, AShotThatWasMadeDifferentlyIsChanged) {
    EXPECT_THAT(statesOf(examine(threeShots)), ElementsAre(Missing, Missing, Missing));
    EXPECT_FALSE(joinedFilm(examine(threeShots)));
    make(threeShots);
    const FilmPlan made = examine(threeShots);
    EXPECT_THAT(statesOf(made), ElementsAre(Made, Made, Made));
    EXPECT_EQ(made.left(), 0U);
    EXPECT_TRUE(joinedFilm(made));

    const FilmPlan changed = examine(withShotValue(threeShots, 1, "prompt", "a cross"));
    EXPECT_THAT(statesOf(changed), ElementsAre(Made, Changed, Made));
    EXPECT_EQ(changed.shots[1].former, made.shots[1].folder);
    EXPECT_FALSE(joinedFilm(changed));
    EXPECT_THAT(filmPlanText(changed), ::testing::HasSubstr("make again"));

    // Their names are those of their places, and their runs stay what they are.
    const FilmPlan moved = examine(withMovedShot(threeShots, 2, 0));
    EXPECT_THAT(statesOf(moved), ElementsAre(Made, Made, Made));
    EXPECT_FALSE(joinedFilm(moved)) << "in another order it is another film";
    const FilmPlan longer = examine(withNewShot(threeShots, 0, "a snail"));
    EXPECT_THAT(statesOf(longer), ElementsAre(Missing, Made, Made, Made))
        << "the run called shot-1 is the second shot's now";
}

TEST_F(FilmStates, OneShotThatIsWrongHidesNothingOfTheOthers) {
    make(threeShots);
    const std::string text = withShotValue(threeShots, 1, "num_frames", "6");
    const FilmPlan plan = examine(text);
    EXPECT_THAT(statesOf(plan), ElementsAre(Made, Changed, Made));
    EXPECT_TRUE(plan.shots[1].folder.empty());
    EXPECT_EQ(plan.shots[1].plan, nullptr);
    const Storyboard read = board(text);
    std::vector<Problem> problems = read.problems;
    problems.insert(problems.end(), plan.problems.begin(), plan.problems.end());
    ASSERT_FALSE(problems.empty());
    for (const Problem& problem : problems)
        EXPECT_EQ(read.shotAt(problem.place.line), 1U) << problem.text();

    const FilmPlan none = examine("attention: nothing\n" + std::string(threeShots));
    EXPECT_THAT(statesOf(none), ElementsAre(Changed, Changed, Changed)) << "what all share is wrong";
    EXPECT_THAT(none.problems, IsEmpty());
}

TEST_F(FilmStates, WhatGoesOnFromAWrongShotWaitsForIt) {
    std::string text = withShotValue(threeShots, 1, "continue", "true");
    text = withShotValue(text, 1, "continue_frames", "1");
    EXPECT_THAT(examine(text).problems, IsEmpty());
    const FilmPlan plan = examine(withShotValue(text, 0, "image", "nothing.png"));
    EXPECT_TRUE(plan.shots[1].folder.empty());
    ASSERT_FALSE(plan.problems.empty());
    for (const Problem& problem : plan.problems)
        EXPECT_EQ(board(text).shotAt(problem.place.line), 0U) << "nothing is wrong with the shot itself";
}

TEST_F(FilmStates, TheShareOfAFilmCountsWhatIsToMake) {
    FilmPlan plan = examine(threeShots);
    plan.shots[0].state = Made;
    EXPECT_EQ(plan.share(1, 0), 0);
    EXPECT_EQ(plan.share(1, 0.5), 0.25);
    EXPECT_EQ(plan.share(2, 0), 0.5);
    EXPECT_EQ(plan.share(2, 1), 1);
    plan.shots[1].time = PredictedSeconds{.seconds = 30, .low = 30, .high = 30};
    plan.shots[2].time = PredictedSeconds{.seconds = 10, .low = 10, .high = 10};
    EXPECT_EQ(plan.share(2, 0), 0.75);
}

TEST_F(FilmStates, WhatIsWrongInTheStoryboardEndsAPlanThatIsToBeMade) {
    for (const std::string& text :
         {withShotValue(threeShots, 1, "seconds", "long"), "attention: nothing\n" + std::string(threeShots)})
        EXPECT_THROW(planFilm(board(text), m_folder.path() / "film", {}), ProjectError) << text;
}

TEST_F(FilmStates, WithoutAFolderNoRunIsLookedFor) {
    make(threeShots);
    const FilmPlan plan = examineFilm(board(threeShots), {}, {});
    EXPECT_THAT(statesOf(plan), ElementsAre(Missing, Missing, Missing));
    EXPECT_FALSE(plan.shots[0].folder.empty()) << "nothing is wrong with it";
}

/// A storyboard's file, for which only its place counts.
Storyboard placedBoard(const std::filesystem::path& file) {
    std::filesystem::create_directories(file.parent_path());
    writeFileAtomically(file, threeShots);
    return {.file = file, .shots = {}};
}

TEST_F(FilmStates, StoryboardsOfOneNameHaveFilmsOfTheirOwn) {
    ::setenv("MESHREEL_RUNS", (m_folder / "runs").c_str(), 1);
    const Storyboard first = placedBoard(m_folder / "a" / "story.yaml");
    const Storyboard second = placedBoard(m_folder / "b" / "story.yaml");
    const std::filesystem::path usual = m_folder.path() / "runs" / "film-story";
    EXPECT_EQ(filmFolder(first), usual);
    EXPECT_EQ(filmFolder(second), usual) << "nobody has made one";

    std::filesystem::create_directories(usual);
    writeFileAtomically(usual / "film.json", R"({"storyboard": ")" + first.file.string() + R"("})");
    EXPECT_EQ(filmFolder(first), usual);
    const std::filesystem::path own = filmFolder(second);
    EXPECT_NE(own, usual);
    EXPECT_EQ(filmFolder(second), own) << "the same each time";

    std::filesystem::remove(first.file);
    EXPECT_EQ(filmFolder(second), usual) << "a storyboard that was moved keeps its film";
    std::filesystem::create_directories(own);
    EXPECT_EQ(filmFolder(second), own);
    ::unsetenv("MESHREEL_RUNS");
}

TEST_F(FilmStates, AFilmsFolderIsItsStoryboardsBeforeItIsMade) {
    const ShotMaker fails{.make = [](const PlannedShot&) -> RunOutcome {
                              throw Error(ErrorKind::Cancelled, sentence("stopped"));
                          },
                          .resume = {}};
    const FilmPlan plan = planFilm(board(threeShots), m_folder.path() / "film", {});
    EXPECT_THROW(makeFilm(plan, fails, [](const RunEvent&) {}), Error);
    EXPECT_THAT(readFile(m_folder.path() / "film" / "film.json"),
                ::testing::HasSubstr((m_folder.path() / "story.yaml").string()));
    EXPECT_FALSE(joinedFilm(plan));
}

TEST_F(FilmStates, AnotherRecordIsNoFilm) {
    make(threeShots);
    writeFileAtomically(m_folder.path() / "film" / "film.json", "[]");
    EXPECT_FALSE(joinedFilm(examine(threeShots)));
    writeFileAtomically(m_folder.path() / "film" / "film.json", "{");
    EXPECT_FALSE(joinedFilm(examine(threeShots)));
}

}  // namespace
}  // namespace meshreel

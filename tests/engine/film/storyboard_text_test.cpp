// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/film/storyboard_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/film/storyboard.h"
#include "engine/project/project.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* twoShots = R"(version: 3
width: 32   # narrow
# what happens
shots:
  # the beginning
  - name: dawn
    prompt: a ball   # red
    mood: calm
  - prompt: a star
    continue: dawn
height: 48
)";

std::vector<std::string> promptsOf(const std::string& text) {
    std::vector<std::string> prompts;
    for (const Shot& shot : examineStoryboard(text, "/film/story.yaml").shots)
        prompts.push_back(shot.project.prompt);
    return prompts;
}

TEST(StoryboardText, OneValueChangesAndNothingElse) {
    std::string expected = twoShots;
    expected.replace(expected.find("a ball"), 6, "a ring");
    EXPECT_EQ(withShotValue(twoShots, 0, "prompt", "a ring"), expected);
    expected.replace(expected.find("a ring   # red"), 6, "\"5\"");
    EXPECT_EQ(withShotValue(twoShots, 0, "prompt", "5"), expected) << "still a text";
}

TEST(StoryboardText, ANewValueStandsBehindTheOthers) {
    const std::string text = withShotValue(twoShots, 1, "seconds", "1.5");
    EXPECT_THAT(text, HasSubstr("    continue: dawn\n    seconds: 1.5\nheight: 48\n"));
    EXPECT_EQ(examineStoryboard(text, "/film/story.yaml").shots[1].seconds, 1.5);
    EXPECT_EQ(withShotValue(text, 1, "seconds", std::nullopt), twoShots);
}

TEST(StoryboardText, WithoutTheFirstKeyTheNextOneTakesTheDash) {
    const std::string text = withShotValue(twoShots, 0, "name", std::nullopt);
    EXPECT_THAT(text, HasSubstr("  # the beginning\n  - prompt: a ball   # red\n    mood: calm\n"));
    EXPECT_EQ(withShotValue("shots:\n- seconds: 2\n", 0, "seconds", std::nullopt),
              "shots:\n- prompt: \"\"\n");
}

TEST(StoryboardText, ALongValueBecomesALine) {
    const std::string text = withShotValue(
        "shots:\n  - prompt: >\n      a ball\n      rolls\n    seconds: 1\n", 0, "prompt", "a star");
    EXPECT_EQ(text, "shots:\n  - prompt: a star\n    seconds: 1\n");
    const std::string keyframes = withShotValue(text, 0, "keyframes", "[{frame: 8, image: \"a, b.png\"}]");
    const std::vector<Shot> shots = examineStoryboard(keyframes, "/film/story.yaml").shots;
    ASSERT_EQ(shots[0].project.keyframes.size(), 1U);
    EXPECT_EQ(shots[0].project.keyframes[0].image, "/film/a, b.png");
}

TEST(StoryboardText, ANewNameIsThatOfWhatContinuesIt) {
    const std::string text = withShotValue(twoShots, 0, "name", "morning");
    EXPECT_THAT(text, HasSubstr("continue: morning\n"));
    EXPECT_THAT(examineStoryboard(text, "/film/story.yaml").problems,
                Not(::testing::Contains(::testing::Field(&Problem::id, ProblemId("storyboard-malformed")))));
}

TEST(StoryboardText, WithoutANameItIsContinuedAsItIsCalledThen) {
    const std::string text = withShotValue(twoShots, 0, "name", std::nullopt);
    const std::vector<Shot> shots = examineStoryboard(text, "/film/story.yaml").shots;
    EXPECT_EQ(shots[0].name, "shot-1");
    EXPECT_EQ(shots[1].continues, 0U);
}

TEST(StoryboardText, OfEqualNamesOnlyTheShotsOwnFollowersFollow) {
    const std::string text =
        "shots:\n  - name: a\n    prompt: one\n  - name: a\n    prompt: two\n  - prompt: three\n    "
        "continue: a\n";
    EXPECT_EQ(examineStoryboard(withShotValue(text, 1, "name", "b"), "/film/story.yaml").shots[2].continues,
              0U);
    EXPECT_THAT(withShotValue(text, 1, "name", "b"), HasSubstr("continue: a\n"));
}

TEST(StoryboardText, ANameThatIsTakenIsRefused) {
    const std::string text = withShotValue(twoShots, 1, "name", "noon");
    EXPECT_THROW(withShotValue(text, 0, "name", "noon"), ProjectError);
    EXPECT_EQ(withShotValue(text, 0, "name", "dawn"), text);
}

TEST(StoryboardText, AQuotedKeyWithALongValueBecomesALine) {
    const std::string text = "shots:\n  - \"prompt\": |\n      a ball\n      rolls\n    seconds: 1\n";
    EXPECT_EQ(withShotValue(text, 0, "prompt", "a star"), "shots:\n  - prompt: a star\n    seconds: 1\n");
    EXPECT_EQ(withShotValue("shots:\n  - 'prompt': |\n      a ball\n", 0, "prompt", std::nullopt),
              "shots:\n  - prompt: \"\"\n");
}

TEST(StoryboardText, ACopyTakesNoFollowersAlong) {
    const std::string copied = withCopiedShot(twoShots, 0);
    EXPECT_THAT(copied, HasSubstr("    continue: dawn\n"));
    EXPECT_EQ(examineStoryboard(copied, "/film/story.yaml").shots[2].continues, 0U);
}

TEST(StoryboardText, AShotMovesWithItsComments) {
    const std::string text = withMovedShot(twoShots, 0, 1);
    EXPECT_THAT(text, HasSubstr("shots:\n  - prompt: a star\n    continue: dawn\n  # the beginning\n"
                                "  - name: dawn\n    prompt: a ball   # red\n    mood: calm\nheight: 48\n"));
    EXPECT_EQ(withMovedShot(text, 1, 0), twoShots);
    const std::string commented =
        "shots:\n  - prompt: a\n    # of a\n  - prompt: b\n    # of b\n\n# of all\n";
    EXPECT_EQ(withMovedShot(commented, 0, 1),
              "shots:\n  - prompt: b\n    # of b\n  - prompt: a\n    # of a\n\n# of all\n");
    const std::string three = "shots:\n- prompt: a\n- prompt: b\n\n- prompt: c\n";
    EXPECT_THAT(promptsOf(withMovedShot(three, 2, 0)), ElementsAre("c", "a", "b"));
    EXPECT_THAT(promptsOf(withMovedShot(three, 0, 2)), ElementsAre("b", "c", "a"));
    EXPECT_THAT(promptsOf(withMovedShot(three, 1, 2)), ElementsAre("a", "c", "b"));
}

TEST(StoryboardText, ShotsAreAddedCopiedAndRemoved) {
    EXPECT_THAT(promptsOf(withNewShot(twoShots, 2, "a snail")), ElementsAre("a ball", "a star", "a snail"));
    EXPECT_THAT(promptsOf(withNewShot(twoShots, 0, "x: y")), ElementsAre("x: y", "a ball", "a star"));
    const std::string copied = withCopiedShot(twoShots, 0);
    EXPECT_THAT(promptsOf(copied), ElementsAre("a ball", "a ball", "a star"));
    EXPECT_THAT(copied, HasSubstr("  - name: dawn-2\n"));
    EXPECT_THAT(promptsOf(withoutShot(twoShots, 0)), ElementsAre("a star"));
    EXPECT_THAT(withoutShot(twoShots, 0), Not(HasSubstr("the beginning")));
    EXPECT_THROW(withoutShot("shots:\n- prompt: a\n", 0), ProjectError);
    EXPECT_THROW(withoutShot(twoShots, 2), ProjectError);
    EXPECT_THROW(withNewShot("version: 3\nprompt: a\n", 0, {}), ProjectError);
}

TEST(StoryboardText, ShotsInBracketsAreWrittenAnew) {
    const std::string text = "version: 3\nshots: [{prompt: a, seconds: 1}, {prompt: \"b\"}]\nwidth: 32\n";
    EXPECT_EQ(withShotValue(text, 1, "prompt", "c"),
              "version: 3\nshots:\n  - prompt: a\n    seconds: 1\n  - prompt: c\nwidth: 32\n");
    EXPECT_EQ(withMovedShot("shots:\n  - {prompt: a, name: x}\n  - prompt: b\n", 1, 0),
              "shots:\n  - prompt: b\n  - prompt: a\n    name: x\n");
}

TEST(StoryboardText, WhatIsNotLegalIsWrittenAsItIs) {
    const std::string text = withShotValue(twoShots, 1, "seconds", "long: very");
    const Storyboard read = examineStoryboard(text, "/film/story.yaml");
    ASSERT_EQ(read.shots.size(), 2U);
    const auto malformed = std::ranges::find(read.problems, ProblemId("storyboard-malformed"), &Problem::id);
    ASSERT_NE(malformed, read.problems.end());
    EXPECT_EQ(read.shotAt(malformed->place.line), 1U);
    EXPECT_EQ(read.shots[1].written.at("seconds"), "long: very");
}

TEST(StoryboardText, ANewStoryboardHasTheProjectAndItsClipIsTheFirstShot) {
    Project project;
    project.prompt = "a red ball";
    project.width = 128;
    project.image = "/pictures/ball.png";
    project.audio = "/sounds/song.wav";
    project.batchSeeds = "1, 2";
    const Storyboard read = parseStoryboard(newStoryboardText(project), "/film/story.yaml");
    ASSERT_EQ(read.shots.size(), 1U);
    EXPECT_EQ(read.shots[0].project.prompt, "a red ball");
    EXPECT_EQ(read.shots[0].project.width, 128);
    EXPECT_EQ(read.shots[0].project.image, "/pictures/ball.png");
    EXPECT_TRUE(read.shots[0].written.contains("audio")) << "a sound is one clip's, as all its inputs";
    EXPECT_EQ(read.shots[0].project.batchSeeds, "");
    EXPECT_TRUE(read.shots[0].written.contains("image")) << "another shot begins with another picture";
}

TEST(StoryboardText, SharedKeysAreThoseOfAProject) {
    Project project;
    project.prompt = "not for all";
    project.width = 128;
    const std::string text = withSharedKeys(twoShots, project);
    EXPECT_THAT(text, HasSubstr("width: 128   # narrow\n"));
    EXPECT_THAT(text, HasSubstr("# what happens\nshots:\n  # the beginning\n"));
    EXPECT_THAT(text, HasSubstr("    mood: calm\n  - prompt: a star\n    continue: dawn\nheight: "));
    EXPECT_THAT(promptsOf(text), ElementsAre("a ball", "a star"));
    EXPECT_EQ(examineStoryboard(text, "/film/story.yaml").shots[0].project.height, Project().height);
}

TEST(StoryboardText, EveryLineOfAShotIsItsOwn) {
    const Storyboard read = examineStoryboard(twoShots, "/film/story.yaml");
    EXPECT_EQ(read.shotAt(2), std::nullopt);
    EXPECT_EQ(read.shotAt(6), 0U);
    EXPECT_EQ(read.shotAt(8), 0U);
    EXPECT_EQ(read.shotAt(10), 1U);
    EXPECT_EQ(read.shotAt(11), std::nullopt) << "a key behind the shots";
}

TEST(StoryboardText, AStoryboardIsKnownByItsShots) {
    EXPECT_TRUE(isStoryboard(twoShots));
    EXPECT_TRUE(isStoryboard("shots:\n  - oops: [\n"));
    EXPECT_FALSE(isStoryboard("version: 3\nprompt: shots: two\n"));
    EXPECT_FALSE(isStoryboard("screenshots: 3\n"));
    EXPECT_THAT(examineStoryboard("version: 3\n", "/film/story.yaml").shots, IsEmpty());
}

}  // namespace
}  // namespace meshreel

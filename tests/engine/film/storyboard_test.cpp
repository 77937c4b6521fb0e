// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/film/storyboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* board = R"(version: 3
width: 32
seed: 7
shots:
  - name: dawn
    prompt: a ball
  - prompt: a square
    continue: true
    continue_frames: 5
    parts:
      vae: other.safetensors
  - prompt: a star   # by itself
    seconds: 1.5
    image: star.png
height: 48
)";

std::vector<Problem> problemsIn(const std::string& text) {
    try {
        static_cast<void>(parseStoryboard(text, "/film/story.yaml"));
    } catch (const ProjectError& error) {
        return error.problems();
    }
    return {};
}

TEST(Storyboard, GivesEveryShotTheSharedKeysAndItsOwn) {
    const Storyboard read = parseStoryboard(board, "/film/story.yaml");
    ASSERT_THAT(read.shots, SizeIs(3));
    for (const Shot& shot : read.shots) {
        EXPECT_EQ(shot.project.width, 32);
        EXPECT_EQ(shot.project.height, 48) << "a key behind the shots";
    }
    const Shot& dawn = read.shots[0];
    EXPECT_EQ(dawn.name, "dawn");
    EXPECT_EQ(dawn.project.prompt, "a ball");
    EXPECT_EQ(dawn.project.seed, Seed(7));
    EXPECT_FALSE(dawn.continues);
    const Shot& square = read.shots[1];
    EXPECT_EQ(square.name, "shot-2");
    EXPECT_EQ(square.continues, 0U);
    EXPECT_EQ(square.project.seed, Seed(8)) << "the same noise again makes the same faults again";
    EXPECT_EQ(square.project.continueFrames, 5);
    EXPECT_EQ(square.project.vaeFile, "other.safetensors");
    EXPECT_EQ(square.project.continueFrom, "") << "where the shot before lies is not known yet";
    const Shot& star = read.shots[2];
    EXPECT_EQ(star.project.prompt, "a star");
    EXPECT_EQ(star.seconds, 1.5);
    EXPECT_EQ(star.project.image, "/film/star.png");
    EXPECT_EQ(star.project.seed, Seed(7));
}

TEST(Storyboard, OverridesWinOverWhatIsSharedOnly) {
    const std::vector<std::string> overrides{"seed=1", "prompt=nothing"};
    const Storyboard read = parseStoryboard(board, "/film/story.yaml", overrides);
    EXPECT_EQ(read.shots[0].project.seed, Seed(1));
    EXPECT_EQ(read.shots[0].project.prompt, "a ball");
}

std::vector<Shot> shotsOf(const std::string& text) {
    return parseStoryboard("version: 3\n" + text, "/film/story.yaml").shots;
}

TEST(Storyboard, NamesWithoutOneAreThoseThatAreFree) {
    const std::vector<Shot> shots =
        shotsOf("shots:\n  - {prompt: a, name: shot-2}\n  - prompt: b\n  - prompt: c\n");
    EXPECT_EQ(shots[1].name, "shot-3");
    EXPECT_EQ(shots[2].name, "shot-4");
}

TEST(Storyboard, AShotThatContinuesBeginsWithoutTheSharedImageUnlessItIsAnAnchorOrACharacter) {
    const std::string shots = "shots:\n  - prompt: a\n  - prompt: b\n    continue: true\n";
    const std::vector<Shot> plain = shotsOf("image: a.png\n" + shots);
    EXPECT_EQ(plain[0].project.image, "/film/a.png");
    EXPECT_EQ(plain[1].project.image, "");
    EXPECT_EQ(shotsOf("image: a.png\nlora: [{file: svi_v2_pro.safetensors}]\n" + shots)[1].project.image,
              "/film/a.png");
    EXPECT_EQ(shotsOf("image: a.png\ntask: animate\n" + shots)[1].project.image, "/film/a.png");
}

TEST(Storyboard, ListsKeepTextsThatBracketsWouldEnd) {
    const std::vector<Shot> shots =
        shotsOf("shots:\n  - prompt: a\n    keyframes:\n      - frame: 8\n        image: Anna, left.png\n");
    ASSERT_THAT(shots[0].project.keyframes, SizeIs(1));
    EXPECT_EQ(shots[0].project.keyframes[0].image, "/film/Anna, left.png");
}

TEST(Storyboard, ATextThatEndsAtACommentIsWarnedOfOnce) {
    const std::vector<Problem> warnings =
        parseStoryboard(
            "version: 3\nnegative_prompt: car #2 on\nshots:\n  - prompt: car #1 on a street\n"
            "  - prompt: b\n",
            "/film/story.yaml")
            .problems;
    ASSERT_THAT(warnings, SizeIs(2));
    for (const Problem& warning : warnings)
        EXPECT_EQ(warning.id, ProblemId("comment-behind-text"));
    EXPECT_EQ(warnings[0].place.line + warnings[1].place.line, 2 + 4);
}

TEST(Storyboard, EveryFaultIsAtItsLine) {
    const auto faultOf = [](const std::string& shots) {
        const std::vector<Problem> problems = problemsIn("version: 3\nshots:\n" + shots);
        EXPECT_THAT(problems, SizeIs(1)) << shots;
        return problems.empty() ? Problem() : problems.front();
    };
    const Problem first = faultOf("  - prompt: a\n    continue: true\n");
    EXPECT_EQ(first.id, ProblemId("storyboard-malformed"));
    EXPECT_EQ(first.place.line, 4);
    EXPECT_EQ(faultOf("  - prompt: a\n  - prompt: b\n    continue: later\n").place.line, 5);
    EXPECT_EQ(faultOf("  - prompt: a\n    name: ../x\n").id, ProblemId("storyboard-malformed"));
    EXPECT_EQ(faultOf("  - prompt: a\n    seconds: none\n").id, ProblemId("storyboard-malformed"));
    EXPECT_EQ(faultOf("  - prompt: a\n    seconds: 1\n    num_frames: 5\n").id,
              ProblemId("storyboard-malformed"));
    EXPECT_EQ(faultOf("  - prompt: a\n    wdith: 32\n").id, ProblemId("key-is-unknown"));
    EXPECT_EQ(faultOf("  - prompt: a\n    wdith: 32\n").place.line, 4);
    EXPECT_EQ(faultOf("  - prompt: a\n    blend: 2\n").place.line, 4) << "it continues none";
    EXPECT_EQ(faultOf("  - prompt: a\n  - prompt: b\n    continue: true\n    blend: some\n").place.line, 6);
    const Problem empty = faultOf("  - prompt: a\n    width:\n");
    EXPECT_EQ(empty.id, ProblemId("value-missing"));
    EXPECT_EQ(empty.place.line, 4);
    EXPECT_EQ(faultOf("  - a\n").id, ProblemId("storyboard-malformed"));
    EXPECT_EQ(problemsIn("version: 3\nprompt: a\n").front().id, ProblemId("storyboard-malformed"));
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/timed_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TimedPart timedPart(std::optional<double> begin, std::optional<double> end, PromptTimeUnit unit,
                    std::string text) {
    return {.begin = begin, .end = end, .unit = unit, .text = std::move(text)};
}

TEST(TimedPrompt, HasTheSignsOfAnyKeyboard) {
    const TimedPrompt typed = readTimedPrompt("球 [0:33%] 红 [33%:] 蓝，停！");
    ASSERT_THAT(typed.parts, SizeIs(2));
    EXPECT_EQ(readTimedPrompt("球 ［0：33％］ 红 ［33％：］ 蓝，停！"), typed) << "words stay as they are";
    EXPECT_EQ(readTimedPrompt("球 【０：３３％】 红 【３３％:】 蓝，停！"), typed);
    EXPECT_EQ(readTimedPrompt("球 [٠:٣٣٪] 红 [٣٣٪:] 蓝，停！"), typed);
    EXPECT_EQ(readTimedPrompt("【红球】向右").global, "【红球】向右");
    EXPECT_EQ(readPromptBound("３３％")->value, 33);
}

TEST(TimedPrompt, IsReadIntoWordsAndTimes) {
    EXPECT_EQ(readTimedPrompt("A street. [0:33%] a car comes [33%:66%] it stops [66%:] it waves"),
              (TimedPrompt{.global = "A street.",
                           .parts = {timedPart({}, 33, PromptTimeUnit::Percent, "a car comes"),
                                     timedPart(33, 66, PromptTimeUnit::Percent, "it stops"),
                                     timedPart(66, {}, PromptTimeUnit::Percent, "it waves")}}));
    EXPECT_EQ(readTimedPrompt("[0s:2s] rain [2s:0:04] sun [0:04:] snow [1:02.5:1:03] hail [:3s] fog"),
              (TimedPrompt{.global = "",
                           .parts = {timedPart({}, 2, PromptTimeUnit::Seconds, "rain"),
                                     timedPart(2, 4, PromptTimeUnit::Seconds, "sun"),
                                     timedPart(4, {}, PromptTimeUnit::Seconds, "snow"),
                                     timedPart(62.5, 63, PromptTimeUnit::Seconds, "hail"),
                                     timedPart({}, 3, PromptTimeUnit::Seconds, "fog")}}));
    EXPECT_EQ(
        readTimedPrompt("one [1:17] two [ 30 : 81 ] three (with [x] brackets)"),
        (TimedPrompt{.global = "one",
                     .parts = {timedPart(1, 17, PromptTimeUnit::Frames, "two"),
                               timedPart(30, 81, PromptTimeUnit::Frames, "three (with [x] brackets)")}}));
}

TEST(TimedPrompt, ANumberAloneHasTheUnitOfTheOtherBound) {
    EXPECT_EQ(readTimedPrompt("[10:33%] a").parts.front(), timedPart(10, 33, PromptTimeUnit::Percent, "a"));
    EXPECT_EQ(readTimedPrompt("[1s:2.5] a").parts.front(), timedPart(1, 2.5, PromptTimeUnit::Seconds, "a"));
}

TEST(TimedPrompt, OtherBracketsAreWords) {
    for (const char* prompt : {"", "a ball", " a  ball ", "[x] y", "[] a", "[:] a", "[33%] a", "[2s:50%] a",
                               "[0.5:2] a", "[0:02:33%] a", "[1:2:3] a", "[0:2:81] a", "[-1:3%] a", "[1:2 a",
                               "1:2] a", "[[1:2 x] a", "[5%:1:99] a", "[a:33%] b"}) {
        EXPECT_THAT(readTimedPrompt(prompt).parts, IsEmpty()) << prompt;
        EXPECT_EQ(readTimedPrompt(prompt).global, prompt);
    }
    EXPECT_THAT(readTimedPrompt("[a [1:2] b").parts, SizeIs(1));
}

TEST(TimedPrompt, IsWrittenAsItIsRead) {
    for (const char* prompt :
         {"A street. [0:33%] a car [33%:66.5%] it stops [66.5%:] it waves", "[1s:2.5s] rain [3s:] sun",
          "one [0:17] two [30:81] three", "plain words", "a [0:50%] b [50%:]", "[0%:] always"})
        EXPECT_EQ(timedPromptText(readTimedPrompt(prompt)), prompt);
}

TEST(TimedPrompt, PartsHaveTheirPlaceInTheVideo) {
    const auto spanIn81 = [](const std::string& mark) {
        return spanOf(readTimedPrompt(mark + " a").parts.front(), 81, 16);
    };
    EXPECT_EQ(spanIn81("[33%:66%]"), (PromptSpan{0.33, 0.66}));
    EXPECT_EQ(spanIn81("[2s:4s]"), (PromptSpan{0.4, 0.8}));
    EXPECT_EQ(spanIn81("[1:17]"), (PromptSpan{0, 17.0 / 80}));
    EXPECT_EQ(spanIn81("[30:81]"), (PromptSpan{29.0 / 80, 1}));
    EXPECT_EQ(spanIn81("[4s:90s]"), (PromptSpan{0.8, 1}));
    EXPECT_EQ(spanIn81("[:50%]"), (PromptSpan{0, 0.5}));
    EXPECT_EQ(spanIn81("[50%:]"), (PromptSpan{0.5, 1}));
    EXPECT_EQ(spanOf(timedPart(33, 66, PromptTimeUnit::Percent, "a"), 1, 16), (PromptSpan{0, 1}))
        << "a picture has no time";
}

TEST(TimedPrompt, BoundsOfATableAreReadByThemselves) {
    EXPECT_EQ(readPromptBound("33%")->unit, PromptTimeUnit::Percent);
    EXPECT_EQ(readPromptBound(" 0:02 ")->value, 2);
    EXPECT_EQ(readPromptBound("17")->unit, std::nullopt);
    EXPECT_EQ(readPromptBound("")->value, std::nullopt);
    for (const char* text : {"x", "1:2:3", "-3", "3%%"})
        EXPECT_EQ(readPromptBound(text), std::nullopt) << text;
}

TEST(SpokenPrompt, OfATimedPromptGrowsPartByPart) {
    Project project;
    project.prompt = "A street. [0:50%] a car [50%:] it stops";
    const SpokenPrompt spoken = spokenPrompts(project).front();
    EXPECT_THAT(spoken.beginnings,
                ElementsAre("A street.", "A street.\na car", "A street.\na car\nit stops"));
    EXPECT_THAT(spoken.texts, ElementsAre("A street.\na car\nit stops"));
    EXPECT_THAT(spoken.spans, ElementsAre(PromptSpan{0, 0.5}, PromptSpan{0.5, 1}));
    project.prompt = "[0:50%] a car [50%:] it stops";
    EXPECT_THAT(spokenPrompts(project).front().beginnings, ElementsAre("", "a car", "a car\nit stops"));
}

TEST(SpokenPrompt, OfContextWindowsIsParted) {
    Project project;
    project.prompt = "a {red|blue} car | it stops|  it waves ";
    EXPECT_THAT(spokenPrompts(project).front().texts, ElementsAre(project.prompt)) << "without windows";
    project.contextFrames = 9;
    EXPECT_THAT(spokenPrompts(project).front().texts,
                ElementsAre("a {red|blue} car", "it stops", "it waves"));
    project.numFrames = 9;
    EXPECT_THAT(spokenPrompts(project).front().texts, ElementsAre(project.prompt)) << "in one window";
}

TEST(SpokenPrompt, IsThatOfEveryVideoOfABatch) {
    Project project;
    project.batchPrompts = "a ball\n[0:50%] a car [50%:] a bus\n";
    project.batchSeeds = "1,2";
    const std::vector<SpokenPrompt> spoken = spokenPrompts(project);
    ASSERT_THAT(spoken, SizeIs(4));
    EXPECT_FALSE(spoken[1].isTimed());
    EXPECT_TRUE(spoken[2].isTimed());
}

std::vector<std::string> timeProblemsOf(const Project& project) {
    std::vector<std::string> found;
    for (const Problem& problem : timedPromptProblems(project)) {
        EXPECT_FALSE(problem.fixes.empty());
        found.push_back(std::string(problem.id.name()) + (problem.severity == Severity::Error ? "!" : "") +
                        " " + problem.key);
    }
    return found;
}

std::vector<std::string> timeProblemsOf(const std::string& prompt) {
    Project project;
    project.prompt = prompt;
    return timeProblemsOf(project);
}

TEST(TimedPromptProblems, NameThePartThatCannotBe) {
    EXPECT_THAT(timeProblemsOf("a [0:50%] b [50%:] c"), IsEmpty());
    EXPECT_THAT(timeProblemsOf("a [50%:50%] b"), IsEmpty());
    EXPECT_THAT(timeProblemsOf("a [0:50%] [50%:] c"), ElementsAre("prompt-part-empty! prompt"));
    EXPECT_THAT(timeProblemsOf("a [16:9] b"), ElementsAre("timed-part-never! prompt"));
    EXPECT_THAT(timeProblemsOf("a [100%:] b"), ElementsAre("timed-part-never! prompt"));
    EXPECT_THAT(timeProblemsOf("a [18:] b"), ElementsAre("timed-part-never! prompt"));
    EXPECT_THAT(timeProblemsOf("a [17:] b"), IsEmpty());
    EXPECT_THAT(timeProblemsOf("a [0s:2s] b"),
                ElementsAre("timed-part-beyond-end prompt"));  // of 17 frames at 16
    EXPECT_THAT(timeProblemsOf("a [0:120%] b"), ElementsAre("timed-part-beyond-end prompt"));
}

TEST(TimedPromptProblems, TellOfBracketsThatLookLikeATime) {
    for (const char* prompt : {"[0-33%] a", "[33%] a", "[2s:50%] a", "[0:02:33] a", "[1:2:3] a", "[0.5:2] a"})
        EXPECT_THAT(timeProblemsOf(prompt), ElementsAre("timed-marker-malformed prompt")) << prompt;
    for (const char* prompt : {"[x] a", "a car of [2024]", "[chorus: x2] a", "[] a"})
        EXPECT_THAT(timeProblemsOf(prompt), IsEmpty()) << prompt;
}

TEST(TimedPromptProblems, AreOfEveryPromptOfABatchOnce) {
    Project project;
    project.batchPrompts = "[0:50%] a [60%:50%] b\nplain\n";
    project.batchSeeds = "1,2";
    EXPECT_THAT(timeProblemsOf(project), ElementsAre("timed-part-never! batch_prompts"));
}

TEST(TimedPromptProblems, PartsForContextWindowsHaveNoTimes) {
    Project project;
    project.prompt = "a | [0:50%] b";
    EXPECT_THAT(timeProblemsOf(project), IsEmpty());
    project.contextFrames = 9;
    EXPECT_THAT(timeProblemsOf(project), ElementsAre("prompt-parts-and-times! prompt"));
    project.prompt = "a || b";
    EXPECT_THAT(timeProblemsOf(project), ElementsAre("prompt-part-empty! prompt"));
    project.numFrames = 9;
    EXPECT_THAT(timeProblemsOf(project), ElementsAre("prompt-parts-unused prompt"));
}

TEST(TimedPromptProblems, ASoftnessNeedsTimes) {
    Project project;
    project.prompt = "a";
    project.promptRelayEpsilon = 0.1;
    EXPECT_THAT(timeProblemsOf(project), ElementsAre("value-without-effect prompt_relay_epsilon"));
    project.prompt = "[0:50%] a [50%:] b";
    EXPECT_THAT(timeProblemsOf(project), IsEmpty());
}

TEST(TimedPromptProblems, AreAmongThoseOfTheProject) {
    Project project;
    project.prompt = "a [60%:50%] b";
    const std::vector<Problem> all = validate(project);
    EXPECT_TRUE(std::ranges::any_of(
        all, [](const Problem& problem) { return problem.id == ProblemId("timed-part-never"); }));
}

}  // namespace
}  // namespace meshreel

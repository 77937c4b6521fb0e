// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

Problem offGrid() {
    return {.id = "value-off-grid",
            .key = "height",
            .message = sentence("{} is {}", "height", 70),
            .fixes = setKey(sentence("Use {} or {}", 64, 80), "height", {"64", "80"})};
}

TEST(ProblemIds, AreShortNamesInTheOrderOfTheAlphabetEachOnce) {
    ASSERT_EQ(problemIds.front(), "unspecified");
    EXPECT_TRUE(std::is_sorted(problemIds.begin() + 1, problemIds.end()));
    EXPECT_EQ(std::adjacent_find(problemIds.begin() + 1, problemIds.end()), problemIds.end());
    for (const std::string_view name : problemIds)
        EXPECT_TRUE(std::ranges::all_of(name, [](char c) {
            return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
        })) << name;
}

TEST(ProblemIds, AreComparedByName) {
    EXPECT_EQ(ProblemId().name(), "unspecified");
    EXPECT_EQ(ProblemId("prompt-empty").name(), "prompt-empty");
    EXPECT_TRUE(ProblemId("prompt-empty") == ProblemId("prompt-empty"));
    EXPECT_FALSE(ProblemId("prompt-empty") == ProblemId("prompt-cut"));
}

TEST(Problem, StandsAtItsLineElseInItsFileElseAtItsKey) {
    Problem problem = offGrid();
    EXPECT_EQ(problem.text(), "height: height is 70. Use 64 or 80.");
    problem.place = {.file = "demo.yaml", .line = 3};
    EXPECT_EQ(problem.text(), "demo.yaml:3: height is 70. Use 64 or 80.");
    problem.place.line = 0;
    EXPECT_EQ(problem.where(), "demo.yaml");
}

TEST(Problem, TheWordsOfTheFirstFixSpeakForAll) {
    const Problem problem = offGrid();
    ASSERT_EQ(problem.fixes.size(), 2U);
    EXPECT_EQ(problem.hint().text(), "Use 64 or 80");
    EXPECT_TRUE(problem.fixes[1].words.empty());
    EXPECT_THAT(problem.fixes[0].changes, ElementsAre(KeyChange{"height", "64"}));
    EXPECT_THAT(problem.fixes[1].changes, ElementsAre(KeyChange{"height", "80"}));
    EXPECT_TRUE(byHand({}).empty());
    EXPECT_TRUE(byHand("Ask somebody").front().changes.empty());
    EXPECT_TRUE(Problem{.message = "alone"}.hint().empty());
}

TEST(Problem, OfAValueWhoseKeyIsNotKnownYetIsPutAtIt) {
    const Problem open{.id = "not-a-number", .message = "three", .fixes = setKey("Write 3", {}, {"3"})};
    const Problem placed = atKey("workers", open);
    EXPECT_EQ(placed.key, "workers");
    EXPECT_THAT(placed.fixes[0].changes, ElementsAre(KeyChange{"workers", "3"}));
    EXPECT_EQ(atKey("workers", offGrid()).fixes[0].changes[0].key, "height") << "another key's change stays";
}

TEST(Problem, TheSameFaultMayBeOfOtherValues) {
    Problem other = offGrid();
    other.message = sentence("{} is {}", "height", 72);
    EXPECT_TRUE(isSameFault(offGrid(), other));
    EXPECT_FALSE(offGrid() == other);
    EXPECT_TRUE(hasFault({other}, offGrid()));
    other.key = "width";
    EXPECT_FALSE(isSameFault(offGrid(), other));
    other = offGrid();
    other.id = "value-above-most";
    EXPECT_FALSE(isSameFault(offGrid(), other));
}

TEST(Problem, WithoutAKeyIsKnownByItsPlace) {
    const Problem third{.id = "yaml-malformed", .place = {.line = 3}};
    const Problem fourth{.id = "yaml-malformed", .place = {.line = 4}};
    EXPECT_FALSE(isSameFault(third, fourth));
    EXPECT_TRUE(isSameFault(third, third));
}

TEST(Problem, ErrorsComeFirstAndNotesLast) {
    std::vector<Problem> problems{{.severity = Severity::Note, .key = "a"},
                                  {.severity = Severity::Warning, .key = "b"},
                                  {.severity = Severity::Error, .key = "c"},
                                  {.severity = Severity::Error, .key = "d"}};
    EXPECT_TRUE(hasErrors(problems));
    putErrorsFirst(problems);
    std::string keys;
    for (const Problem& problem : problems)
        keys += problem.key;
    EXPECT_EQ(keys, "cdba");
    problems.erase(problems.begin(), problems.begin() + 2);
    EXPECT_FALSE(hasErrors(problems));
}

TEST(Problem, IsWhatAnErrorCarries) {
    const Error error(ErrorKind::Project, offGrid());
    EXPECT_EQ(error.problem(), offGrid());
    EXPECT_STREQ(error.what(), "height: height is 70. Use 64 or 80.");
    EXPECT_EQ(error.where(), "height");
    EXPECT_EQ(atPlace("--height", error.problem()).where(), "--height");

    const Error plain(ErrorKind::Input, "it ends", "a.bin", "Get it again");
    EXPECT_TRUE(plain.problem().id == ProblemId());
    EXPECT_EQ(plain.problem().place.file, "a.bin");
    EXPECT_EQ(plain.problem().hint().text(), "Get it again");
}

TEST(CurrentProblem, IsThatOfAnErrorAndTheWordsOfAnyOtherException) {
    try {
        throw Error(ErrorKind::Project, offGrid());
    } catch (...) {
        EXPECT_EQ(currentProblem(), offGrid());
    }
    try {
        throw std::runtime_error("out of luck");
    } catch (...) {
        EXPECT_EQ(currentProblem().message.text(), "out of luck");
    }
}

}  // namespace
}  // namespace meshreel

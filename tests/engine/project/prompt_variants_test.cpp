// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/prompt_variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t plentyOfVariants = 1000;

std::vector<std::string> selectVariants(const std::string& prompt) {
    return promptVariants(prompt, plentyOfVariants);
}

std::vector<std::string> idsOf(const std::string& prompt) {
    std::vector<std::string> ids;
    for (const Problem& problem : promptProblems(prompt)) {
        EXPECT_EQ(problem.severity, Severity::Warning);
        EXPECT_EQ(problem.key, "prompt");
        EXPECT_FALSE(problem.hint().empty());
        ids.emplace_back(problem.id.name());
    }
    return ids;
}

TEST(PromptVariants, TheLastChoiceChangesFastest) {
    EXPECT_THAT(selectVariants("a {red|blue} {ball|cube}"),
                ElementsAre("a red ball", "a red cube", "a blue ball", "a blue cube"));
}

TEST(PromptVariants, ChoicesMayBeEmptyOrHoldFurtherOnes) {
    EXPECT_THAT(selectVariants("a {|red }ball"), ElementsAre("a ball", "a red ball"));
    EXPECT_THAT(selectVariants("{a {red|blue} ball|a cube}"),
                ElementsAre("a red ball", "a blue ball", "a cube"));
}

TEST(PromptVariants, BracesThatOfferNothingStayAsTheyAre) {
    for (const char* prompt : {"", "a red ball", "{prompt}, in oil", "a } b | c", "a {red|blue", "{}"})
        EXPECT_THAT(selectVariants(prompt), ElementsAre(prompt));
    EXPECT_THAT(selectVariants("{style} {red|blue"), ElementsAre("{style} {red|blue"));
    EXPECT_THAT(selectVariants("{open {a|b}"), ElementsAre("{open a", "{open b"));
}

TEST(PromptVariants, AreNoMoreThanAsked) {
    std::string prompt;
    for (int choice = 0; choice < 64; ++choice)
        prompt += "{a|b}";
    const std::vector<std::string> some = promptVariants(prompt, 5);
    ASSERT_THAT(some, SizeIs(5));
    EXPECT_EQ(some.front(), std::string(64, 'a'));
    EXPECT_EQ(some.back(), std::string(61, 'a') + "baa");
}

TEST(PromptVariants, ARunWarnsOfThemAndOfTheMarkOfAStyle) {
    EXPECT_THAT(idsOf("a red ball"), IsEmpty());
    EXPECT_THAT(idsOf("a {red} ball"), IsEmpty());
    EXPECT_THAT(idsOf("a {red|blue} ball"), ElementsAre("prompt-has-variants"));
    EXPECT_THAT(idsOf("{prompt}, in oil"), ElementsAre("prompt-is-a-style"));
    EXPECT_THAT(idsOf("{prompt}, in {oil|ink}"), ElementsAre("prompt-is-a-style", "prompt-has-variants"));
}

}  // namespace
}  // namespace meshreel

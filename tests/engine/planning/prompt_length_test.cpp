// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/prompt_length.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/planning/model/model_library.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string words(int count) {
    std::string text;
    for (int word = 0; word < count; ++word)
        text += "ball ";
    return text + "sunset";
}

TEST(PromptLength, ACutPromptIsSaidWithItsNumbersAndPlace) {
    PromptLengths lengths;
    Project project;
    project.prompt = words(10);
    EXPECT_THAT(lengths.warnings(project, findModel(project.model)), IsEmpty());
    project.prompt = words(700);
    const std::vector<ProjectProblem> found = lengths.warnings(project, findModel(project.model));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().key, "prompt");
    EXPECT_EQ(found.front().severity, Severity::Warning);
    EXPECT_THAT(found.front().text(),
                AllOf(HasSubstr("of which 512 are used"), HasSubstr("cut before \"ball")));
}

TEST(PromptLength, TheNegativePromptCountsWhereGuidanceReadsIt) {
    PromptLengths lengths;
    Project project;
    project.prompt = "a ball";
    project.negativePrompt = words(700);
    const std::vector<ProjectProblem> found = lengths.warnings(project, findModel(project.model));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().key, "negative_prompt");
    project.guidanceScale = 1;
    EXPECT_THAT(lengths.warnings(project, findModel(project.model)), IsEmpty());
}

TEST(PromptLength, EachPromptOfABatchIsMeasured) {
    Project project;
    project.batchPrompts = "a ball\n" + words(700) + "\na cat";
    project.batchSeeds = "1, 2";
    const std::vector<ProjectProblem> found = PromptLengths().warnings(project, findModel(project.model));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found.front().message, HasSubstr("prompt 2 of batch_prompts has"));
}

TEST(PromptLength, AShorterLimitOffersTheTrainedOne) {
    Project project;
    project.prompt = words(100);
    project.maxSequenceLength = 64;
    const std::vector<ProjectProblem> found = PromptLengths().warnings(project, findModel(project.model));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().cures.front().front().value, "512");
}

TEST(PromptLength, WithoutATokenizerNothingIsKnown) {
    Project project;
    project.prompt = words(700);
    EXPECT_THAT(PromptLengths().warnings(project, "/nowhere"), IsEmpty());
    EXPECT_THAT(PromptLengths().warnings(project, {}), IsEmpty());
}

}  // namespace
}  // namespace meshreel

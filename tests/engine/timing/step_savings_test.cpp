// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/step_savings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshreel {
namespace {

StepRecord stepOf(int step, double seconds, StepWork work, int expert = 1) {
    return {.step = step, .seconds = seconds, .expert = expert, .work = work};
}

TEST(StepWork, EveryNameReadsBack) {
    for (const StepWork work : {StepWork::Everything, StepWork::PromptOnly, StepWork::FirstBlock,
                                StepWork::NoBlocks, StepWork::Nothing})
        EXPECT_EQ(stepWorkNamed(nameOf(work)), work);
    EXPECT_EQ(stepWorkNamed("half"), std::nullopt);
}

TEST(StepSavings, AreAgainstTheMeanFullStepButTheFirst) {
    const std::vector<StepRecord> steps{stepOf(0, 9, StepWork::Everything),
                                        stepOf(1, 4, StepWork::Everything), stepOf(2, 1, StepWork::NoBlocks),
                                        stepOf(3, 6, StepWork::Everything),
                                        stepOf(4, 2, StepWork::PromptOnly)};
    const StepSavings savings = savingsOf(steps);
    EXPECT_THAT(savings.shortened, ::testing::ElementsAre(2, 4));
    EXPECT_DOUBLE_EQ(savings.seconds, 4 + 3);
    EXPECT_EQ(formatSavings(savings, 5), "  Steps shortened: 2 of 5, about 7.0 s saved\n");
}

TEST(StepSavings, OfEachExpertByItself) {
    const std::vector<StepRecord> steps{stepOf(0, 8, StepWork::Everything), stepOf(1, 1, StepWork::Nothing),
                                        stepOf(2, 4, StepWork::Everything, 2),
                                        stepOf(3, 1, StepWork::Nothing, 2)};
    EXPECT_DOUBLE_EQ(savingsOf(steps).seconds, 7 + 3);
}

TEST(StepSavings, ColdStepsOfAnExpertOrAContinuationAreLeftOut) {
    const std::vector<StepRecord> steps{
        stepOf(0, 9, StepWork::Everything),    stepOf(1, 8, StepWork::Everything),
        stepOf(2, 4, StepWork::Everything),    stepOf(3, 1, StepWork::Nothing),
        stepOf(4, 9, StepWork::Everything, 2), stepOf(5, 3, StepWork::Everything, 2),
        stepOf(6, 1, StepWork::Nothing, 2)};
    EXPECT_DOUBLE_EQ(savingsOf(steps, std::vector{1}).seconds, 3 + 2);
}

TEST(StepSavings, NothingShortenedIsNothingSaved) {
    EXPECT_EQ(formatSavings(savingsOf(std::vector{stepOf(0, 1, StepWork::Everything)}), 1), "");
    EXPECT_EQ(savingsOf(std::vector{stepOf(1, 1, StepWork::Nothing)}).seconds, 0);
}

}  // namespace
}  // namespace meshreel

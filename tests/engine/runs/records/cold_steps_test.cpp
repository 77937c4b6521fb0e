// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/runs/records/run_record.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

std::vector<StepRecord> stepsOf(std::initializer_list<double> seconds) {
    std::vector<StepRecord> steps;
    for (const double each : seconds)
        steps.push_back({.step = static_cast<int>(steps.size()), .seconds = each});
    return steps;
}

TEST(ColdSteps, TheFirstStepIsCold) {
    EXPECT_THAT(coldSteps(stepsOf({9, 2, 2})), ElementsAre(true, false, false));
    EXPECT_DOUBLE_EQ(warmStepSeconds(stepsOf({9, 2, 4})).value(), 3);
    EXPECT_FALSE(warmStepSeconds({}));
}

TEST(ColdSteps, SoIsTheFirstOfTheOtherExpert) {
    std::vector<StepRecord> steps = stepsOf({9, 2, 8, 2});
    steps[2].expert = steps[3].expert = 2;
    EXPECT_THAT(coldSteps(steps), ElementsAre(true, false, true, false));
    EXPECT_DOUBLE_EQ(warmStepSeconds(steps).value(), 2);
}

TEST(ColdSteps, SoIsTheFirstBehindEachContinuation) {
    const std::vector<StepRecord> steps = stepsOf({9, 2, 7, 2, 6});
    EXPECT_THAT(coldSteps(steps, std::vector{2, 4}), ElementsAre(true, false, true, false, true));
    EXPECT_DOUBLE_EQ(warmStepSeconds(steps, std::vector{2, 4}).value(), 2);
    EXPECT_THAT(coldSteps(steps, std::vector{0, 5}), ElementsAre(true, false, false, false, false))
        << "before any step, and behind the last";
}

TEST(ColdSteps, ARecordThatACrashLeftOutHidesNoContinuation) {
    std::vector<StepRecord> steps = stepsOf({9, 2, 7, 2});
    steps.erase(steps.begin() + 2);
    EXPECT_THAT(coldSteps(steps, std::vector{2}), ElementsAre(true, false, true));
}

TEST(ColdSteps, WhereAllAreColdTheirMeanIsAllThatIsKnown) {
    EXPECT_DOUBLE_EQ(warmStepSeconds(stepsOf({9})).value(), 9);
    EXPECT_DOUBLE_EQ(warmStepSeconds(stepsOf({9, 5}), std::vector{1}).value(), 7);
}

StepRecord stepOf(int step, double seconds, StepWork work, int expert = 1) {
    return {.step = step, .seconds = seconds, .expert = expert, .work = work};
}

TEST(StepWork, EveryNameReadsBack) {
    for (const StepWork work : {StepWork::Everything, StepWork::PromptOnly, StepWork::FirstBlock,
                                StepWork::NoBlocks, StepWork::Nothing})
        EXPECT_EQ(enumNamed<StepWork>(enumName(work)), work);
    EXPECT_EQ(enumNamed<StepWork>("half"), std::nullopt);
}

TEST(StepSavings, AreAgainstTheMeanFullStepButTheFirst) {
    const std::vector<StepRecord> steps{stepOf(0, 9, StepWork::Everything),
                                        stepOf(1, 4, StepWork::Everything), stepOf(2, 1, StepWork::NoBlocks),
                                        stepOf(3, 6, StepWork::Everything),
                                        stepOf(4, 2, StepWork::PromptOnly)};
    const StepSavings savings = computeSavings(steps);
    EXPECT_THAT(savings.shortened, ::testing::ElementsAre(2, 4));
    EXPECT_DOUBLE_EQ(savings.seconds, 4 + 3);
    EXPECT_EQ(formatSavings(savings, 5), "  Steps shortened: 2 of 5, about 7.0 s saved\n");
}

TEST(StepSavings, OfEachExpertByItself) {
    const std::vector<StepRecord> steps{stepOf(0, 8, StepWork::Everything), stepOf(1, 1, StepWork::Nothing),
                                        stepOf(2, 4, StepWork::Everything, 2),
                                        stepOf(3, 1, StepWork::Nothing, 2)};
    EXPECT_DOUBLE_EQ(computeSavings(steps).seconds, 7 + 3);
}

TEST(StepSavings, ColdStepsOfAnExpertOrAContinuationAreLeftOut) {
    const std::vector<StepRecord> steps{
        stepOf(0, 9, StepWork::Everything),    stepOf(1, 8, StepWork::Everything),
        stepOf(2, 4, StepWork::Everything),    stepOf(3, 1, StepWork::Nothing),
        stepOf(4, 9, StepWork::Everything, 2), stepOf(5, 3, StepWork::Everything, 2),
        stepOf(6, 1, StepWork::Nothing, 2)};
    EXPECT_DOUBLE_EQ(computeSavings(steps, std::vector{1}).seconds, 3 + 2);
}

TEST(StepSavings, NothingShortenedIsNothingSaved) {
    EXPECT_EQ(formatSavings(computeSavings(std::vector{stepOf(0, 1, StepWork::Everything)}), 1), "");
    EXPECT_EQ(computeSavings(std::vector{stepOf(1, 1, StepWork::Nothing)}).seconds, 0);
}

}  // namespace

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/cold_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/generation_phases.h"

#include <gtest/gtest.h>

#include <chrono>

namespace meshreel {
namespace {

TEST(ProgressMeter, TellsNoTimeBeforeAStepWasMeasured) {
    ProgressMeter meter(10, 0);
    meter.setDecodeEstimate(5);
    const Progress progress = meter.at(Phase::Denoise);
    EXPECT_FALSE(progress.secondsLeft.has_value());
    EXPECT_EQ(progress.fraction, 0);
    EXPECT_EQ(progress.steps, 10);
}

TEST(ProgressMeter, TimeLeftIsTheMeanStepTimesTheStepsLeftAndTheDecoder) {
    ProgressMeter meter(10, 2);
    meter.setDecodeEstimate(5);
    meter.stepFinished(1);
    meter.stepFinished(3);
    const Progress progress = meter.at(Phase::Denoise);
    EXPECT_EQ(progress.stepsDone, 4);
    EXPECT_DOUBLE_EQ(progress.secondsLeft.value(), 6 * 2.0 + 5);
}

TEST(ProgressMeter, DecodingIsCorrectedByWhatItHasTaken) {
    using namespace std::chrono_literals;
    ProgressMeter meter(1, 0);
    meter.setDecodeEstimate(8);
    meter.stepFinished(1);
    const auto start = ProgressMeter::Clock::now();
    EXPECT_DOUBLE_EQ(meter.at(Phase::Decode, start).secondsLeft.value(), 8);
    meter.decoded(0.1);  // 100 seconds in all by the first chunk, which is half believed
    EXPECT_DOUBLE_EQ(meter.at(Phase::Decode, start + 10s).secondsLeft.value(), 0.9 * 54);
    meter.decoded(0.5);
    EXPECT_DOUBLE_EQ(meter.at(Phase::Decode, start + 20s).secondsLeft.value(), 20);
    EXPECT_EQ(meter.finished().fraction, 1);
}

TEST(ProgressMeter, NothingIsSaidOfTheFilesThatAreStillWritten) {
    ProgressMeter meter(1, 0);
    meter.stepFinished(1);
    EXPECT_FALSE(meter.finished().secondsLeft);
}

TEST(ProgressMeter, AFinishedLoopHasAnEstimateAtOnce) {
    ProgressMeter meter(4, 4);
    meter.setDecodeEstimate(3);
    EXPECT_DOUBLE_EQ(meter.at(Phase::Conditioning).secondsLeft.value(), 3);
}

TEST(ProgressMeter, TheFractionGoesWithTheSteps) {
    ProgressMeter meter(24, 12);  // of a run that was stopped
    meter.stepFinished(2);
    EXPECT_DOUBLE_EQ(meter.at(Phase::Denoise).fraction, 13.0 / 24);
    ProgressMeter decodes(3, 0);
    decodes.setDecodeEstimate(1);
    decodes.stepFinished(1);
    EXPECT_DOUBLE_EQ(decodes.at(Phase::Denoise).fraction, 0.25);
    decodes.stepFinished(1);
    decodes.stepFinished(1);
    const auto start = ProgressMeter::Clock::now();
    EXPECT_DOUBLE_EQ(decodes.at(Phase::Decode, start).fraction, 0.75);
}

TEST(ProgressMeter, TheFractionNeverFalls) {
    ProgressMeter meter(3, 0);
    meter.stepFinished(1e-9);
    const double before = meter.at(Phase::Denoise).fraction;
    meter.stepFinished(1000);
    EXPECT_GE(meter.at(Phase::Denoise).fraction, before);
}

}  // namespace
}  // namespace meshreel

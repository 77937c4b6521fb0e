// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/generation_phases.h"

#include <gtest/gtest.h>

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

TEST(ProgressMeter, DecodingCountsDown) {
    ProgressMeter meter(1, 0);
    meter.setDecodeEstimate(8);
    meter.stepFinished(1);
    EXPECT_DOUBLE_EQ(meter.at(Phase::Decode).secondsLeft.value(), 8);
    meter.decoded(0.75);
    EXPECT_DOUBLE_EQ(meter.at(Phase::Decode).secondsLeft.value(), 2);
    EXPECT_EQ(meter.finished().fraction, 1);
    EXPECT_EQ(meter.finished().secondsLeft.value(), 0);
}

TEST(ProgressMeter, AFinishedLoopHasAnEstimateAtOnce) {
    ProgressMeter meter(4, 4);
    meter.setDecodeEstimate(3);
    EXPECT_DOUBLE_EQ(meter.at(Phase::Conditioning).secondsLeft.value(), 3);
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

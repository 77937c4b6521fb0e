// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/clip_length.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace meshreel {
namespace {

constexpr std::int64_t leastFrames = 1;
constexpr std::int64_t mostFrames = 4001;

TEST(ClipLength, TakesTheNearestLegalNumberOfFrames) {
    EXPECT_EQ(framesOfSeconds(1, 16), 17);     // 16 frames: 17 is nearer than 13
    EXPECT_EQ(framesOfSeconds(5, 16), 81);     // 80
    EXPECT_EQ(framesOfSeconds(2, 16), 33);     // 32
    EXPECT_EQ(framesOfSeconds(5, 24), 121);    // 120
    EXPECT_EQ(framesOfSeconds(0.94, 16), 17);  // 15.04 is past the middle of 13 and 17
    EXPECT_EQ(framesOfSeconds(0.93, 16), 13);  // 14.88 is before it
}

TEST(ClipLength, TakesTheLargerOfTwoThatAreEquallyNear) {
    EXPECT_EQ(framesOfSeconds(15.0 / 16, 16), 17);
}

TEST(ClipLength, GivesBackEveryLegalLength) {
    for (const double fps : {8.0, 16.0, 24.0, 29.97})
        for (std::int64_t frames = leastFrames; frames <= mostFrames; frames += 4)
            ASSERT_EQ(framesOfSeconds(static_cast<double>(frames) / fps, fps), frames) << fps;
}

TEST(ClipLength, StaysWithinTheLimits) {
    EXPECT_EQ(framesOfSeconds(0, 16), leastFrames);
    EXPECT_EQ(framesOfSeconds(-3, 16), leastFrames);
    EXPECT_EQ(framesOfSeconds(1e9, 16), mostFrames);
    EXPECT_EQ(framesOfSeconds(std::numeric_limits<double>::infinity(), 16), mostFrames);
}

TEST(ClipLength, TakesWhatIsNoLengthForTheLeast) {
    EXPECT_EQ(framesOfSeconds(5, 0), leastFrames);
    EXPECT_EQ(framesOfSeconds(std::nan(""), 16), leastFrames);
    EXPECT_EQ(framesOfSeconds(5, std::nan("")), leastFrames);
}

TEST(ClipLength, SaysHowMuchTheNextOneIsLonger) {
    EXPECT_DOUBLE_EQ(secondsOfFrameStep(16), 0.25);
    EXPECT_EQ(secondsOfFrameStep(0), 0);
}

}  // namespace
}  // namespace meshreel

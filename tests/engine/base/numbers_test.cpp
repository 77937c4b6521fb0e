// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/numbers.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

TEST(Median, IsTheMiddleValueOrTheMeanOfTheMiddleTwo) {
    EXPECT_DOUBLE_EQ(computeMedian({5}), 5);
    EXPECT_DOUBLE_EQ(computeMedian({9, 1, 4}), 4);
    EXPECT_DOUBLE_EQ(computeMedian({9, 1, 4, 2}), 3);
}

}  // namespace
}  // namespace meshreel

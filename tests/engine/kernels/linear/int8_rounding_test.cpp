// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/int8_rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

TEST(Int8Rounding, GivesTheLargestMagnitude127AndRoundsTiesToEven) {
    constexpr std::array row{0.5F, 1.5F, -2.5F, 127.0F, -126.6F, 0.0F};
    std::array<std::int8_t, row.size()> values{};
    EXPECT_EQ(roundToInt8(row, values), 1.0F);
    EXPECT_THAT(values, ::testing::ElementsAre(0, 2, -2, 127, -127, 0));
}

TEST(Int8Rounding, HoldsZerosSubnormalsAndWhatIsNotANumber) {
    std::array<std::int8_t, 2> values{1, 1};
    EXPECT_EQ(roundToInt8(std::array{0.0F, -0.0F}, values), 0.0F);
    EXPECT_THAT(values, ::testing::Each(0));
    EXPECT_EQ(roundToInt8(std::array{1e-44F, 0.0F}, values), 0.0F);
    EXPECT_THAT(values, ::testing::Each(0));
    EXPECT_TRUE(std::isnan(roundToInt8(std::array{std::numeric_limits<float>::infinity(), 1.0F}, values)));
    EXPECT_TRUE(std::isnan(roundToInt8(std::array{std::numeric_limits<float>::quiet_NaN(), 1.0F}, values)));
}

TEST(Int8Rounding, IsOffByHalfAStepAtMost) {
    const Tensor weight = testing::randomTensor({40, 300}, 5);
    const Int8Weight rounded = roundToInt8(weight);
    float largestScale = 0.0F;
    for (const float scale : rounded.scales.data<float>())
        largestScale = std::max(largestScale, scale);
    const RoundingError error = roundingError(weight, rounded);
    EXPECT_LE(error.maximum, 0.5001 * static_cast<double>(largestScale));
    EXPECT_GT(error.mean, 0.0);
    EXPECT_LT(error.mean, error.maximum);
    EXPECT_LT(error.relative, 4.5 / (127.0 * std::sqrt(12.0)));
}

}  // namespace
}  // namespace meshreel

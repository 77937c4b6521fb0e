// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/exponential2.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace meshreel {
namespace {

constexpr double allowedError = 3e-7;

template <typename Real>
class Exponential2Test : public ::testing::Test {};

using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Exponential2Test, Reals);

TYPED_TEST(Exponential2Test, IsWithinItsErrorWhereTheResultIsNormal) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<TypeParam> exponents(TypeParam{-126}, TypeParam{127.5});
    for (int i = 0; i < 200000; ++i) {
        const TypeParam x = exponents(generator);
        const double expected = std::exp2(static_cast<double>(x));
        ASSERT_NEAR(static_cast<double>(exponential2(x, 0.0F)) / expected, 1.0, allowedError) << x;
    }
}

TYPED_TEST(Exponential2Test, AnIntegerShiftCostsNoDigits) {
    std::mt19937 generator(2);
    std::uniform_real_distribution<TypeParam> below(TypeParam{-20}, TypeParam{0});
    for (const float shift : {-5000.0F, -125.0F, 88.0F, 4000.0F})
        for (int i = 0; i < 20000; ++i) {
            const TypeParam x = static_cast<TypeParam>(shift) + below(generator);
            const double expected = std::exp2(static_cast<double>(x) - static_cast<double>(shift));
            ASSERT_NEAR(static_cast<double>(exponential2(x, shift)) / expected, 1.0, allowedError) << x;
        }
}

TYPED_TEST(Exponential2Test, WholePowersAreExact) {
    for (int power = -126; power <= 127; ++power)
        ASSERT_EQ(exponential2(static_cast<TypeParam>(power), 0.0F), std::ldexp(1.0F, power));
}

TYPED_TEST(Exponential2Test, HasTheLimitsOfTheRange) {
    constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
    EXPECT_EQ(exponential2(-infinity, 0.0F), 0.0F);
    EXPECT_EQ(exponential2(-infinity, -30.0F), 0.0F);
    EXPECT_EQ(exponential2(TypeParam{-1000}, 0.0F), 0.0F);
    EXPECT_EQ(exponential2(TypeParam{-127}, 0.0F), 0.0F);
    EXPECT_EQ(exponential2(TypeParam{128}, 0.0F), std::numeric_limits<float>::infinity());
    EXPECT_EQ(exponential2(TypeParam{100}, -100.0F), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(exponential2(std::numeric_limits<TypeParam>::quiet_NaN(), 3.0F)));
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/number_types.h"

namespace meshreel {
namespace {

TEST(NumberTypes, EveryHalfSurvivesTheRoundTrip) {
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        const Half half{static_cast<std::uint16_t>(bits)};
        const float value = toFloat(half);
        if (std::isnan(value))
            continue;
        ASSERT_EQ(toHalf(value).bits, half.bits) << bits;
    }
}

TEST(NumberTypes, EveryBFloat16SurvivesTheRoundTrip) {
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        const BFloat16 value{static_cast<std::uint16_t>(bits)};
        if (std::isnan(toFloat(value)))
            ASSERT_TRUE(std::isnan(toFloat(toBFloat16(toFloat(value)))));
        else
            ASSERT_EQ(toBFloat16(toFloat(value)).bits, value.bits) << bits;
    }
}

TEST(NumberTypes, BFloat16RoundsHalfToEven) {
    const float ulp = std::ldexp(1.0F, -7);  // of bf16 in [1, 2)
    EXPECT_EQ(toFloat(toBFloat16(1.0F + ulp / 2)), 1.0F);
    EXPECT_EQ(toFloat(toBFloat16(1.0F + ulp * 1.5F)), 1.0F + 2 * ulp);
    EXPECT_EQ(toFloat(toBFloat16(std::nextafter(1.0F + ulp / 2, 2.0F))), 1.0F + ulp);
    EXPECT_TRUE(std::isinf(toFloat(toBFloat16(std::numeric_limits<float>::max()))));
}

TEST(NumberTypes, ManyFloatsRoundToBFloat16AsOne) {
    std::vector<float> values;
    for (std::uint64_t bits = 0; bits < 0x1'0000'0000U; bits += 0x3331U)
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    std::vector<BFloat16> rounded(values.size());
    convert(values, rounded);
    for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(rounded[i].bits, toBFloat16(values[i]).bits) << values[i];
}

TEST(NumberTypes, HalfSubnormals) {
    EXPECT_EQ(toFloat(Half{1}), std::ldexp(1.0F, -24));
    EXPECT_EQ(toHalf(std::ldexp(1.0F, -26)).bits, 0);
}

constexpr unsigned values = 256;

TEST(Float8, KnownValues) {
    EXPECT_EQ(toFloat(Float8E4M3{0x7E}), 448.0F);
    EXPECT_EQ(toFloat(Float8E4M3{0x38}), 1.0F);
    EXPECT_EQ(toFloat(Float8E4M3{0x01}), std::ldexp(1.0F, -9));
    EXPECT_EQ(toFloat(Float8E4M3{0xB8}), -1.0F);
    EXPECT_TRUE(std::isnan(toFloat(Float8E4M3{0x7F})));
    EXPECT_TRUE(std::isnan(toFloat(Float8E4M3{0xFF})));
    EXPECT_EQ(toFloat(Float8E5M2{0x7B}), 57344.0F);
    EXPECT_EQ(toFloat(Float8E5M2{0x3C}), 1.0F);
    EXPECT_EQ(toFloat(Float8E5M2{0x01}), std::ldexp(1.0F, -16));
    EXPECT_EQ(toFloat(Float8E5M2{0xFC}), -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(toFloat(Float8E5M2{0x7D})));
}

template <typename Float8>
void expectRoundTrips(Float8 (*narrow)(float)) {
    for (unsigned bits = 0; bits < values; ++bits) {
        const float value = toFloat(Float8{static_cast<std::uint8_t>(bits)});
        if (std::isnan(value))
            EXPECT_TRUE(std::isnan(toFloat(narrow(value)))) << bits;
        else
            EXPECT_EQ(narrow(value).bits, bits);
    }
}

/// Between two neighbours the nearer one is taken, and half-way the one whose last bit is 0.
template <typename Float8>
void expectRoundsToNearest(Float8 (*narrow)(float), unsigned largest) {
    for (unsigned bits = 0; bits < largest; ++bits) {
        const float low = toFloat(Float8{static_cast<std::uint8_t>(bits)});
        const float high = toFloat(Float8{static_cast<std::uint8_t>(bits + 1)});
        const float middle = (low + high) / 2;
        EXPECT_EQ(narrow(middle).bits, bits % 2 == 0 ? bits : bits + 1) << bits;
        EXPECT_EQ(narrow(std::nextafter(middle, low)).bits, bits) << bits;
        EXPECT_EQ(narrow(std::nextafter(middle, high)).bits, bits + 1) << bits;
        EXPECT_EQ(narrow(-std::nextafter(middle, high)).bits, bits + 1 + 0x80) << bits;
    }
}

TEST(Float8, EveryValueSurvivesTheRoundTrip) {
    expectRoundTrips<Float8E4M3>(toFloat8E4M3);
    expectRoundTrips<Float8E5M2>(toFloat8E5M2);
}

TEST(Float8, RoundsToNearestEven) {
    expectRoundsToNearest<Float8E4M3>(toFloat8E4M3, 0x7E);
    expectRoundsToNearest<Float8E5M2>(toFloat8E5M2, 0x7B);
}

TEST(Float8, WhatIsTooLarge) {
    EXPECT_EQ(toFloat8E4M3(1e9F).bits, 0x7E);
    EXPECT_EQ(toFloat8E4M3(-std::numeric_limits<float>::infinity()).bits, 0xFE);
    EXPECT_EQ(toFloat8E5M2(1e9F).bits, 0x7C);
}

}  // namespace

}  // namespace meshreel

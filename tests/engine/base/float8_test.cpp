// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/float8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace meshreel {
namespace {

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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/number_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

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

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace meshreel {

/// e^x in f32, within 1 ulp where the result is normal, 0 below the subnormals, infinity above the range, NaN
/// for NaN. Branch-free, so that loops over it vectorise. Cody-Waite reduction x = n·ln2 + r, |r| <= ln2/2,
/// then a polynomial of degree 7 in r (Taylor's coefficients; the truncation error is below 2^-27 there).
inline float exponential(float x) {
    constexpr float log2e = 1.44269504F;
    constexpr float ln2High = 0.693359375F;    // 9 bits: n·ln2High is exact
    constexpr float ln2Low = -2.12194440e-4F;  // ln2 - ln2High
    constexpr float roundToInteger =
        12582912.0F;                        // 1.5·2^23: adding it leaves the nearest integer in the low bits
    constexpr float largest = 88.7228394F;  // ln(FLT_MAX)
    constexpr float smallest = -87.33654F;  // ln(FLT_MIN)

    const float bounded = x > largest ? largest : (x < smallest ? smallest : x);
    const float shifted = std::fma(bounded, log2e, roundToInteger);
    const float n = shifted - roundToInteger;
    const float r = std::fma(-n, ln2Low, std::fma(-n, ln2High, bounded));
    float p = 1.0F / 5040.0F;
    p = std::fma(p, r, 1.0F / 720.0F);
    p = std::fma(p, r, 1.0F / 120.0F);
    p = std::fma(p, r, 1.0F / 24.0F);
    p = std::fma(p, r, 1.0F / 6.0F);
    p = std::fma(p, r, 0.5F);
    p = std::fma(p, r, 1.0F);
    p = std::fma(p, r, 1.0F);
    // 2^n by its exponent bits, in two factors because n reaches 128.
    const auto steps = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(shifted) -
                                                 std::bit_cast<std::uint32_t>(roundToInteger));
    const std::int32_t half = steps >> 1;
    const auto powerOfTwo = [](std::int32_t exponent) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
    };
    const float result = p * powerOfTwo(half) * powerOfTwo(steps - half);
    const float overflowed = x > largest ? std::numeric_limits<float>::infinity() : result;
    return x < smallest ? 0.0F : overflowed;
}

}  // namespace meshreel

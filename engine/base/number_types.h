// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace meshreel {

/// IEEE 754 binary16, stored as its bits.
struct Half {
    std::uint16_t bits = 0;
};

/// The upper half of an IEEE 754 binary32, stored as its bits.
struct BFloat16 {
    std::uint16_t bits = 0;
};

inline float toFloat(BFloat16 value) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

/// Exact, subnormals, infinities and NaN included.
float toFloat(Half value);

/// Rounds to nearest, ties to even; NaN stays a quiet NaN. Branch-free, so that loops over it vectorise.
inline BFloat16 toBFloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
    const std::uint32_t quiet = bits | 0x400000U;
    return {static_cast<std::uint16_t>(((bits & 0x7fffffffU) > 0x7f800000U ? quiet : rounded) >> 16)};
}

/// Rounds to nearest, ties to even; overflow gives infinity.
Half toHalf(float value);

/// Element-wise conversion; both spans have the same length.
void convert(std::span<const BFloat16> from, std::span<float> to);
void convert(std::span<const Half> from, std::span<float> to);
void convert(std::span<const float> from, std::span<BFloat16> to);

/// OCP FP8 E4M3FN: bias 7, no infinity, 0x7F and 0xFF are NaN, at most 448; stored as its bits.
struct Float8E4M3 {
    std::uint8_t bits = 0;
};

/// OCP FP8 E5M2: the upper byte of an IEEE 754 binary16.
struct Float8E5M2 {
    std::uint8_t bits = 0;
};

/// Exact.
float toFloat(Float8E4M3 value);
float toFloat(Float8E5M2 value);

/// Rounds to nearest, ties to even. Overflow gives the largest finite number in E4M3 and infinity in E5M2;
/// NaN stays NaN.
Float8E4M3 toFloat8E4M3(float value);
Float8E5M2 toFloat8E5M2(float value);

/// Element-wise conversion; both spans have the same length.
void convert(std::span<const Float8E4M3> from, std::span<float> to);
void convert(std::span<const Float8E5M2> from, std::span<float> to);

}  // namespace meshreel

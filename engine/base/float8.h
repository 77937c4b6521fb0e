// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

namespace meshreel {

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

/// Round to nearest, ties to even. What is too large becomes the largest finite number in E4M3 and infinity
/// in E5M2; NaN stays NaN.
Float8E4M3 toFloat8E4M3(float value);
Float8E5M2 toFloat8E5M2(float value);

/// Element-wise conversion; both spans have the same length.
void convert(std::span<const Float8E4M3> from, std::span<float> to);
void convert(std::span<const Float8E5M2> from, std::span<float> to);

}  // namespace meshreel

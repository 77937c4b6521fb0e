// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel {

/// A tile: 16 rows of 64 bytes, so 16 × 16 f32 or 16 × 32 bf16.
inline constexpr std::int64_t tileRows = 16;
inline constexpr std::int64_t tileRowBytes = 64;
inline constexpr std::int64_t tileBf16 = 512;  ///< elements of a bf16 tile

/// Rows, columns and what is summed over are worked on two tiles, or one of 32 elements, at a time.
inline constexpr std::int64_t tileStep = 32;

constexpr std::int64_t tileSteps(std::int64_t count) {
    return (count + tileStep - 1) / tileStep;
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace meshreel {

/// Converts a count to a factor of estimates; exact up to 2^53.
constexpr double real(std::int64_t count) {
    return static_cast<double>(count);
}

inline constexpr double gibibyte = 1 << 30;

/// Requires value ≥ 0 and divisor ≥ 1.
constexpr std::int64_t ceilDivide(std::int64_t value, std::int64_t divisor) {
    return (value + divisor - 1) / divisor;
}

/// Returns the next multiple.
constexpr std::int64_t roundUp(std::int64_t value, std::int64_t multiple) {
    return ceilDivide(value, multiple) * multiple;
}

/// Returns the mean of the middle two of an even number of values. There is one at least.
double computeMedian(std::vector<double> values);

}  // namespace meshreel

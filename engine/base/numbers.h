// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace meshreel {

/// A count as a factor of estimates; exact up to 2^53.
constexpr double real(std::int64_t count) {
    return static_cast<double>(count);
}

inline constexpr double gibibyte = 1 << 30;

/// The mean of the middle two of an even number of values. There is one at least.
double medianOf(std::vector<double> values);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel {

/// For values from 0 and divisors from 1.
constexpr std::int64_t ceilDivide(std::int64_t value, std::int64_t divisor) {
    return (value + divisor - 1) / divisor;
}

/// The next multiple.
constexpr std::int64_t roundUp(std::int64_t value, std::int64_t multiple) {
    return ceilDivide(value, multiple) * multiple;
}

}  // namespace meshreel

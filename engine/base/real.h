// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel {

/// A count as a factor of estimates; exact up to 2^53.
constexpr double real(std::int64_t count) {
    return static_cast<double>(count);
}

}  // namespace meshreel

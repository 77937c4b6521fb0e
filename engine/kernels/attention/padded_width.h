// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/tensor/dtype.h"

namespace meshreel {

/// How many elements apart rows of `width` should begin, so that the rows of a tile do not all fall into one
/// set of the first-level cache. Sets repeat every 4096 bytes: with rows a multiple of that apart, the 16
/// rows of a tile compete for 8 to 12 ways. Such rows are lengthened by a cache line.
inline std::int64_t paddedWidth(std::int64_t width, std::int64_t elementBytes) {
    constexpr std::int64_t setPeriod = 4096;
    constexpr std::int64_t cacheLine = 64;
    return width > 0 && width * elementBytes % setPeriod == 0 ? width + cacheLine / elementBytes : width;
}

inline std::int64_t paddedWidth(std::int64_t width, DType type) {
    return paddedWidth(width, static_cast<std::int64_t>(sizeOf(type)));
}

}  // namespace meshreel

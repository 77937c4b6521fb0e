// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/kernels/tiles/tile_shape.h"

namespace meshreel {

struct WordTranspose {
    /// 16 rows of 16 words of 32 bits become 16 rows of the same word of each, side by side: what a tile unit
    /// multiplies with from the right.
    template <typename T>
    static void transposeWords(const std::array<const T*, tileRows>& from, T* to) {
        constexpr std::size_t wordBytes = 4;
        auto* bytes = reinterpret_cast<std::byte*>(to);
        for (std::size_t row = 0; row < tileRows; ++row)
            for (std::size_t word = 0; word < tileRows; ++word)
                std::memcpy(bytes + word * tileRowBytes + row * wordBytes,
                            reinterpret_cast<const std::byte*>(from[row]) + word * wordBytes, wordBytes);
    }
};

}  // namespace meshreel

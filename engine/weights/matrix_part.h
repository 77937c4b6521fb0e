// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel {

/// Rows and columns of a matrix: what one device of a tensor axis has of it, or a tile of that.
struct MatrixPart {
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
    std::int64_t firstColumn = 0;
    std::int64_t columns = 0;

    /// Rows [first, first + count) of this part.
    [[nodiscard]] MatrixPart slice(std::int64_t first, std::int64_t count) const {
        return {.firstRow = firstRow + first, .rows = count, .firstColumn = firstColumn, .columns = columns};
    }
};

}  // namespace meshreel

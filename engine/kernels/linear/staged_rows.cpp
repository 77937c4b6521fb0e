// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/staged_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace meshreel {

MatrixSpan StagedRows::take(std::int64_t rows, std::int64_t width, DType type) {
    const std::int64_t bytes = rows * width * static_cast<std::int64_t>(sizeOf(type));
    return {m_memory.take<std::byte>(bytes), type, {.rows = rows, .width = width, .stride = width}};
}

MatrixView StagedRows::fill(const MatrixView& x, std::int64_t rows, std::int64_t width, DType type) {
    const MatrixSpan staged = take(rows, width, type);
    const auto rowBytes = static_cast<std::size_t>(width) * sizeOf(type);
    const bool padded = width != x.width();
    for (std::int64_t row = 0; row < rows; ++row) {
        if (padded || row >= x.rows())
            std::memset(static_cast<std::byte*>(staged.data()) + static_cast<std::size_t>(row) * rowBytes, 0,
                        rowBytes);
        if (row < x.rows())
            copyRow(x, row, staged);
    }
    return staged;
}

void copyRow(const MatrixView& from, std::int64_t index, const MatrixSpan& to) {
    const auto width = static_cast<std::size_t>(from.width());
    if (from.dtype() == DType::F32)
        to.columns(0, from.width()).writeRow(index, from.row<float>(index));
    else if (to.dtype() == DType::F32)
        from.readRow(index, to.row<float>(index).first(width));
    else
        std::ranges::copy(from.row<BFloat16>(index), to.row<BFloat16>(index).begin());
}

}  // namespace meshreel

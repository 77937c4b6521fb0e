// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/gpu/gpu.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Memory of a GPU as a matrix of f32 or bf16: what MatrixView is to the CPU's.
struct GpuMatrix {
    GpuAddress address = 0;
    DType type = DType::F32;
    MatrixLayout layout = {};

    [[nodiscard]] bool isNarrow() const { return type == DType::BF16; }
    /// Returns rows [first, first + count).
    [[nodiscard]] GpuMatrix slice(std::int64_t first, std::int64_t count) const;
    /// Columns [first, first + count) of every row.
    [[nodiscard]] GpuMatrix columns(std::int64_t first, std::int64_t count) const;
};

/// Throws Error{Internal} unless the type is f32 or bf16, and width and stride fit 32 bits.
void requireGpuMatrix(const GpuMatrix& matrix);

/// Returns the rows of one dispatch along an axis of groups: at most 65,535, and no more than `mostWork` for
/// operations of `workOfRow` each; at least one.
std::int64_t rowsOfDispatch(std::int64_t rows, double workOfRow, double mostWork);

/// Returns the bytes of a struct of push constants.
template <typename Constants>
std::span<const std::byte> constantBytes(const Constants& constants) {
    return std::as_bytes(std::span(&constants, 1));
}

}  // namespace meshreel

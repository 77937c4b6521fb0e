// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Rows that are kept in int8, each with a scale of its own: element i of row r is about values[r][i] ·
/// scales[r], within half a scale. In one memory.
struct Int8Rows {
    Tensor values;  ///< the bytes of int8, [rows, width] of U8
    Tensor scales;  ///< f32 [rows]

    [[nodiscard]] std::size_t bytes() const { return values.bytes() + scales.bytes(); }
};

/// Rounds rows, f32 or bf16 in any memory, as roundToInt8() does, on the host; puts them into `memory` (null:
/// the host's).
Int8Rows packInt8Rows(const Execution& execution, const Tensor& rows, std::int64_t width, Memory* memory);

/// Writes values · scale into rows `into`, f32 or bf16, of the width that they were packed with: where `into`
/// is. Throws Error{Internal} when the shapes do not fit, the width is no multiple of 4, or the rows lie in
/// another memory.
void unpackInt8Rows(const Execution& execution, const Int8Rows& packed, const MatrixSpan& into);

}  // namespace meshreel

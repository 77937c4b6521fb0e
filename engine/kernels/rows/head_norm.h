// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/kernels/rows/rope.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// What queries and keys go through between projection and attention: an RMS norm over all heads of the
/// model, then the rotary embedding.
struct HeadNorm {
    std::int64_t headDim = 0;
    std::span<const float> gamma = {};  ///< [width]; empty: no norm
    std::int64_t fullWidth = 0;         ///< of the model's heads, of which the rows hold `width` columns
    double epsilon = 0;
    const RotaryTable* rotary = nullptr;  ///< of the rows' tokens, which may repeat; nullptr: not rotated
};

/// sums[row] = Σ x² of each row of x, f32 (added in double) or bf16 (added in f32).
void rowSquares(const Execution& execution, const MatrixView& x, std::span<float> sums);

/// In place on x [batch · tokens, heads · headDim], f32 or bf16: bf16 rows go through memory once. `squares`
/// are those of the whole rows (see rowSquares); empty: x holds whole rows. The workers share the rows;
/// a GPU computes whole rows that are in its memory, with a rotary table there.
void normaliseHeads(const Execution& execution, const MatrixSpan& x, const HeadNorm& norm,
                    std::span<const float> squares = {});

}  // namespace meshreel

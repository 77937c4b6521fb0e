// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Token grid of a video, in patches; tokens are numbered frame, then row, then column.
struct TokenGrid {
    std::int64_t frames = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    [[nodiscard]] std::int64_t tokens() const { return frames * rows * columns; }
};

/// Rotary position embedding over a token grid: one angle per token and pair (2i, 2i+1) of the head
/// dimension. The pairs are divided between the axes as Wan divides them: rows and columns get 2·⌊headDim/6⌋
/// components each, time the rest; within an axis of d components pair j turns by position · theta^(-2j/d),
/// theta = 10000, in double.
struct RotaryTable {
    Tensor cos;  ///< f32 [tokens, headDim / 2]
    Tensor sin;  ///< f32 [tokens, headDim / 2]
};

/// Components of the head dimension that rotate with time, row and column. headDim must be even
/// (Error{Internal}).
std::array<std::int64_t, 3> rotaryAxes(std::int64_t headDim);

RotaryTable rotaryTable(const TokenGrid& grid, std::int64_t headDim);

/// The same for tokens [firstToken, endToken) only.
RotaryTable rotaryTable(const TokenGrid& grid, std::int64_t headDim, std::int64_t firstToken,
                        std::int64_t endToken);

/// Rotates x [batch, tokens, heads, headDim] in place, the workers sharing batch · tokens; of no tokens,
/// nothing.
void applyRotary(const Execution& execution, const RotaryTable& table, std::int64_t heads,
                 std::span<float> x);

}  // namespace meshreel

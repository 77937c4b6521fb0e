// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Token grid of a video, in patches; tokens are numbered frame, then row, then column.
struct TokenGrid {
    std::int64_t frames = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t firstFrame = 0;   ///< position of the first frame in time
    std::int64_t firstColumn = 0;  ///< position of the first column
    std::int64_t source = 0;       ///< which source's tokens they are; 0: of the video itself
    [[nodiscard]] std::int64_t tokens() const { return frames * rows * columns; }
};

/// Tokens at any places: one at each frame, row and column of these, numbered frame, then row, then column.
struct TokenPlaces {
    std::vector<std::int64_t> frames;  ///< may be before 0
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> columns;
    std::int64_t source = 0;  ///< as of TokenGrid

    /// Returns those of a grid.
    static TokenPlaces of(const TokenGrid& grid);

    [[nodiscard]] std::int64_t tokens() const {
        return std::ssize(frames) * std::ssize(rows) * std::ssize(columns);
    }
};

/// Rotary position embedding over a token grid: one angle per token and pair (2i, 2i+1) of the head
/// dimension. The pairs are divided between the axes as Wan divides them: rows and columns get 2·⌊headDim/6⌋
/// components each, time the rest; within an axis of d components pair j turns by position · theta^(-2j/d),
/// theta = 10000, in double. Tokens of a source turn further: pair i of the whole head dimension by source ·
/// theta^(-2i/headDim) (Bernini-R, apply_rotary_source_id in Wan2GP's posemb_layers.py).
struct RotaryTable {
    Tensor cos;  ///< f32 [tokens, headDim / 2]
    Tensor sin;  ///< f32 [tokens, headDim / 2]
};

/// Components of the head dimension that rotate with time, row and column. headDim must be even
/// (Error{Internal}).
std::array<std::int64_t, 3> rotaryAxes(std::int64_t headDim);

RotaryTable rotaryTable(const TokenGrid& grid, std::int64_t headDim);

/// Returns the table of tokens [firstToken, endToken) only.
RotaryTable rotaryTable(const TokenGrid& grid, std::int64_t headDim, std::int64_t firstToken,
                        std::int64_t endToken);

/// Returns the table of tokens [firstToken, endToken) of grids whose tokens follow each other.
RotaryTable rotaryTable(std::span<const TokenGrid> grids, std::int64_t headDim, std::int64_t firstToken,
                        std::int64_t endToken);

/// Returns the table of tokens [firstToken, endToken) of places whose tokens follow each other.
RotaryTable rotaryTable(std::span<const TokenPlaces> places, std::int64_t headDim, std::int64_t firstToken,
                        std::int64_t endToken);

/// Rotates x [batch, tokens, heads, headDim] in place, the workers sharing batch · tokens; of no tokens,
/// nothing.
void applyRotary(const Execution& execution, const RotaryTable& table, std::int64_t heads,
                 std::span<float> x);

/// What queries and keys go through between projection and attention: an RMS norm over all heads of the
/// model, then the rotary embedding.
struct HeadNorm {
    std::int64_t headDim = 0;
    /// f32 [width], in the memory of what is normalised; of no rows: no norm.
    MatrixView gamma = {};
    std::int64_t fullWidth = 0;  ///< width of all heads of the model, of which the rows hold `width` columns
    double epsilon = 0;
    const RotaryTable* rotary = nullptr;  ///< for the rows' tokens, which may repeat; nullptr: not rotated

    [[nodiscard]] bool scales() const { return gamma.rows() > 0; }
};

/// sums[row] = Σ x² of each row of x, f32 (added in double) or bf16 (added in f32).
void rowSquares(const Execution& execution, const MatrixView& x, std::span<float> sums);

/// Works in place on x [batch · tokens, heads · headDim], f32 or bf16: bf16 rows go through memory once.
/// `squares` are those of the whole rows (see rowSquares); empty: x holds whole rows. Computes where x lies,
/// with gamma and a rotary table there: on the host the workers share the rows, a GPU takes only whole rows.
void normaliseHeads(const Execution& execution, const MatrixSpan& x, const HeadNorm& norm,
                    std::span<const float> squares = {});

}  // namespace meshreel

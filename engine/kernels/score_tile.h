// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/head_rows.h"
#include "engine/kernels/scratch_buffer.h"

namespace meshreel {

/// Operands of a tile of scores = scale·rows·columnsᵀ, [rows, columns].
struct ScoreTile {
    FloatRows rows;
    std::int64_t rowCount = 0;
    FloatRows columns;
    std::int64_t columnCount = 0;
    std::int64_t headDim = 0;
    double scale = 1.0;
};

/// Whether scores bounded by ‖row‖·‖column‖·scale are too large for f32: its rounding, relative to the score,
/// would show as an absolute error of the exponent.
bool needsWideScores(double rowNorm, double columnNorm, double scale);

/// scores = the tile + beta·scores.
void fillScores(const ScoreTile& tile, float beta, float* scores);

/// The same in f64, with operands converted into `operands`.
void fillScores(const ScoreTile& tile, float beta, ScratchBuffer& operands, double* scores);

/// What fillScores holds in `operands`, of doubles.
std::int64_t wideOperandCount(std::int64_t rowCount, std::int64_t columnCount, std::int64_t headDim);

}  // namespace meshreel

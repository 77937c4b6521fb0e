// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/attention/head_rows.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// Operands of a tile of scores = scale·rows·columnsᵀ, [rows, columns], in f32 or f64.
template <typename Real>
struct ScoreTile {
    Rows<Real> rows;
    std::int64_t rowCount = 0;
    Rows<Real> columns;
    std::int64_t columnCount = 0;
    std::int64_t headDim = 0;
    double scale = 1.0;
};

/// Whether scores bounded by ‖row‖·‖column‖·scale are too large for f32: its rounding, relative to the score,
/// would show as an absolute error of the exponent. They are to be computed in f64. Of rows stored as bf16
/// less is asked, as their own rounding is far above that error.
bool needsWideScores(double rowNorm, double columnNorm, double scale, DType storage);

/// The first `count` rows as f64, side by side in `to` [count, width].
Rows<double> widen(const FloatRows& rows, std::int64_t count, std::int64_t width, double* to);

/// scores = the tile + beta·scores.
template <typename Real>
void fillScores(const ScoreTile<Real>& tile, Real beta, Real* scores);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/score_tile.h"

#include <algorithm>
#include <cmath>

#include "engine/kernels/matmul.h"

namespace meshreel {

namespace {

// Scores up to here are computed in f32.
constexpr double largestNarrowScore = 40.0;

void widenRows(const FloatRows& rows, std::int64_t count, std::int64_t width, double* to) {
    for (std::int64_t row = 0; row < count; ++row)
        std::copy_n(rows.row(row), width, to + row * width);
}

}  // namespace

bool needsWideScores(double rowNorm, double columnNorm, double scale) {
    return rowNorm * columnNorm * std::abs(scale) > largestNarrowScore;
}

void fillScores(const ScoreTile& tile, float beta, float* scores) {
    gemm(false, true, tile.rowCount, tile.columnCount, tile.headDim, static_cast<float>(tile.scale),
         tile.rows.data, tile.rows.stride, tile.columns.data, tile.columns.stride, beta, scores,
         tile.columnCount);
}

void fillScores(const ScoreTile& tile, float beta, ScratchBuffer& operands, double* scores) {
    auto* rows = operands.take<double>(wideOperandCount(tile.rowCount, tile.columnCount, tile.headDim));
    double* columns = rows + tile.rowCount * tile.headDim;
    widenRows(tile.rows, tile.rowCount, tile.headDim, rows);
    widenRows(tile.columns, tile.columnCount, tile.headDim, columns);
    gemm(false, true, tile.rowCount, tile.columnCount, tile.headDim, tile.scale, rows, tile.headDim, columns,
         tile.headDim, static_cast<double>(beta), scores, tile.columnCount);
}

std::int64_t wideOperandCount(std::int64_t rowCount, std::int64_t columnCount, std::int64_t headDim) {
    return (rowCount + columnCount) * headDim;
}

}  // namespace meshreel

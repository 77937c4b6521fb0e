// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {

/// Queries of a panel, side by side, so that a register holds as many of them as it has lanes.
inline constexpr std::int64_t panelQueries = 48;

/// Keys are scored so many at a time: a strip's rows are there, whatever they hold, up to a multiple of it.
inline constexpr std::int64_t panelKeyStep = 8;

/// Columns of values, side by side; see PanelWeights.
inline constexpr std::int64_t panelValueStep = 32;

/// Operands of the scores of some keys for a panel.
template <typename Real>
struct PanelProduct {
    Rows<Real> keys;
    std::int64_t keyCount = 0;
    const Real* queries = nullptr;  ///< [headDim, panelQueries]
    std::int64_t headDim = 0;
    Real scale = 1;
};

/// Scores [keys, panelQueries] of a panel. A narrow score is `whole`; a wide one is whole + fraction, whole
/// an integer and fraction within 1/2, which keeps the digits that f32 would lose in a large score.
struct PanelScores {
    float* whole = nullptr;
    float* fraction = nullptr;  ///< nullptr: narrow
    std::int64_t keys = 0;
};

/// The softmax of a panel so far, [panelQueries] each.
struct PanelStatistics {
    float* maxima = nullptr;
    float* sums = nullptr;
    float* factors = nullptr;  ///< scales what was computed with the old maxima; see PanelKernels::raise
};

/// Weights of some keys, and their values in groups of columns: [columns / panelValueStep] times
/// [keys, panelValueStep], zero beyond the last column, so that a product walks through memory in order.
struct PanelWeights {
    const float* weights = nullptr;  ///< [keys, panelQueries]
    const float* values = nullptr;
    std::int64_t groupStride = 0;  ///< from one group of columns to the next
    std::int64_t keys = 0;
};

/// Where a panel's weighted values are added: rows of the `queries` that there are, `width` columns.
struct PanelOutput {
    float* data = nullptr;
    std::int64_t stride = 0;
    std::int64_t queries = 0;
    std::int64_t width = 0;
};

/// One instruction set's kernels for a panel of queries. Each query's results depend on its own row alone and
/// on how the keys are cut into strips, never on the other queries.
struct PanelKernels {
    const char* name;

    /// scores = scale·keys·queries, in f32. The rows of a last, short step are written too.
    void (*score)(const PanelProduct<float>& product, const PanelScores& scores);

    /// Computes the scores in f64, as wide scores need them.
    void (*scoreWide)(const PanelProduct<double>& product, const PanelScores& scores);

    /// Raises maxima to the next integer at or above the largest score of each query where they are below it,
    /// and multiplies `sums` with `factors`, 1 where nothing rose. False when no maximum rose; then `factors`
    /// are left alone. Integers make the factors of base 2 exact and rises rare.
    bool (*raise)(const PanelScores& scores, ExponentBase base, const PanelStatistics& statistics);

    /// Turns the scores into weights, base^(score - maximum)·2^headroom for an integer from 0 to 127, in
    /// `whole`, and adds them to `sums`.
    void (*weigh)(const PanelScores& scores, ExponentBase base, float headroom,
                  const PanelStatistics& statistics);

    /// output += weightsᵀ·values.
    void (*addValues)(const PanelWeights& weights, const PanelOutput& output);
};

/// Returns the kernels for the widest supported instruction set of `features`.
const PanelKernels& panelKernels(const CpuFeatures& features);

const PanelKernels& panelKernelsAvx2();
const PanelKernels& panelKernelsAvx512();

}  // namespace meshreel

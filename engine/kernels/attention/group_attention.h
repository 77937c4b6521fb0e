// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Attention of many queries to few keys: consecutive queries share the keys of their group, such as those of
/// a frame. Heads lie side by side in rows of f32 or bf16.
struct GroupAttention {
    std::int64_t heads = 0;
    std::int64_t headDim = 0;
    std::int64_t sequences = 1;  ///< each with groups of its own
    MatrixView q = {};           ///< [sequences · queries, heads · headDim]
    MatrixView k = {};           ///< [sequences · groups · groupKeys, heads · headDim]
    MatrixView v = {};           ///< shaped as k
    std::int64_t groupQueries = 1;
    std::int64_t groupKeys = 1;
    std::int64_t firstQuery = 0;  ///< place in its sequence of the first query that is here
};

/// Computes y [sequences · queries, heads · headDim] = softmax(q·kᵀ/√headDim)·v of each head, in f32, in the
/// memory of all of them: the workers share the queries, or a GPU computes one group after the other. Throws
/// Error{Internal} when the shapes do not fit.
void attendInGroups(const Execution& execution, const GroupAttention& attention, const MatrixSpan& y);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/worker_pool.h"

namespace meshreel {

/// One dense attention; all tensors row-major.
struct ReferenceAttention {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t headDim = 0;
    std::int64_t queryLength = 0;
    std::int64_t keyLength = 0;
    std::span<const float> query;                ///< [batch, queryLength, heads, headDim]
    std::span<const float> key;                  ///< [batch, keyLength, heads, headDim]
    std::span<const float> value;                ///< [batch, keyLength, heads, headDim]
    std::span<const std::uint8_t> keyMask = {};  ///< [batch, keyLength], 0 = masked; empty: all are attended
    double scale = 0;                            ///< factor for q·k
};

/// out [batch, queries of the range, heads, headDim] = softmax(scale·q·kᵀ)·v over the kept keys, everything
/// in float64 with code of its own, for queries [firstQuery, firstQuery + queries); a query without any kept
/// key gives zeros. Memory: a tile for each worker.
void computeReference(const ReferenceAttention& attention, std::int64_t firstQuery, std::int64_t queries,
                      WorkerPool& workers, std::span<double> out);

}  // namespace meshreel

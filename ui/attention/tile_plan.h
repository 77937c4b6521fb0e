// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "engine/attention/attention_settings.h"

namespace meshreel {

struct RunPlan;

/// How the kernel of one device cuts its score matrix into tiles.
struct TilePlan {
    const AttentionMode* mode = nullptr;
    std::int64_t queries = 0;       ///< rows: of the first device
    std::int64_t keys = 0;          ///< columns: at once, that is of one rotation
    FlashBlockSizes blocks;         ///< without zeros
    std::int64_t scratchBytes = 0;  ///< of a worker; 0 where the kernel has no such limit
    std::int64_t cacheBytes = 0;    ///< of this machine for a worker, see workerCacheBytes()

    /// Whether there are tiles: dot_product computes whole rows.
    [[nodiscard]] bool isTiled() const;
    [[nodiscard]] std::int64_t rows() const { return (queries + blocks.blockQ - 1) / blocks.blockQ; }
    [[nodiscard]] std::int64_t columns() const { return (keys + blocks.blockKv - 1) / blocks.blockKv; }
    /// Part of the tiles' area that lies outside the matrix, in [0, 1).
    [[nodiscard]] double padding() const;
    [[nodiscard]] bool hasScratchLimit() const { return blocks.vmemLimitBytes > 0; }
    /// Scratch as a part of vmem_limit_bytes, without one of cacheBytes; absent where there is no scratch.
    [[nodiscard]] std::optional<double> scratchShare() const;
};

TilePlan tilePlanOf(const RunPlan& plan);

}  // namespace meshreel

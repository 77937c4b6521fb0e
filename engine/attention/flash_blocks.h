// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/custom_attention.h"

namespace meshreel {

/// Tile sizes of the blocked kernels, named as in MaxDiffusion's flash_block_sizes. 0 stands for the default.
/// Sizes past the sequence length are allowed: the last block is short.
struct FlashBlockSizes {
    static constexpr std::int64_t defaultSize = 512;

    std::int64_t blockQ = defaultSize;   ///< block_q: query rows of one work item
    std::int64_t blockKv = defaultSize;  ///< block_kv: keys and values fetched together
    std::int64_t blockKvCompute =
        defaultSize;  ///< block_kv_compute: keys of one inner step; divides block_kv
    std::int64_t blockKvComputeIn =
        0;  ///< block_kv_compute_in (custom kernels): keys of one softmax step; at most block_kv_compute
    std::int64_t headsPerTile = 1;    ///< heads_per_tile (custom kernels): heads of one work item
    std::int64_t vmemLimitBytes = 0;  ///< vmem_limit_bytes (custom kernels): scratch per worker; 0: no limit

    friend bool operator==(const FlashBlockSizes&, const FlashBlockSizes&) = default;
};

/// Zeros replaced by defaults (a default block_kv_compute is the largest legal one up to 512), and
/// block_kv_compute_in cut off at block_kv_compute. Throws Error{Project} naming the key and the nearest
/// legal value when a size is negative or block_kv_compute does not divide block_kv.
FlashBlockSizes resolveFlashBlocks(const FlashBlockSizes& sizes);

/// The divisor of blockKv nearest to `wanted` (the larger of two equally near); blockKv at least 1.
std::int64_t nearestKvCompute(std::int64_t blockKv, std::int64_t wanted);

/// Resolved blocks as the custom kernels take them.
CustomBlocks customBlocks(const FlashBlockSizes& blocks);

/// Scratch of one worker of the custom kernels with these blocks (resolved), for sequences longer than they
/// are.
std::size_t customScratchBytes(const FlashBlockSizes& blocks, std::int64_t headDim);

/// Throws Error{Project} with the numbers when that is above vmem_limit_bytes.
void requireScratchLimit(const FlashBlockSizes& blocks, std::int64_t headDim);

}  // namespace meshreel

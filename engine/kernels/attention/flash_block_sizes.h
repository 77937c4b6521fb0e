// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel {

/// How attention cuts up queries and keys, with the names of MaxDiffusion's flash_block_sizes. In a project 0
/// stands for the default; kernels take sizes that planAttention() resolved, none of which is 0 except the
/// limit.
/// 0. Sizes past the sequence length are allowed: the last block is short. What else is known of each size is
/// a row of blockSizeRows().
struct FlashBlockSizes {
    std::int64_t blockQ = 0;          ///< block_q: queries of a work item at most; fewer where workers idle
    std::int64_t blockKv = 0;         ///< block_kv: keys and values fetched together
    std::int64_t blockKvCompute = 0;  ///< block_kv_compute: keys in one inner step; divides block_kv
    // For the custom kernels only:
    std::int64_t blockKvComputeIn = 0;  ///< block_kv_compute_in: keys in one softmax step, with one rescaling
                                        ///< each; at most block_kv_compute
    std::int64_t headsPerTile = 1;      ///< heads_per_tile: heads in one work item
    std::int64_t vmemLimitBytes = 0;    ///< vmem_limit_bytes: scratch per worker; 0: no limit

    friend bool operator==(const FlashBlockSizes&, const FlashBlockSizes&) = default;
};

}  // namespace meshreel

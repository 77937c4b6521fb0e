// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/attention/attention_mode.h"
#include "engine/kernels/attention/custom_attention.h"

namespace meshreel {

/// Block sizes of the kernels, named as in MaxDiffusion's flash_block_sizes. 0 stands for the default,
/// see bestFlashBlocks(). Sizes past the sequence length are allowed: the last block is short.
struct FlashBlockSizes {
    std::int64_t blockQ = 0;          ///< block_q: queries of a work item at most; fewer where workers idle
    std::int64_t blockKv = 0;         ///< block_kv: keys and values fetched together
    std::int64_t blockKvCompute = 0;  ///< block_kv_compute: keys of one inner step; divides block_kv
    // For the custom kernels only:
    std::int64_t blockKvComputeIn = 0;  ///< block_kv_compute_in: keys of one softmax step; at most
                                        ///< block_kv_compute
    std::int64_t headsPerTile = 1;      ///< heads_per_tile: heads of one work item
    std::int64_t vmemLimitBytes = 0;    ///< vmem_limit_bytes: scratch per worker; 0: no limit

    friend bool operator==(const FlashBlockSizes&, const FlashBlockSizes&) = default;
};

/// Data caches that a core has to itself, in bytes.
struct CoreCaches {
    std::int64_t level1 = 0;
    std::int64_t level2 = 0;
};

/// Those of the CPU at hand, as the C library reads them from CPUID; 32 KiB and 1 MiB where it does not know.
CoreCaches coreCaches();

/// The best sizes that were found for heads of 128, which are most models':
/// - block_q: the rows and f32 sums of so many queries take twice the second cache. They pass by once for
///   each block of keys, whose packing they share. A multiple of 96, which whole panels and tiles of queries
///   divide; at most 4032.
/// - block_kv and block_kv_compute: so many keys and values in f32 take half of the second cache. A power of
///   two from 256 to 2048.
/// - block_kv_compute_in: f32 scores of so many keys for 32 queries take three quarters of the first cache
///   at most. A power of two from 64 to 256.
FlashBlockSizes bestFlashBlocks(const CoreCaches& caches);

/// Zeros replaced by defaults (a default block_kv_compute is the largest legal one up to the best), and
/// block_kv_compute_in cut off at block_kv_compute. Throws Error{Project} naming the key and the nearest
/// legal value when a size is negative or block_kv_compute does not divide block_kv.
FlashBlockSizes resolveFlashBlocks(const FlashBlockSizes& sizes, const CoreCaches& caches = coreCaches());

/// The divisor of blockKv nearest to `wanted` (the larger of two equally near); blockKv at least 1.
std::int64_t nearestKvCompute(std::int64_t blockKv, std::int64_t wanted);

/// Resolved blocks as the custom kernels take them.
CustomBlocks customBlocks(const FlashBlockSizes& blocks);

/// Scratch of one worker of the custom kernels with these blocks (resolved), for sequences longer than they
/// are.
std::size_t customScratchBytes(const FlashBlockSizes& blocks, std::int64_t headDim);

/// Throws Error{Project} with the numbers when that is above vmem_limit_bytes.
void requireScratchLimit(const FlashBlockSizes& blocks, std::int64_t headDim);

/// What the project says about attention.
struct AttentionSettings {
    const AttentionMode* mode = findAttentionMode("flash");
    FlashBlockSizes blocks = {};
    /// flash_min_seq_length: with fewer queries or keys (of the whole sequence) than this, dot_product is
    /// used (modes with minimumLength).
    std::int64_t flashMinSeqLength = 0;
    bool base2 = true;            ///< use_base2_exp
    int ulyssesShards = -1;       ///< ulysses_shards: U of ring × ulysses; -1: unset
    int chunks = 1;               ///< ulysses_attention_chunks
    bool uniformSharding = true;  ///< attention_sharding_uniform; false: Gather modes exchange heads instead
};

/// Block sizes that are known to be good somewhere, to start from.
struct BlockPreset {
    std::string_view name;                ///< the hardware, and what the sizes were found for
    std::string_view source;              ///< where they were published; empty for this machine's own
    FlashBlockSizes sizes;                ///< all of them: what was not published has its default
    bool (*suits)(const AttentionMode&);  ///< whether the mode's kernel is the one they were found for
    std::string_view otherwise;           ///< one sentence for the modes that they do not suit, with the fix
};

/// This machine's first, then those published for accelerators, in the order to show them.
std::span<const BlockPreset> blockPresets();

}  // namespace meshreel

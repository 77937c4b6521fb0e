// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/attention/flash_block_sizes.h"

namespace meshreel {

/// Data caches that a core has to itself, in bytes.
struct CoreCaches {
    std::int64_t level1 = 0;
    std::int64_t level2 = 0;
};

/// Returns the cache sizes of this CPU, as the C library reads them from CPUID; 32 KiB and 1 MiB when it does
/// not know.
CoreCaches coreCaches();

/// Returns the best sizes that were found for heads of 128, which are most models':
/// - block_q: the rows and f32 sums of so many queries take twice the second cache. They pass by once for
///   each block of keys, whose packing they share. A multiple of 96, which whole panels and tiles of queries
///   divide; at most 4032.
/// - block_kv and block_kv_compute: so many keys and values in f32 take half of the second cache. A power of
///   two from 256 to 2048.
/// - block_kv_compute_in: f32 scores of so many keys for 32 queries take three quarters of the first cache
///   upper limit. A power of two from 64 to 256.
FlashBlockSizes bestFlashBlocks(const CoreCaches& caches);

/// Replaces zeros by defaults (the default of block_kv_compute is the largest legal one up to the best) and
/// cuts block_kv_compute_in off at block_kv_compute. Does not check sizes: engine/project/attention_check.h
/// does.
FlashBlockSizes resolveFlashBlocks(const FlashBlockSizes& sizes, const CoreCaches& caches = coreCaches());

/// Returns the scratch of one worker of the custom kernels with these (resolved) blocks, in bytes, for
/// sequences longer than the blocks.
std::size_t customScratchBytes(const FlashBlockSizes& blocks, std::int64_t headDim);

}  // namespace meshreel

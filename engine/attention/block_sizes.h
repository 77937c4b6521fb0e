// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "engine/attention/attention_mode.h"
#include "engine/base/error.h"
#include "engine/kernels/attention/flash_block_sizes.h"

namespace meshreel {

/// Everything that is known of one of the FlashBlockSizes. Project keys, validation, plans, records, the
/// command line and the Studio read the rows: another size is a member, a row and what the kernel makes of
/// it.
struct BlockSizeRow {
    std::string_view key;  ///< of the project: "flash_block_sizes.block_q"
    std::int64_t FlashBlockSizes::*member;
    bool searched = false;  ///< it cuts the sequence: 0 takes what suits the caches, and a block-size search
                            ///< writes it
    bool basic = false;     ///< what most people ask for
    std::int64_t minimum = 0;
    std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
    std::string_view title;                     ///< short label for people
    std::string_view help;                      ///< one sentence
    std::string_view unit;                      ///< of the number
    Sentence (*impossible)(std::int64_t size);  ///< what is wrong with a negative one
    Sentence (*legal)(std::int64_t standard);   ///< what to use instead; `standard` is the default

    /// "block_q".
    [[nodiscard]] constexpr std::string_view name() const { return key.substr(key.find('.') + 1); }
};

/// All sizes, in the order of FlashBlockSizes.
std::span<const BlockSizeRow> blockSizeRows();

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

/// Scratch of one worker of the custom kernels with these blocks (resolved), for sequences longer than they
/// are.
std::size_t customScratchBytes(const FlashBlockSizes& blocks, std::int64_t headDim);

/// Throws Error{Project} with the numbers when that is above vmem_limit_bytes.
void requireScratchLimit(const FlashBlockSizes& blocks, std::int64_t headDim);

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

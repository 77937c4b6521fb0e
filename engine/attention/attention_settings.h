// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/attention/attention_mode.h"
#include "engine/attention/block_sizes.h"
#include "engine/kernels/attention/flash_block_sizes.h"

namespace meshreel {

/// What the project says about attention. How it runs is an AttentionPlan.
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

}  // namespace meshreel

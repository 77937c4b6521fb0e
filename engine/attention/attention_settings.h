// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/block_sizes.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/sparse_rule.h"

namespace meshreel {

/// What the project says about block-sparse self-attention.
struct SparseSettings {
    SparseRule rule;
    /// svg: densities of the steps of a model's two experts, the one of high noise first; of a model with one
    /// expert it is the rule's.
    double highNoiseDensity = 0.5;
    double lowNoiseDensity = 0.2;
    double start = 0.2;  ///< share of the steps before the first sparse one
    double end = 1.0;    ///< share of the steps before the first one that is dense again
    std::vector<std::int64_t> denseLayers = {};  ///< transformer blocks that always attend densely
    std::int64_t minimumTokens = 12288;          ///< shorter sequences attend densely
};

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
    std::optional<SparseSettings> sparse = {};  ///< sparse_attention
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/kernels/attention_kernel.h"
#include "engine/kernels/fixed_maximum.h"

namespace meshreel {

/// How the custom kernel cuts up the keys; all at least 1. Sizes past the number of keys are allowed.
struct CustomBlocks {
    std::int64_t kv = 0;         ///< block_kv: keys and values fetched together
    std::int64_t compute = 0;    ///< block_kv_compute: keys of one score tile; divides kv
    std::int64_t computeIn = 0;  ///< block_kv_compute_in: keys of one softmax step, one rescaling each
};

/// Online softmax with keys as rows: scores are [keys, queries], so that maxima and sums over the keys of a
/// tile run down its columns, for all queries side by side. `heads` are heads_per_tile heads of one batch
/// element and query block, all of one headDim, number of queries and number of keys; they share the score
/// tile and take turns within a block of keys, which gives the same bits as one at a time. Masked keys are
/// left out when a block is fetched, so nothing is computed for them. partials[i] becomes the partial of
/// heads[i], in `base`. Throws Error{Internal} for a bias, which this kernel does not have, and for heads
/// that do not fit together.
void customAttention(std::span<const AttentionProblem> heads, const CustomBlocks& blocks, ExponentBase base,
                     AttentionScratch& scratch, std::span<AttentionPartial> partials);

/// The same for one head with a bound of each query's largest score in place of the running maximum: no
/// maximum is searched and nothing rescaled. Meant for heads that fixedMaximumEligible() accepts; where a
/// query's weights come out so small that f32 lost some of them, the block of queries is computed again
/// with the running maximum, so the result is as exact as customAttention's for any head.
void fixedMaximumAttention(const AttentionProblem& head, const FixedMaximum& fixed,
                           const CustomBlocks& blocks, ExponentBase base, AttentionScratch& scratch,
                           AttentionPartial& partial);

/// What one worker holds at most while customAttention or fixedMaximumAttention runs `heads` heads of
/// `queries` × `keys` rows of `storage` (f32 or bf16) at a time: AttentionScratch::bytes() and the partials.
/// Worst case over the data: with a mask and with scores large enough for f64.
std::size_t customScratchBytes(const CustomBlocks& blocks, std::int64_t heads, std::int64_t queries,
                               std::int64_t keys, std::int64_t headDim, DType storage);

}  // namespace meshreel

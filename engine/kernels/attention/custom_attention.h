// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/fixed_maximum.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/panel_attention.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// Computes online softmax over panels of queries, see panelAttention(); over tiles if the CPU multiplies
/// bf16 and the rows are bf16, see TileAttentionFunction. `heads` are heads_per_tile heads of one batch
/// element and query block, all of one headDim, number of queries and number of keys; they take turns within
/// a block of keys, which gives the same bits as one at a time. Masked keys are left out when a block is
/// fetched, so nothing is computed for them. partials[i] becomes the partial of heads[i], in `base`. Throws
/// Error{Internal} for a bias, which this kernel does not have, and for heads that do not fit together.
void customAttention(std::span<const HeadInputs> heads, const FlashBlockSizes& blocks, ExponentBase base,
                     AttentionScratch& scratch, std::span<AttentionPartial> partials);

/// Returns whether rows of that type are attended to in bf16 tiles on this machine.
bool customRunsInTiles(DType rows);

/// Computes one head with a bound of each query's largest score in place of the running maximum: no maximum
/// is searched and nothing rescaled. Meant for heads that fixedMaximumEligible() accepts; if a query's
/// weights come out so small that f32 lost some of them, the block of queries is computed again with the
/// running maximum, so the result is as exact as customAttention's for any head. Returns whether it ran on
/// the bound.
bool fixedMaximumAttention(const HeadInputs& head, const FixedMaximum& fixed, const FlashBlockSizes& blocks,
                           ExponentBase base, AttentionScratch& scratch, AttentionPartial& partial);

/// Returns what one worker holds at most while customAttention or fixedMaximumAttention runs `heads` heads of
/// `queries` × `keys` rows at a time: AttentionScratch::bytes() and the partials. Worst case over the data:
/// with scores large enough for f64.
std::size_t customScratchBytes(const FlashBlockSizes& blocks, std::int64_t heads, std::int64_t queries,
                               std::int64_t keys, std::int64_t headDim);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/panel_kernels.h"

namespace meshreel {

/// A head with its partial, reset to the base of its exponents. With a fixed maximum, `partial.maximum` is
/// what the scores are lowered by, weights, sums and outputs are 2^headroom times what they would be, and
/// `keyMean` [headDim] or nothing is taken from every key.
struct PanelHead {
    const HeadInputs& problem;
    AttentionPartial& partial;
    bool fixedMaximum = false;
    float headroom = 0.0F;
    std::span<const float> keyMean = {};
};

/// Computes online softmax in f32 with keys as rows: the scores of a panel of queries are [keys, queries], so
/// that maxima and sums over the keys run down columns, for all queries of a register side by side. Scores
/// that may be too large for f32 are computed in f64, see needsWideScores(). The heads are of one size and
/// take turns within a block of keys, which gives the same bits as one at a time. Takes no bias.
void panelAttention(const PanelKernels& kernels, const FlashBlockSizes& blocks, std::span<PanelHead> heads,
                    AttentionScratch& scratch);

/// Returns what AttentionScratch::bytes() is at most after `heads` heads of `queries` × `keys` rows.
std::size_t panelScratchBytes(const FlashBlockSizes& blocks, std::int64_t heads, std::int64_t queries,
                              std::int64_t keys, std::int64_t headDim);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/token_blocks.h"
#include "engine/kernels/execution.h"

namespace meshreel {

/// Means of keys and values over the tokens of each block, [batch, heads, blocks, headDim] by head, in the
/// type of the rows.
struct BlockMeans {
    HeadTensor key;
    HeadTensor value;
};

/// Writes the means of blocks of `rows`, f32 or bf16 in the host's memory, to those from `firstBlock` on of
/// `means`. Sums are f32, in the order of the blocks' tokens. The workers share the heads.
void takeBlockMeans(const Execution& execution, const HeadTensor& rows, const TokenBlocks& blocks,
                    HeadTensor means, std::int64_t firstBlock = 0);

}  // namespace meshreel

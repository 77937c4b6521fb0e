// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/block_means.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>

#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {

void takeBlockMeans(const Execution& execution, const HeadTensor& rows, const TokenBlocks& blocks,
                    HeadTensor means, std::int64_t firstBlock) {
    const std::int64_t heads = rows.heads();
    const auto width = static_cast<std::size_t>(rows.headDim());
    execution.workers.parallelFor(rows.batch() * heads, [&](std::int64_t begin, std::int64_t end) {
        ScratchVector<float> row(width);
        ScratchVector<float> sum(width);
        for (std::int64_t index = begin; index < end; ++index) {
            const HeadRows from = rows.rows(index / heads, 0, index % heads);
            const OutputRows to = means.outputRows(index / heads, firstBlock, index % heads);
            for (std::int64_t block = 0; block < blocks.count(); ++block) {
                std::ranges::fill(sum, 0.0F);
                const std::int64_t count = blocks.sizeOf(block);
                for (std::int64_t token = 0; token < count; ++token) {
                    from.read(blocks.order[static_cast<std::size_t>(block * blocks.blockTokens + token)],
                              row);
                    std::ranges::transform(sum, row, sum.begin(), std::plus<>());
                }
                to.write(block, sum, 1.0F / static_cast<float>(count));
            }
        }
    });
}

}  // namespace meshreel

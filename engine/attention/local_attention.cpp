// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/local_attention.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/kernels/attention_kernel.h"
#include "engine/kernels/custom_attention.h"
#include "engine/kernels/fixed_maximum.h"
#include "engine/kernels/repeated_key.h"

namespace meshreel {

namespace {

// Scores that the dense kernel holds at once per worker (4 MiB), which bounds its query block.
constexpr std::int64_t denseScores = std::int64_t{1} << 20;

const std::uint8_t* keepOf(const LocalAttention& attention, std::int64_t batch) {
    return attention.keep == nullptr ? nullptr : attention.keep + batch * attention.keepStride;
}

AttentionProblem problemOf(const LocalAttention& attention, const QueryBlock& block) {
    const std::int64_t queries = attention.query.tokens();
    const std::int64_t keys = attention.key.tokens() - (attention.lastKeyCount > 1 ? 1 : 0);
    AttentionProblem problem{.queries = block.queries,
                             .keys = keys,
                             .headDim = attention.query.headDim(),
                             .q = attention.query.rows(block.batch, block.firstQuery, block.head),
                             .k = attention.key.rows(block.batch, 0, block.head),
                             .v = attention.value.rows(block.batch, 0, block.head),
                             .scale = attention.scale,
                             .keep = keepOf(attention, block.batch)};
    if (!attention.bias.empty())
        problem.bias = {attention.bias.data() + (block.head * queries + block.firstQuery) * keys, keys};
    return problem;
}

/// How (batch, head, query) is cut into work items: `heads` heads and `queries` queries each.
struct Tiling {
    std::int64_t heads = 1;
    std::int64_t queries = 1;
};

Tiling tilingOf(const AttentionMode& mode, const FlashBlockSizes& blocks, const LocalAttention& attention) {
    const bool dense = mode.kernel == AttentionKernel::DotProduct;
    const std::int64_t denseBlock =
        std::max<std::int64_t>(1, denseScores / std::max<std::int64_t>(1, attention.key.tokens()));
    return {.heads = mode.headsPerTile ? blocks.headsPerTile : 1,
            .queries = std::clamp<std::int64_t>(dense ? denseBlock : blocks.blockQ, 1,
                                                std::max<std::int64_t>(1, attention.query.tokens()))};
}

/// What the fixed-m kernel needs to know of each head of each batch element; nothing for heads that are not
/// eligible.
using FixedMaxima = std::vector<std::optional<FixedMaximum>>;

std::optional<FixedMaximum> fixedMaximumOf(const LocalAttention& attention, std::int64_t batch,
                                           std::int64_t head) {
    const std::int64_t headDim = attention.query.headDim();
    const HeadRows keys = attention.key.rows(batch, 0, head);
    const std::int64_t keyCount = attention.key.tokens();
    const std::uint8_t* keep = keepOf(attention, batch);
    const double queryNorm =
        largestNorm(attention.query.rows(batch, 0, head), attention.query.tokens(), headDim, nullptr);
    FixedMaximum fixed;
    if (attention.wholeSequence)
        fixed = smoothedFixedMaximum(keys, keyCount, headDim, keep);
    else
        fixed.keyNorm = largestNorm(keys, keyCount, headDim, keep);
    if (!fixedMaximumEligible(queryNorm, attention.scale, fixed.keyNorm, attention.wholeSequence))
        return std::nullopt;
    return fixed;
}

FixedMaxima fixedMaxima(const Execution& execution, const LocalAttention& attention) {
    const std::int64_t heads = attention.query.heads();
    FixedMaxima maxima(static_cast<std::size_t>(attention.query.batch() * heads));
    execution.workers.parallelFor(static_cast<std::int64_t>(maxima.size()), [&](std::int64_t begin,
                                                                                std::int64_t end) {
        for (std::int64_t index = begin; index < end; ++index)
            maxima[static_cast<std::size_t>(index)] = fixedMaximumOf(attention, index / heads, index % heads);
    });
    return maxima;
}

/// The kernel of a mode on one worker, with the memory that it keeps between blocks.
class KernelRunner {
  public:
    KernelRunner(const AttentionSettings& settings, const FlashBlockSizes& blocks,
                 const LocalAttention& attention, const FixedMaxima& maxima)
        : m_kernel(settings.mode->kernel),
          m_base(settings.base2 ? ExponentBase::Two : ExponentBase::Natural),
          m_blocks(blocks),
          m_attention(attention),
          m_maxima(maxima) {}

    /// `heads` heads from that of `first` on.
    void run(const QueryBlock& first, std::int64_t heads, const PartialSink& sink) {
        m_problems.clear();
        m_partials.resize(static_cast<std::size_t>(heads));
        QueryBlock block = first;
        for (; block.head < first.head + heads; ++block.head)
            m_problems.push_back(problemOf(m_attention, block));
        compute(first);
        addLastKey();
        block.head = first.head;
        for (AttentionPartial& partial : m_partials) {
            sink(block, partial, m_spare);
            ++block.head;
        }
    }

  private:
    void compute(const QueryBlock& first) {
        const CustomBlocks custom = customBlocks(m_blocks);
        if (m_kernel == AttentionKernel::DotProduct)
            dotProductAttention(m_problems.front(), m_scratch, m_partials.front());
        else if (m_kernel == AttentionKernel::Flash)
            flashAttention(m_problems.front(), m_blocks.blockKv, m_blocks.blockKvCompute, m_scratch,
                           m_partials.front());
        else if (const FixedMaximum* fixed = fixedOf(first); fixed != nullptr)
            fixedMaximumAttention(m_problems.front(), *fixed, custom, m_base, m_scratch, m_partials.front());
        else
            customAttention(m_problems, custom, m_base, m_scratch, m_partials);
    }

    void addLastKey() {
        if (m_attention.lastKeyCount > 1)
            for (std::size_t head = 0; head < m_problems.size(); ++head)
                addRepeatedKey(m_problems[head], m_problems[head].keys, m_attention.lastKeyCount,
                               m_partials[head]);
    }

    [[nodiscard]] const FixedMaximum* fixedOf(const QueryBlock& block) const {
        if (m_maxima.empty())
            return nullptr;
        const auto index = static_cast<std::size_t>(block.batch * m_attention.query.heads() + block.head);
        return m_maxima[index] ? &*m_maxima[index] : nullptr;
    }

    AttentionKernel m_kernel;
    ExponentBase m_base;
    const FlashBlockSizes& m_blocks;
    const LocalAttention& m_attention;
    const FixedMaxima& m_maxima;
    std::vector<AttentionProblem> m_problems;
    std::vector<AttentionPartial> m_partials;
    AttentionPartial m_spare;
    AttentionScratch m_scratch;
};

}  // namespace

void attendLocally(const Execution& execution, const AttentionSettings& settings,
                   const LocalAttention& attention, const PartialSink& sink) {
    const FlashBlockSizes blocks = resolveFlashBlocks(settings.blocks);
    const Tiling tiling = tilingOf(*settings.mode, blocks, attention);
    const std::int64_t queries = attention.query.tokens();
    const std::int64_t heads = attention.query.heads();
    const std::int64_t queryBlocks = (queries + tiling.queries - 1) / tiling.queries;
    const std::int64_t headTiles = (heads + tiling.heads - 1) / tiling.heads;
    const FixedMaxima maxima = settings.mode->kernel == AttentionKernel::CustomFixedM
                                   ? fixedMaxima(execution, attention)
                                   : FixedMaxima{};

    const std::int64_t items = attention.query.batch() * headTiles * queryBlocks;
    execution.workers.parallelFor(items, [&](std::int64_t begin, std::int64_t end) {
        KernelRunner runner(settings, blocks, attention, maxima);
        for (std::int64_t index = begin; index < end; ++index) {
            const std::int64_t firstHead = index / queryBlocks % headTiles * tiling.heads;
            const std::int64_t firstQuery = index % queryBlocks * tiling.queries;
            runner.run({.batch = index / queryBlocks / headTiles,
                        .head = firstHead,
                        .firstQuery = firstQuery,
                        .queries = std::min(tiling.queries, queries - firstQuery)},
                       std::min(tiling.heads, heads - firstHead), sink);
        }
    });
}

}  // namespace meshreel

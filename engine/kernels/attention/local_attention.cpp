// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/local_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/block_means.h"
#include "engine/kernels/attention/custom_attention.h"
#include "engine/kernels/attention/fixed_maximum.h"
#include "engine/kernels/attention/kept_blocks.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/kernels/attention/token_blocks.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/kernels/tiles/tile_shape.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

// Scores that the dense kernel holds at once per worker (4 MiB), which bounds its query block.
constexpr std::int64_t denseScores = std::int64_t{1} << 20;

const std::uint8_t* findKeyMask(const LocalAttention& attention, std::int64_t batch) {
    return attention.keyMask == nullptr
               ? nullptr
               : attention.keyMask + batch * attention.keyMaskStride + attention.firstKey;
}

HeadInputs problemOf(const LocalAttention& attention, const QueryBlock& block) {
    const std::int64_t queries = attention.queryCount();
    const std::int64_t keys = attention.keyCount() - (attention.lastKeyCount > 1 ? 1 : 0);
    HeadInputs problem{
        .queries = block.queries,
        .keys = keys,
        .headDim = attention.query.headDim(),
        .q = attention.query.rows(block.batch, attention.firstQuery + block.firstQuery, block.head),
        .k = attention.key.rows(block.batch, attention.firstKey, block.head),
        .v = attention.value.rows(block.batch, attention.firstKey, block.head),
        .scale = attention.scale,
        .keyMask = findKeyMask(attention, block.batch)};
    if (attention.sparse != nullptr)
        return problem;           // KernelRunner says which keys
    if (!attention.bias.empty())  // a query's row begins one before that of the query before it
        problem.bias = {
            attention.bias.data() + block.head * (queries + keys - 1) + queries - 1 - block.firstQuery, -1};
    return problem;
}

/// How (batch, head, query) is cut into work items: `heads` heads and one range of queries each.
struct Tiling {
    struct Range {
        std::int64_t begin = 0;
        std::int64_t end = 0;
    };

    std::int64_t heads = 1;
    std::int64_t boundQueries = 1;      ///< queries of a head that share a bound of fixed m
    ScratchVector<Range> queries = {};  ///< the items of a head; each lies in one block of boundQueries
};

/// Queries of a work item, at most `most`, in steps of `step`, such that the busiest of the workers has the
/// least to do. Each item also packs the keys, which takes about as long as `packing` queries.
std::int64_t balancedQueries(std::int64_t queries, std::int64_t most, std::int64_t tiles,
                             std::int64_t workers, std::int64_t step, std::int64_t packing) {
    constexpr std::int64_t smallest = 384;
    std::int64_t best = most;
    std::int64_t bestCost = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t blocks = ceilDivide(queries, most);; ++blocks) {
        const std::int64_t even = std::min(most, ceilDivide(ceilDivide(queries, blocks), step) * step);
        const std::int64_t cost = ceilDivide(tiles * blocks, workers) * (even + packing);
        if (cost < bestCost) {
            best = even;
            bestCost = cost;
        }
        if (even <= smallest)
            return best;
    }
}

/// Returns how many queries take as long as packing the keys of an item: more, where they attend to few of
/// these and the item still packs almost all.
std::int64_t packingOf(const SparseKeys* sparse) {
    constexpr std::int64_t ofAll = 64;
    if (sparse == nullptr)
        return ofAll;
    return ofAll * sparse->kept.countAll() / std::max<std::int64_t>(1, sparse->kept.countKept());
}

Tiling readTiling(const AttentionKernelPlan& plan, const LocalAttention& attention, std::int64_t workers) {
    const std::int64_t queries = std::max<std::int64_t>(1, attention.queryCount());
    const SparseKeys* const sparse = attention.sparse;
    Tiling tiling{.heads = plan.blocks.headsPerTile,
                  .boundQueries = plan.boundPerBlock ? std::min(queries, plan.blocks.blockQ) : queries};
    std::int64_t most =
        std::clamp<std::int64_t>(denseScores / std::max<std::int64_t>(1, attention.keyCount()), 1, queries);
    if (rowOf(plan.kernel).isBlocked) {
        const std::int64_t tiles =
            attention.query.batch() * ceilDivide(attention.query.heads(), tiling.heads);
        constexpr std::int64_t wholeTiles = 96;  // panels of 48 queries and tiles of 32
        // Whole blocks of queries, too: 3 of 64 or 128 are whole panels and tiles.
        const std::int64_t step = sparse != nullptr ? 3 * sparse->queries.front().blockTokens : wholeTiles;
        const std::int64_t limit =
            sparse != nullptr ? std::max(step, plan.blocks.blockQ / step * step) : plan.blocks.blockQ;
        most = std::min(queries, balancedQueries(queries, limit, tiles, workers, step, packingOf(sparse)));
    }
    for (std::int64_t begin = 0; begin < attention.queryCount();) {
        const std::int64_t blockEnd = (begin / tiling.boundQueries + 1) * tiling.boundQueries;
        const std::int64_t end = std::min({attention.queryCount(), blockEnd, begin + most});
        tiling.queries.push_back({begin, end});
        begin = end;
    }
    return tiling;
}

/// The largest ‖q‖ of each head of each batch element, where kernels ask for it.
ScratchVector<double> queryNorms(const Execution& execution, const AttentionKernelPlan& plan,
                                 const LocalAttention& attention) {
    const HeadTensor& query = attention.query;
    if (!rowOf(plan.kernel).isBlocked || customRunsInTiles(query.data.dtype()))
        return {};
    ScratchVector<double> norms(static_cast<std::size_t>(query.batch() * query.heads()));
    execution.workers.parallelFor(std::ssize(norms), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t index = begin; index < end; ++index)
            norms[static_cast<std::size_t>(index)] =
                largestNorm(query.rows(index / query.heads(), attention.firstQuery, index % query.heads()),
                            attention.queryCount(), query.headDim(), nullptr);
    });
    return norms;
}

/// What the fixed-m kernel needs to know beforehand. Empty for other kernels.
struct FixedMaxima {
    std::int64_t boundQueries = 1;              ///< for a block with a bound of its own
    std::int64_t blocks = 1;                    ///< number of these in a head
    ScratchVector<FixedMaximum> heads = {};     ///< [batch, heads]
    ScratchVector<float> means = {};            ///< [batch, heads, headDim]: of their keys
    ScratchVector<std::uint8_t> eligible = {};  ///< [batch, heads, blocks]

    /// Returns nothing for a query whose block is not eligible.
    [[nodiscard]] const FixedMaximum* find(std::size_t head, std::int64_t query) const {
        if (heads.empty())
            return nullptr;
        const auto block = static_cast<std::size_t>(query / boundQueries);
        return eligible[head * static_cast<std::size_t>(blocks) + block] != 0 ? &heads[head] : nullptr;
    }
};

/// Finds the maxima of one head.
void findMaxima(const LocalAttention& attention, std::int64_t batch, std::int64_t head, FixedMaxima& maxima) {
    const std::int64_t headDim = attention.query.headDim();
    const std::int64_t queries = attention.queryCount();
    const std::int64_t keys = attention.keyCount();
    const std::int64_t index = batch * attention.query.heads() + head;
    FixedMaximum& fixed = maxima.heads[static_cast<std::size_t>(index)];
    fixed = smoothedFixedMaximum(
        attention.key.rows(batch, attention.firstKey, head), keys, findKeyMask(attention, batch),
        std::span(maxima.means)
            .subspan(static_cast<std::size_t>(index * headDim), static_cast<std::size_t>(headDim)));
    for (std::int64_t block = 0; block < maxima.blocks; ++block) {
        const std::int64_t first = block * maxima.boundQueries;
        const double norm = largestNorm(attention.query.rows(batch, attention.firstQuery + first, head),
                                        std::min(maxima.boundQueries, queries - first), headDim, nullptr);
        maxima.eligible[static_cast<std::size_t>(index * maxima.blocks + block)] =
            fixedMaximumEligible(norm, attention.scale, fixed.keyNorm, keys) ? 1 : 0;
    }
}

FixedMaxima fixedMaxima(const Execution& execution, const LocalAttention& attention,
                        std::int64_t boundQueries) {
    const std::int64_t heads = attention.query.heads();
    const std::int64_t all = attention.query.batch() * heads;
    FixedMaxima maxima{.boundQueries = boundQueries,
                       .blocks = ceilDivide(attention.queryCount(), boundQueries)};
    maxima.heads.resize(static_cast<std::size_t>(all));
    maxima.means.resize(static_cast<std::size_t>(all * attention.query.headDim()));
    maxima.eligible.resize(static_cast<std::size_t>(all * maxima.blocks));
    execution.workers.parallelFor(all, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t index = begin; index < end; ++index)
            findMaxima(attention, index / heads, index % heads, maxima);
    });
    return maxima;
}

/// The plan's kernel on one worker, with the memory that it keeps between blocks.
class KernelRunner {
  public:
    KernelRunner(const AttentionKernelPlan& plan, const LocalAttention& attention, const FixedMaxima& maxima,
                 std::span<const double> queryNorms)
        : m_plan(plan), m_attention(attention), m_maxima(maxima), m_queryNorms(queryNorms) {}

    /// `heads` heads from that of `first` on. How the first one ran, for a kernel of fixed m.
    FixedMHead run(const QueryBlock& first, std::int64_t heads, const PartialSink& sink) {
        m_problems.clear();
        m_kept.clear();
        m_kept.reserve(static_cast<std::size_t>(heads));  // problems point to them
        m_partials.resize(static_cast<std::size_t>(heads));
        QueryBlock block = first;
        for (; block.head < first.head + heads; ++block.head) {
            m_problems.push_back(problemOf(m_attention, block));
            if (!m_queryNorms.empty())
                m_problems.back().queryNorm = m_queryNorms[headIndex(block)];
            if (m_attention.sparse != nullptr)
                leaveOut(block, m_problems.back());
        }
        const FixedMHead outcome = compute(first);
        addLastKey();
        block.head = first.head;
        for (std::size_t head = 0; head < m_partials.size(); ++head) {
            if (m_attention.sparse != nullptr && m_attention.sparse->means != nullptr)
                addMeans(block, m_problems[head], m_partials[head]);
            block.places = m_problems[head].queryRows;
            sink(block, m_partials[head], m_spare);
            ++block.head;
        }
        return outcome;
    }

  private:
    [[nodiscard]] std::int64_t mapOf(const QueryBlock& block) const {
        return m_attention.sparse->kept.mapOf(block.batch, block.head);
    }

    // The problem's queries and keys in the order of blocks, and which of these they attend to.
    void leaveOut(const QueryBlock& block, HeadInputs& problem) {
        const SparseKeys& sparse = *m_attention.sparse;
        const std::int64_t map = mapOf(block);
        const TokenBlocks& queries = sparse.queries[sparse.kept.layoutOf(map)];
        const TokenBlocks& keys = sparse.keys[sparse.kept.layoutOf(map)];
        problem.q = m_attention.query.rows(block.batch, 0, block.head);
        problem.queryRows = queries.order.data() + block.firstQuery;
        problem.keys = keys.tokens();
        const auto firstBlock = static_cast<std::size_t>(sparse.firstBlock);
        m_kept.push_back(
            {.places = keys.order.data(),
             .blockTokens = keys.blockTokens,
             .kept = sparse.kept.row(map, block.firstQuery / queries.blockTokens).data() + firstBlock,
             .keptStride = sparse.kept.keyBlocks()});
        problem.kept = &m_kept.back();
    }

    // Of the blocks that a block of queries leaves out, which all have as many keys: such a mean counts as
    // often.
    void addMeans(const QueryBlock& block, const HeadInputs& problem, AttentionPartial& partial) {
        const SparseKeys& sparse = *m_attention.sparse;
        const std::int64_t blockTokens = sparse.queries.front().blockTokens;
        const double keysOfBlock = real(blockTokens);
        const auto counts = static_cast<float>(partial.base == ExponentBase::Two ? std::log2(keysOfBlock)
                                                                                 : std::log(keysOfBlock));
        const std::int64_t width = m_attention.query.headDim();
        m_leftOut.resize(static_cast<std::size_t>(sparse.kept.keyBlocks()));
        for (std::int64_t first = 0; first < block.queries; first += blockTokens) {
            const std::span<const std::uint8_t> kept =
                sparse.kept.row(mapOf(block), (block.firstQuery + first) / blockTokens);
            std::ranges::transform(kept, m_leftOut.begin(),
                                   [](std::uint8_t one) -> std::uint8_t { return one == 0 ? 1 : 0; });
            const HeadInputs means{.queries = std::min(blockTokens, block.queries - first),
                                   .keys = sparse.kept.keyBlocks(),
                                   .headDim = width,
                                   .q = problem.q,
                                   .k = sparse.means->key.rows(block.batch, 0, block.head),
                                   .v = sparse.means->value.rows(block.batch, 0, block.head),
                                   .scale = problem.scale,
                                   .keyMask = m_leftOut.data(),
                                   .queryNorm = problem.queryNorm,
                                   .queryRows = problem.queryRows + first};
            customAttention({&means, 1}, m_plan.blocks, partial.base, m_scratch, {&m_ofMeans, 1});
            for (float& maximum : m_ofMeans.maximum)
                maximum += counts;
            mergePartials(partial, m_ofMeans, first);
        }
    }

    FixedMHead compute(const QueryBlock& first) {
        if (const FixedMaximum* fixed = m_maxima.find(headIndex(first), first.firstQuery); fixed != nullptr)
            return fixedMaximumAttention(m_problems.front(), *fixed, m_plan.blocks, m_plan.base, m_scratch,
                                         m_partials.front())
                       ? FixedMHead::Bounded
                       : FixedMHead::WeightsLost;
        if (m_plan.kernel == AttentionKernel::DotProduct)
            dotProductAttention(m_problems.front(), m_scratch, m_partials.front());
        else if (m_plan.kernel == AttentionKernel::Flash)
            flashAttention(m_problems.front(), m_plan.blocks, m_scratch, m_partials.front());
        else
            customAttention(m_problems, m_plan.blocks, m_plan.base, m_scratch, m_partials);
        return FixedMHead::BoundTooLarge;
    }

    void addLastKey() {
        if (m_attention.lastKeyCount > 1)
            for (std::size_t head = 0; head < m_problems.size(); ++head)
                addRepeatedKey(m_problems[head], m_problems[head].keys, m_attention.lastKeyCount,
                               m_partials[head]);
    }

    [[nodiscard]] std::size_t headIndex(const QueryBlock& block) const {
        return static_cast<std::size_t>(block.batch * m_attention.query.heads() + block.head);
    }

    const AttentionKernelPlan& m_plan;
    const LocalAttention& m_attention;
    const FixedMaxima& m_maxima;
    std::span<const double> m_queryNorms;
    ScratchVector<HeadInputs> m_problems;
    ScratchVector<AttentionPartial> m_partials;
    AttentionPartial m_spare;
    // Block-sparse attention.
    ScratchVector<KeptKeys> m_kept;
    ScratchVector<std::uint8_t> m_leftOut;
    AttentionPartial m_ofMeans;
    AttentionScratch m_scratch;
};

void requireSparse(const AttentionKernelPlan& plan, const LocalAttention& attention) {
    const SparseKeys* const sparse = attention.sparse;
    if (sparse == nullptr)
        return;
    const AttentionKernelRow& kernel = rowOf(plan.kernel);
    const std::span<const TokenBlocks> queries = sparse->queries;
    // Tiles of queries and keys lie in one block each.
    const bool fitsTiles = queries.empty() || !customRunsInTiles(attention.query.data.dtype()) ||
                           queries.front().blockTokens % tileStep == 0;
    if (!fitsTiles || !kernel.sparseOn.host || plan.blocks.headsPerTile != 1 || !attention.bias.empty() ||
        attention.lastKeyCount > 1 || !attention.frameBias.ofFrames.empty() || queries.empty() ||
        queries.size() != sparse->keys.size() || attention.firstQuery != 0 ||
        queries.front().tokens() != attention.queryCount() ||
        queries.front().count() != sparse->kept.queryBlocks() ||
        sparse->keys.front().tokens() != attention.keyCount() ||
        sparse->firstBlock + sparse->keys.front().count() > sparse->kept.keyBlocks())
        throw Error(ErrorKind::Internal,
                    fmt::format("Block-sparse attention of {} queries to {} keys does not fit the kernel {}",
                                attention.query.tokens(), attention.keyCount(), kernel.name));
}

void attendAndRecord(const Execution& execution, const AttentionKernelPlan& plan,
                     const LocalAttention& attention, const PartialSink& sink,
                     const std::optional<FixedMRecord>& record) {
    requireSparse(plan, attention);
    const Tiling tiling = readTiling(plan, attention, execution.workers.size());
    const std::int64_t heads = attention.query.heads();
    const std::int64_t queryBlocks = std::ssize(tiling.queries);
    const std::int64_t headTiles = ceilDivide(heads, tiling.heads);
    const ScratchVector<double> norms = queryNorms(execution, plan, attention);
    const FixedMaxima maxima = rowOf(plan.kernel).boundsScores
                                   ? fixedMaxima(execution, attention, tiling.boundQueries)
                                   : FixedMaxima{};

    const std::int64_t items = attention.query.batch() * headTiles * queryBlocks;
    ScratchVector<FixedMHead> outcomes(maxima.heads.empty() ? 0 : static_cast<std::size_t>(items));
    execution.workers.parallelFor(items, [&](std::int64_t begin, std::int64_t end) {
        KernelRunner runner(plan, attention, maxima, norms);
        for (std::int64_t index = begin; index < end; ++index) {
            const std::int64_t firstHead = index / queryBlocks % headTiles * tiling.heads;
            const Tiling::Range& queries = tiling.queries[static_cast<std::size_t>(index % queryBlocks)];
            const FixedMHead outcome = runner.run({.batch = index / queryBlocks / headTiles,
                                                   .head = firstHead,
                                                   .firstQuery = queries.begin,
                                                   .queries = queries.end - queries.begin},
                                                  std::min(tiling.heads, heads - firstHead), sink);
            if (!outcomes.empty())
                outcomes[static_cast<std::size_t>(index)] = outcome;
        }
    });
    if (!record || outcomes.empty())
        return;
    // Fixed m takes one head at a time: [batch, heads, queryBlocks].
    for (std::int64_t index = 0; index < std::ssize(outcomes) / queryBlocks; ++index)
        record->outcome.add(index / heads, record->firstHead + index % heads,
                            std::span(outcomes).subspan(static_cast<std::size_t>(index * queryBlocks),
                                                        static_cast<std::size_t>(queryBlocks)));
}

}  // namespace

void attendLocally(const Execution& execution, const AttentionKernelPlan& plan,
                   const LocalAttention& attention, const PartialSink& sink) {
    attendAndRecord(execution, plan, attention, sink, {});
}

namespace {

/// The row from which the places of a block's queries count.
std::int64_t firstOutputRow(const QueryBlock& block) {
    return block.places == nullptr ? block.firstQuery : 0;
}

std::int64_t rowOfQuery(const QueryBlock& block, std::int64_t query) {
    return block.places == nullptr ? query : block.places[query];
}

/// Adds to the scores of a partial's keys what its queries' frames say.
void addFrameBias(const FrameBias& bias, const QueryBlock& block, AttentionPartial& partial) {
    if (bias.ofFrames.empty())
        return;
    const float unit = partial.base == ExponentBase::Two ? std::numbers::log2e_v<float> : 1.0F;
    for (std::int64_t row = 0; row < block.queries; ++row)
        partial.maximum[static_cast<std::size_t>(row)] += unit * bias.of(block.firstQuery + row);
}

}  // namespace

AttentionAccumulator::AttentionAccumulator(const Execution& execution, const AttentionKernelPlan& plan,
                                           HeadTensor out, int parts, ScratchArena& scratch)
    : m_execution(execution), m_plan(plan), m_out(std::move(out)), m_parts(parts), m_partsLeft(parts) {
    dispatch(execution, {MatrixView(m_out.data)}, [&](const auto& on) { reserveOn(on, scratch); });
}

void AttentionAccumulator::reserveOn(const OnHost& /*on*/, ScratchArena& scratch) {
    if (!rowOf(m_plan.kernel).runsOn.host)
        throw Error(ErrorKind::Internal,
                    fmt::format("The CPU has no attention kernel {}", rowOf(m_plan.kernel).name));
    if (m_parts == 1)
        return;
    m_sums = m_out;
    if (m_out.data.dtype() != DType::F32)
        m_sums.data = scratch.take(m_out.data.shape());
    const Shape statistics{m_out.batch(), m_out.heads(), m_out.tokens()};
    m_maximum = scratch.take(statistics);
    m_sum = scratch.take(statistics);
}

void AttentionAccumulator::add(const LocalAttention& attention, const std::optional<FixedMRecord>& record) {
    --m_partsLeft;
    dispatch(m_execution, {MatrixView(m_out.data)}, [&](const auto& on) { addOn(on, attention, record); });
}

void AttentionAccumulator::addOn(const OnHost& on, const LocalAttention& attention,
                                 const std::optional<FixedMRecord>& record) {
    attendAndRecord(
        on.execution, m_plan, attention,
        [&](const QueryBlock& ofCall, AttentionPartial& part, AttentionPartial& before) {
            QueryBlock block = ofCall;
            block.firstQuery += attention.firstQuery;
            addFrameBias(attention.frameBias, block, part);
            if (!m_first) {
                load(block, part.base, before);
                mergePartials(before, part);
            }
            const AttentionPartial& merged = m_first ? part : before;
            if (m_partsLeft == 0)
                finalizePartial(merged, m_out.outputRows(block.batch, firstOutputRow(block), block.head),
                                block.places);
            else
                store(block, merged);
        },
        record);
    m_first = false;
}

void AttentionAccumulator::addPairs(const LocalAttention& attention, std::span<const QueryKeyPair> pairs) {
    --m_partsLeft;
    if (m_parts == 1 || m_partsLeft != 0)
        throw Error(ErrorKind::Internal,
                    fmt::format("Pairs of queries and keys are the last of several parts "
                                "of an attention, not one of {} with {} behind it",
                                m_parts, m_partsLeft));
    dispatch(m_execution, {MatrixView(m_out.data)},
             [&](const auto& on) { addPairsOn(on, attention, pairs); });
}

void AttentionAccumulator::addPairsOn(const OnHost& on, const LocalAttention& attention,
                                      std::span<const QueryKeyPair> pairs) {
    std::int64_t done = 0;
    for (const QueryKeyPair& pair : pairs) {
        finishRows(on, done, pair.firstQuery);
        LocalAttention own = attention;
        own.firstQuery = pair.firstQuery;
        own.queries = pair.queries;
        own.firstKey = pair.firstKey;
        own.keys = pair.keys;
        addOn(on, own, {});
        done = pair.firstQuery + pair.queries;
    }
    finishRows(on, done, m_out.tokens());
}

void AttentionAccumulator::finishRows(const OnHost& on, std::int64_t begin, std::int64_t end) {
    if (begin >= end)
        return;
    const std::int64_t heads = m_out.heads();
    on.execution.workers.parallelFor(m_out.batch() * heads, [&](std::int64_t first, std::int64_t last) {
        AttentionPartial partial;
        for (std::int64_t index = first; index < last; ++index) {
            const QueryBlock block{
                .batch = index / heads, .head = index % heads, .firstQuery = begin, .queries = end - begin};
            load(block, ExponentBase::Natural, partial);  // nothing depends on the base any more
            finalizePartial(partial, m_out.outputRows(block.batch, block.firstQuery, block.head));
        }
    });
}

std::int64_t AttentionAccumulator::statisticsOffset(const QueryBlock& block) const {
    return (block.batch * m_out.heads() + block.head) * m_out.tokens() + block.firstQuery;
}

void AttentionAccumulator::load(const QueryBlock& block, ExponentBase base, AttentionPartial& partial) const {
    const std::int64_t width = m_sums.headDim();
    partial.reset(block.queries, width, base);
    const HeadRows rows = m_sums.rows(block.batch, firstOutputRow(block), block.head);
    for (std::int64_t row = 0; row < block.queries; ++row)
        rows.read(rowOfQuery(block, row),
                  std::span(partial.output)
                      .subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width)));
    const std::int64_t statistics = statisticsOffset(block);
    std::copy_n(m_maximum.data<float>().begin() + statistics, block.queries, partial.maximum.begin());
    std::copy_n(m_sum.data<float>().begin() + statistics, block.queries, partial.sum.begin());
}

void AttentionAccumulator::store(const QueryBlock& block, const AttentionPartial& partial) {
    const std::int64_t width = m_sums.headDim();
    const OutputRows rows = m_sums.outputRows(block.batch, firstOutputRow(block), block.head);
    for (std::int64_t row = 0; row < block.queries; ++row)
        rows.write(rowOfQuery(block, row),
                   std::span(partial.output)
                       .subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width)),
                   1.0F);
    const std::int64_t statistics = statisticsOffset(block);
    std::ranges::copy(partial.maximum, m_maximum.data<float>().begin() + statistics);
    std::ranges::copy(partial.sum, m_sum.data<float>().begin() + statistics);
}

SparseDifference differenceFromDense(const AttentionKernelPlan& plan, const LocalAttention& attention,
                                     const HeadTensor& out) {
    const SparseKeys& sparse = *attention.sparse;
    if (out.batch() == 0 || out.heads() == 0 || out.tokens() == 0)
        return {};
    const TokenBlocks& queries = sparse.queries[sparse.kept.layoutOf(sparse.kept.mapOf(0, 0))];
    const std::int64_t block = queries.count() / 2;
    const std::int32_t* const places = queries.order.data() + block * queries.blockTokens;
    const HeadInputs problem{.queries = queries.sizeOf(block),
                             .keys = attention.keyCount(),
                             .headDim = out.headDim(),
                             .q = attention.query.rows(0, 0, 0),
                             .k = attention.key.rows(0, attention.firstKey, 0),
                             .v = attention.value.rows(0, attention.firstKey, 0),
                             .scale = attention.scale,
                             .keyMask = findKeyMask(attention, 0),
                             .queryRows = places};
    AttentionScratch scratch;
    AttentionPartial dense;
    customAttention({&problem, 1}, plan.blocks, plan.base, scratch, {&dense, 1});
    const auto width = static_cast<std::size_t>(out.headDim());
    ScratchVector<float> row(width);
    SparseDifference sums;
    const HeadRows rows = out.rows(0, 0, 0);
    for (std::int64_t query = 0; query < problem.queries; ++query) {
        const float sum = dense.sum[static_cast<std::size_t>(query)];
        rows.read(places[query], row);
        for (std::size_t i = 0; i < width; ++i) {
            const double exact =
                sum == 0.0F
                    ? 0.0
                    : static_cast<double>(dense.output[static_cast<std::size_t>(query) * width + i] / sum);
            const double difference = static_cast<double>(row[i]) - exact;
            sums.difference += difference * difference;
            sums.reference += exact * exact;
        }
    }
    return sums;
}

namespace {

void requireSize(std::string_view what, std::size_t found, std::int64_t expected) {
    if (found != static_cast<std::size_t>(expected))
        throw Error(ErrorKind::Internal,
                    fmt::format("Attention got {} values of {}, needs {}", found, what, expected));
}

void requireSizes(const AttentionInputs& inputs, std::span<float> out) {
    const std::int64_t width = inputs.heads * inputs.headDim;
    const std::int64_t queryValues = inputs.batch * inputs.queryLength * width;
    const std::int64_t keyValues = inputs.batch * inputs.keyLength * width;
    requireSize("query", inputs.query.size(), queryValues);
    requireSize("key", inputs.key.size(), keyValues);
    requireSize("value", inputs.value.size(), keyValues);
    requireSize("output", out.size(), queryValues);
    if (!inputs.keyMask.empty())
        requireSize("mask", inputs.keyMask.size(), inputs.batch * inputs.keyLength);
    if (!inputs.bias.empty())
        requireSize("bias", inputs.bias.size(), inputs.heads * (inputs.queryLength + inputs.keyLength - 1));
}

}  // namespace

void attend(const Execution& execution, const AttentionKernelPlan& plan, const AttentionInputs& inputs,
            std::span<float> out) {
    requireSizes(inputs, out);
    if (!inputs.bias.empty() && rowOf(plan.kernel).isCustom)
        throw Error(ErrorKind::Internal, "The custom attention kernels take no bias");
    const auto tensor = [&](std::span<const float> values, std::int64_t tokens) {
        return HeadTensor{Tensor::view(values.data(), {inputs.batch, tokens, inputs.heads, inputs.headDim},
                                       DType::F32, nullptr)};
    };
    attend(execution, plan,
           {.query = tensor(inputs.query, inputs.queryLength),
            .key = tensor(inputs.key, inputs.keyLength),
            .value = tensor(inputs.value, inputs.keyLength),
            .keyMask = inputs.keyMask.empty() ? nullptr : inputs.keyMask.data(),
            .keyMaskStride = inputs.keyLength,
            .bias = inputs.bias,
            .scale = inputs.scale},
           tensor(out, inputs.queryLength));
}

void attend(const Execution& execution, const AttentionKernelPlan& plan, const LocalAttention& attention,
            const HeadTensor& out) {
    ScratchArena scratch;
    AttentionAccumulator(execution, plan, out, 1, scratch).add(attention);
}

}  // namespace meshreel

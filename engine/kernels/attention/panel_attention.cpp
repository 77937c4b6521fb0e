// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/panel_attention.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/fixed_maximum.h"
#include "engine/kernels/attention/kept_blocks.h"
#include "engine/kernels/denormals_flushed.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {

namespace {

constexpr std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

double largestQueryNorm(const HeadInputs& problem) {
    return problem.queryNorm >= 0.0 ? problem.queryNorm
                                    : largestNorm(problem.q, problem.queries, problem.headDim, nullptr);
}

// Elements of what a worker holds.
struct Layout {
    // `leastKv`: keys that must fit in a block, whatever its size is.
    Layout(const FlashBlockSizes& blocks, std::int64_t heads, std::int64_t queryCount, std::int64_t keys,
           std::int64_t width, std::int64_t leastKv = 1)
        : queries(queryCount),
          panels(roundUp(queryCount, panelQueries) / panelQueries),
          headDim(width),
          kv(std::min(std::max(blocks.blockKv, leastKv), keys)),
          compute(std::min(blocks.blockKvCompute, kv)),
          strip(std::min(blocks.blockKvComputeIn, compute)),
          valueGroups(roundUp(width, panelValueStep) / panelValueStep),
          headCount(heads) {}

    [[nodiscard]] std::int64_t panelSize() const { return panelQueries * headDim; }
    [[nodiscard]] std::int64_t queryFloats() const { return headCount * panels * panelSize(); }
    // A strip anywhere in the block may read a step of rows past its end.
    [[nodiscard]] std::int64_t headKeys() const { return (kv + panelKeyStep) * headDim; }
    [[nodiscard]] std::int64_t headValues() const { return valueGroups * kv * panelValueStep; }
    [[nodiscard]] std::int64_t stripScores() const { return roundUp(strip, panelKeyStep) * panelQueries; }
    [[nodiscard]] std::int64_t headStatistics() const { return 2 * panels * panelQueries; }
    [[nodiscard]] std::int64_t statistics() const { return headCount * headStatistics() + panelQueries; }
    // Returns the queries of one head and the keys of a chunk, as f64.
    [[nodiscard]] std::int64_t wideRows() const {
        return panels * panelSize() + (compute + panelKeyStep) * headDim;
    }

    std::int64_t queries;
    std::int64_t panels;
    std::int64_t headDim;
    std::int64_t kv;
    std::int64_t compute;
    std::int64_t strip;
    std::int64_t valueGroups;
    std::int64_t headCount;
};

// A head on its way through its keys.
struct HeadState {
    PanelHead& head;
    KeySource source;
    double queryNorm;
    float* queries;  // [panels] times [headDim, panelQueries]
    float* keys;     // [kv, headDim]
    float* values;   // see PanelWeights
    float* maxima;   // [panels, panelQueries]
    float* sums;
    std::int64_t keyCount = 0;
};

// Some keys of a head's block.
struct KeyRange {
    std::int64_t first;
    std::int64_t count;
};

// What stands for the score of a key that a query of a panel does not attend to while others do: its weight
// is 0 once the query has met a key, and finish() takes back what it was worth before. A finite number,
// because weights below an infinite maximum are NaN.
constexpr float leftOutScore = -1e30F;

class Attention {
  public:
    Attention(const PanelKernels& kernels, const Layout& layout, AttentionScratch& scratch)
        : m_kernels(kernels), m_layout(layout), m_scratch(scratch) {}

    void run(std::span<PanelHead> heads) {
        if (m_layout.kv == 0 || m_layout.queries == 0)
            return;
        ScratchVector<HeadState> states = begin(heads);
        m_scores = m_scratch.scores.take<float>(2 * m_layout.stripScores());
        if (heads.front().problem.kept != nullptr)
            std::ranges::for_each(states, [this](HeadState& state) { attendKept(state); });
        else
            attendAll(states);
        for (const HeadState& state : states)
            finish(state);
    }

  private:
    void attendAll(std::span<HeadState> states) {
        while (fetch(states))
            for (std::int64_t first = 0; first < m_layout.kv; first += m_layout.compute)
                for (HeadState& state : states)
                    if (first < state.keyCount)
                        attendChunk(state, {first, std::min(m_layout.compute, state.keyCount - first)});
    }

    // Blocks of keys that some query attends to, one after the other.
    void attendKept(HeadState& state) {
        KeptBlockSource source(state.head.problem);
        const std::int64_t window =
            std::max<std::int64_t>(1, m_layout.kv / state.head.problem.kept->blockTokens);
        for (std::span<const KeptBlock> blocks = source.next(window); !blocks.empty();
             blocks = source.next(window)) {
            state.keyCount = 0;
            for (const KeptBlock& block : blocks)
                for (const std::int64_t row : block.rows)
                    copyKey(state, row, state.keyCount++);
            padKeys(state);
            std::int64_t first = 0;
            for (const KeptBlock& block : blocks) {
                const std::int64_t end = first + std::ssize(block.rows);
                for (; first < end; first += m_layout.compute)
                    attendChunk(state, {first, std::min(m_layout.compute, end - first)}, &block);
                first = end;
            }
        }
    }

    ScratchVector<HeadState> begin(std::span<PanelHead> heads) {
        float* queries = m_scratch.queries.take<float>(m_layout.queryFloats());
        float* keys = m_scratch.keys.take<float>(m_layout.headCount * m_layout.headKeys());
        float* values = m_scratch.values.take<float>(m_layout.headCount * m_layout.headValues());
        float* statistics = m_scratch.statistics.take<float>(m_layout.statistics());
        m_row.resize(static_cast<std::size_t>(m_layout.headDim));
        ScratchVector<HeadState> states;
        states.reserve(heads.size());
        for (PanelHead& head : heads) {
            const HeadInputs& problem = head.problem;
            states.push_back({.head = head,
                              .source = KeySource(problem),
                              .queryNorm = largestQueryNorm(problem),
                              .queries = queries,
                              .keys = keys,
                              .values = values,
                              .maxima = statistics,
                              .sums = statistics + m_layout.headStatistics() / 2});
            begin(states.back());
            queries += m_layout.panels * m_layout.panelSize();
            keys += m_layout.headKeys();
            values += m_layout.headValues();
            statistics += m_layout.headStatistics();
        }
        m_factors = statistics;
        return states;
    }

    void begin(HeadState& state) {
        const std::int64_t padded = m_layout.panels * panelQueries;
        std::fill_n(state.maxima, padded, noKey);
        std::ranges::copy(state.head.partial.maximum, state.maxima);
        std::fill_n(state.sums, padded, 0.0F);
        std::fill_n(state.queries, m_layout.panels * m_layout.panelSize(), 0.0F);
        for (std::int64_t query = 0; query < m_layout.queries; ++query) {
            state.head.problem.q.read(state.head.problem.queryRow(query), m_row);
            float* column =
                state.queries + query / panelQueries * m_layout.panelSize() + query % panelQueries;
            for (std::int64_t i = 0; i < m_layout.headDim; ++i)
                column[i * panelQueries] = m_row[static_cast<std::size_t>(i)];
        }
    }

    // False when no head has any key left.
    bool fetch(std::span<HeadState> states) {
        bool any = false;
        for (HeadState& state : states) {
            const std::span<const std::int64_t> rows = state.source.next(m_layout.kv);
            state.keyCount = std::ssize(rows);
            any = any || state.keyCount > 0;
            for (std::int64_t row = 0; row < state.keyCount; ++row)
                copyKey(state, rows[static_cast<std::size_t>(row)], row);
            padKeys(state);
        }
        return any;
    }

    void padKeys(const HeadState& state) {
        std::fill_n(state.keys + state.keyCount * m_layout.headDim, panelKeyStep * m_layout.headDim, 0.0F);
    }

    void copyKey(const HeadState& state, std::int64_t from, std::int64_t row) {
        const HeadInputs& problem = state.head.problem;
        const std::span<float> key(state.keys + row * m_layout.headDim, m_row.size());
        problem.k.read(from, key);
        const std::span<const float> mean = state.head.keyMean;
        if (!mean.empty())
            std::ranges::transform(key, mean, key.begin(), std::minus<>());
        problem.v.read(from, m_row);
        for (std::int64_t group = 0; group < m_layout.valueGroups; ++group) {
            const std::int64_t column = group * panelValueStep;
            const std::int64_t width = std::min(panelValueStep, m_layout.headDim - column);
            float* to = state.values + (group * m_layout.kv + row) * panelValueStep;
            std::copy_n(m_row.data() + column, width, to);
            std::fill_n(to + width, panelValueStep - width, 0.0F);
        }
    }

    // `block`: the one that the chunk is of, in block-sparse attention.
    void attendChunk(HeadState& state, KeyRange chunk, const KeptBlock* block = nullptr) {
        const HeadInputs& problem = state.head.problem;
        const double keyNorm =
            largestNorm(HeadRows(state.keys + chunk.first * m_layout.headDim, m_layout.headDim), chunk.count,
                        m_layout.headDim, nullptr);
        const bool wide = needsWideScores(state.queryNorm, keyNorm, problem.scale, problem.q.type());
        if (wide)
            widenChunk(state, chunk);
        for (std::int64_t panel = 0; panel < m_layout.panels; ++panel) {
            if (block != nullptr && !findAttending(state.head.problem, panel, block->index))
                continue;
            for (std::int64_t first = 0; first < chunk.count; first += m_layout.strip) {
                const KeyRange strip{chunk.first + first, std::min(m_layout.strip, chunk.count - first)};
                attendStrip(state, strip, panel, wide ? m_wideKeys + first * m_layout.headDim : nullptr);
            }
        }
        m_someLeftOut = false;
    }

    // Which queries of a panel attend to a block of keys; false: none.
    bool findAttending(const HeadInputs& problem, std::int64_t panel, std::int64_t keyBlock) {
        bool any = false;
        m_someLeftOut = false;
        const std::int64_t first = panel * panelQueries;
        const std::int64_t end = std::min(first + panelQueries, problem.queries);
        m_attends.fill(true);  // those that pad a panel change nothing
        for (std::int64_t query = first; query < end; ++query) {
            const bool attends = problem.kept->has(query / problem.kept->blockTokens, keyBlock);
            m_attends[static_cast<std::size_t>(query - first)] = attends;
            any = any || attends;
            m_someLeftOut = m_someLeftOut || !attends;
        }
        return any;
    }

    void leaveOut(const PanelScores& scores) const {
        for (std::int64_t key = 0; key < scores.keys; ++key)
            for (std::int64_t query = 0; query < panelQueries; ++query)
                if (!m_attends[static_cast<std::size_t>(query)]) {
                    scores.whole[key * panelQueries + query] = leftOutScore;
                    if (scores.fraction != nullptr)
                        scores.fraction[key * panelQueries + query] = 0.0F;
                }
    }

    // The queries stay for one head at a time.
    void widenChunk(const HeadState& state, KeyRange chunk) {
        m_wideQueries = m_scratch.wideRows.take<double>(m_layout.wideRows());
        m_wideKeys = m_wideQueries + m_layout.panels * m_layout.panelSize();
        if (m_wideHead != &state.head)
            std::copy_n(state.queries, m_layout.panels * m_layout.panelSize(), m_wideQueries);
        m_wideHead = &state.head;
        std::copy_n(state.keys + chunk.first * m_layout.headDim,
                    (chunk.count + panelKeyStep) * m_layout.headDim, m_wideKeys);
    }

    // `wideKeys` are those of the strip, nullptr for f32 scores.
    void attendStrip(HeadState& state, KeyRange strip, std::int64_t panel, const double* wideKeys) {
        AttentionPartial& partial = state.head.partial;
        const PanelScores scores{
            .whole = m_scores,
            .fraction = wideKeys != nullptr ? m_scores + m_layout.stripScores() : nullptr,
            .keys = strip.count};
        score(state, strip, panel, wideKeys, scores);
        if (m_someLeftOut)
            leaveOut(scores);
        const std::int64_t query = panel * panelQueries;
        const PanelStatistics statistics{
            .maxima = state.maxima + query, .sums = state.sums + query, .factors = m_factors};
        const PanelOutput output{.data = partial.output.data() + query * m_layout.headDim,
                                 .stride = m_layout.headDim,
                                 .queries = std::min(panelQueries, m_layout.queries - query),
                                 .width = m_layout.headDim};
        if (!state.head.fixedMaximum && m_kernels.raise(scores, partial.base, statistics))
            rescale(output);
        m_kernels.weigh(scores, partial.base, state.head.headroom, statistics);
        m_kernels.addValues({.weights = scores.whole,
                             .values = state.values + strip.first * panelValueStep,
                             .groupStride = m_layout.kv * panelValueStep,
                             .keys = strip.count},
                            output);
    }

    void score(const HeadState& state, KeyRange strip, std::int64_t panel, const double* wideKeys,
               const PanelScores& scores) const {
        const double scale = exponentScale(state.head.problem, state.head.partial.base);
        const std::int64_t at = panel * m_layout.panelSize();
        if (wideKeys != nullptr)
            m_kernels.scoreWide({.keys = {wideKeys, m_layout.headDim},
                                 .keyCount = strip.count,
                                 .queries = m_wideQueries + at,
                                 .headDim = m_layout.headDim,
                                 .scale = scale},
                                scores);
        else
            m_kernels.score({.keys = {state.keys + strip.first * m_layout.headDim, m_layout.headDim},
                             .keyCount = strip.count,
                             .queries = state.queries + at,
                             .headDim = m_layout.headDim,
                             .scale = static_cast<float>(scale)},
                            scores);
    }

    void rescale(const PanelOutput& output) const {
        for (std::int64_t query = 0; query < output.queries; ++query) {
            const float factor = m_factors[query];
            float* row = output.data + query * output.stride;
            if (factor != 1.0F)
                std::transform(row, row + output.width, row,
                               [factor](float value) { return value * factor; });
        }
    }

    void finish(const HeadState& state) const {
        AttentionPartial& partial = state.head.partial;
        std::copy_n(state.maxima, m_layout.queries, partial.maximum.begin());
        std::copy_n(state.sums, m_layout.queries, partial.sum.begin());
        if (state.head.problem.kept != nullptr)
            forgetLeftOut(partial);
    }

    // Of queries that met no key.
    void forgetLeftOut(AttentionPartial& partial) const {
        for (std::int64_t query = 0; query < m_layout.queries; ++query) {
            const auto index = static_cast<std::size_t>(query);
            if (partial.maximum[index] != leftOutScore)
                continue;
            partial.maximum[index] = noKey;
            partial.sum[index] = 0.0F;
            std::fill_n(partial.output.begin() + query * m_layout.headDim, m_layout.headDim, 0.0F);
        }
    }

    const PanelKernels& m_kernels;
    const Layout& m_layout;
    AttentionScratch& m_scratch;
    ScratchVector<float> m_row;
    float* m_scores = nullptr;
    float* m_factors = nullptr;
    double* m_wideQueries = nullptr;
    double* m_wideKeys = nullptr;
    const PanelHead* m_wideHead = nullptr;
    // Block-sparse attention: the queries of the panel at hand that attend to the chunk at hand.
    std::array<bool, static_cast<std::size_t>(panelQueries)> m_attends{};
    bool m_someLeftOut = false;
};

}  // namespace

void panelAttention(const PanelKernels& kernels, const FlashBlockSizes& blocks, std::span<PanelHead> heads,
                    AttentionScratch& scratch) {
    const HeadInputs& first = heads.front().problem;
    const Layout layout(blocks, std::ssize(heads), first.queries, first.keys, first.headDim,
                        first.kept != nullptr ? first.kept->blockTokens : 1);
    const DenormalsFlushed guard;
    Attention(kernels, layout, scratch).run(heads);
}

std::size_t panelScratchBytes(const FlashBlockSizes& blocks, std::int64_t heads, std::int64_t queries,
                              std::int64_t keys, std::int64_t headDim) {
    const Layout layout(blocks, heads, queries, keys, headDim);
    if (layout.kv == 0 || queries == 0)
        return 0;
    const std::int64_t floats = layout.queryFloats() + heads * (layout.headKeys() + layout.headValues()) +
                                2 * layout.stripScores() + layout.statistics();
    return static_cast<std::size_t>(floats) * sizeof(float) +
           static_cast<std::size_t>(layout.wideRows()) * sizeof(double);
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/custom_attention.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/key_source.h"
#include "engine/kernels/matmul.h"
#include "engine/kernels/score_tile.h"
#include "engine/kernels/softmax_strip.h"

namespace meshreel {

namespace {

// A wide strip is a strip of f64 scores with its f32 weights behind it, in the memory of an f32 score tile
// three times as high.
constexpr std::int64_t wideShare = 3;

// Weights below 2^-126 are lost. With a sum of at least this many times the number of keys, what is lost is
// below an f32's last bit.
constexpr double smallestFixedShare = 0x1p-102;

// How far a query's largest weight may be above 1 when its maximum is a bound: 88 of 127 powers of two leave
// room for sums; about as much in powers of e.
float fixedHeadroom(ExponentBase base) {
    constexpr float powersOfTwo = 88.0F;
    constexpr float powersOfE = 61.0F;
    return base == ExponentBase::Two ? powersOfTwo : powersOfE;
}

// Of q·k, so that the scores are exponents of the base.
double scaleOf(const AttentionProblem& problem, ExponentBase base) {
    return base == ExponentBase::Two ? problem.scale * std::numbers::log2e : problem.scale;
}

// Sizes of what a worker holds.
struct Layout {
    Layout(const CustomBlocks& blocks, std::int64_t queryCount, std::int64_t keys, std::int64_t width)
        : queries(queryCount),
          headDim(width),
          kv(std::min(blocks.kv, keys)),
          compute(std::min(blocks.compute, kv)),
          computeIn(std::min(blocks.computeIn, compute)),
          wideKeys(std::min(computeIn, std::max<std::int64_t>(1, compute / wideShare))) {}

    // f64 queries and keys.
    [[nodiscard]] std::int64_t wideRows() const { return (queries + wideKeys) * headDim; }

    [[nodiscard]] std::int64_t scores() const { return std::max(compute, wideShare * wideKeys) * queries; }

    std::int64_t queries;
    std::int64_t headDim;
    std::int64_t kv;
    std::int64_t compute;
    std::int64_t computeIn;
    std::int64_t wideKeys;
};

// One of the heads of a tile.
struct Head {
    const AttentionProblem& problem;
    AttentionPartial& partial;
    bool fixedMaximum;
    KeySource source;
    FloatRows q;
    double queryNorm;
    KeyBlock block = {};
};

// Works heads through their keys; see customAttention.
class Tile {
  public:
    Tile(const Layout& layout, const CustomBlocks& blocks, ExponentBase base, AttentionScratch& scratch)
        : m_layout(layout), m_blocks(blocks), m_base(base), m_scratch(scratch) {}

    void run(std::span<Head> heads) {
        if (m_layout.kv == 0)
            return;
        m_scores = m_scratch.scores.take<float>(m_layout.scores());
        m_factors = m_scratch.statistics.take<float>(2 * m_layout.queries);
        m_sums = m_factors + m_layout.queries;
        while (fetch(heads))
            for (std::int64_t first = 0; first < m_layout.kv; first += m_blocks.compute)
                for (Head& head : heads)
                    if (first < head.block.count)
                        attendChunk(head, first, std::min(m_blocks.compute, head.block.count - first));
    }

  private:
    // False when no head has any key left.
    bool fetch(std::span<Head> heads) {
        const std::int64_t size = m_layout.kv * m_layout.headDim;
        const std::int64_t all = size * std::ssize(heads);
        const bool copies =
            std::any_of(heads.begin(), heads.end(), [](const Head& head) { return head.source.copies(); });
        float* keys = copies ? m_scratch.keys.take<float>(all) : nullptr;
        float* values = copies ? m_scratch.values.take<float>(all) : nullptr;
        bool any = false;
        for (Head& head : heads) {
            head.block = head.source.next(m_layout.kv, keys, values);
            any = any || head.block.count > 0;
            if (copies) {
                keys += size;
                values += size;
            }
        }
        return any;
    }

    void attendChunk(Head& head, std::int64_t first, std::int64_t count) {
        const FloatRows k = head.block.k.from(first);
        const double keyNorm = largestNorm({k.data, k.stride}, count, m_layout.headDim, nullptr);
        if (needsWideScores(head.queryNorm, keyNorm, head.problem.scale))
            attendWide(head, first, count);
        else
            attendNarrow(head, first, count);
    }

    void attendNarrow(Head& head, std::int64_t first, std::int64_t count) {
        fillScores(product(head, head.block.k.from(first), count, head.q), 0.0F, m_scores);
        for (std::int64_t strip = 0; strip < count; strip += m_blocks.computeIn) {
            const std::int64_t keys = std::min(m_blocks.computeIn, count - strip);
            float* scores = m_scores + strip * m_layout.queries;
            addStrip<float>(head, {scores, keys, m_layout.queries}, head.block.v.from(first + strip), scores);
        }
    }

    void attendWide(Head& head, std::int64_t first, std::int64_t count) {
        const Rows<double> q = wideQueries(head);
        double* wideKeys = m_scratch.wideRows.take<double>(m_layout.wideRows()) + q.stride * m_layout.queries;
        // The same memory as m_scores.
        auto* scores = m_scratch.scores.take<double>(m_layout.wideKeys * m_layout.queries);
        float* weights = m_scores + 2 * m_layout.wideKeys * m_layout.queries;
        for (std::int64_t strip = 0; strip < count; strip += m_layout.wideKeys) {
            const std::int64_t keys = std::min(m_layout.wideKeys, count - strip);
            const Rows<double> k = widen(head.block.k.from(first + strip), keys, m_layout.headDim, wideKeys);
            fillScores(product(head, k, keys, q), 0.0, scores);
            addStrip<double>(head, {scores, keys, m_layout.queries}, head.block.v.from(first + strip),
                             weights);
        }
    }

    // Kept for one head at a time.
    Rows<double> wideQueries(const Head& head) {
        auto* rows = m_scratch.wideRows.take<double>(m_layout.wideRows());
        if (m_wideHead != &head)
            widen(head.q, m_layout.queries, m_layout.headDim, rows);
        m_wideHead = &head;
        return {rows, m_layout.headDim};
    }

    template <typename Real>
    [[nodiscard]] ScoreTile<Real> product(const Head& head, const Rows<Real>& keys, std::int64_t count,
                                          const Rows<Real>& queries) const {
        return {.rows = keys,
                .rowCount = count,
                .columns = queries,
                .columnCount = m_layout.queries,
                .headDim = m_layout.headDim,
                .scale = scaleOf(head.problem, m_base)};
    }

    // One softmax step. The weights may lie where the scores do.
    template <typename Score>
    void addStrip(Head& head, const ScoreStrip<Score>& strip, const FloatRows& v, float* weights) {
        AttentionPartial& partial = head.partial;
        if (!head.fixedMaximum && raiseMaxima(strip, m_base, partial.maximum.data(), m_factors))
            rescale(partial);
        weighScores(strip, m_base, partial.maximum.data(), weights, m_sums);
        std::transform(partial.sum.begin(), partial.sum.end(), m_sums, partial.sum.begin(), std::plus<>());
        gemm(true, false, m_layout.queries, m_layout.headDim, strip.keys, 1.0F, weights, m_layout.queries,
             v.data, v.stride, 1.0F, partial.output.data(), m_layout.headDim);
    }

    void rescale(AttentionPartial& partial) const {
        for (std::int64_t query = 0; query < m_layout.queries; ++query) {
            const float factor = m_factors[query];
            if (factor == 1.0F)
                continue;
            partial.sum[static_cast<std::size_t>(query)] *= factor;
            float* row = partial.output.data() + query * m_layout.headDim;
            std::transform(row, row + m_layout.headDim, row,
                           [factor](float value) { return value * factor; });
        }
    }

    const Layout& m_layout;
    const CustomBlocks& m_blocks;
    ExponentBase m_base;
    AttentionScratch& m_scratch;
    const Head* m_wideHead = nullptr;
    float* m_scores = nullptr;
    float* m_factors = nullptr;
    float* m_sums = nullptr;
};

void requireHeads(std::span<const AttentionProblem> heads, std::span<AttentionPartial> partials,
                  const CustomBlocks& blocks) {
    if (heads.size() != partials.size())
        throw Error(ErrorKind::Internal, "The custom attention kernel got partials for other heads");
    if (blocks.kv < 1 || blocks.compute < 1 || blocks.computeIn < 1)
        throw Error(ErrorKind::Internal, "The custom attention kernel got empty blocks");
    for (const AttentionProblem& head : heads) {
        if (head.bias.present())
            throw Error(ErrorKind::Internal, "The custom attention kernel has no bias; use flash");
        if (head.queries != heads[0].queries || head.keys != heads[0].keys ||
            head.headDim != heads[0].headDim)
            throw Error(ErrorKind::Internal, "Heads of different sizes cannot share a tile");
    }
}

// The queries as f32 in `to`, or where they lie when they are already.
FloatRows asFloats(const AttentionProblem& problem, float* to) {
    if (problem.q.type() == DType::F32)
        return problem.q.floats();
    for (std::int64_t row = 0; row < problem.queries; ++row)
        problem.q.read(row, {to + row * problem.headDim, static_cast<std::size_t>(problem.headDim)});
    return {to, problem.headDim};
}

void attendHeads(std::span<const AttentionProblem> problems, const FixedMaximum* fixed,
                 const CustomBlocks& blocks, ExponentBase base, AttentionScratch& scratch,
                 std::span<AttentionPartial> partials) {
    const AttentionProblem& first = problems[0];
    const Layout layout(blocks, first.queries, first.keys, first.headDim);
    const std::int64_t querySize = layout.queries * layout.headDim;
    const bool converts = std::any_of(problems.begin(), problems.end(), [](const AttentionProblem& problem) {
        return problem.q.type() != DType::F32;
    });
    float* queries = converts ? scratch.queries.take<float>(querySize * std::ssize(problems)) : nullptr;
    std::vector<Head> heads;
    heads.reserve(problems.size());
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const AttentionProblem& problem = problems[i];
        heads.push_back({.problem = problem,
                         .partial = partials[i],
                         .fixedMaximum = fixed != nullptr,
                         .source = KeySource(problem, fixed != nullptr ? std::span(fixed->keyMean)
                                                                       : std::span<const float>()),
                         .q = asFloats(problem, queries),
                         .queryNorm = largestNorm(problem.q, problem.queries, problem.headDim, nullptr)});
        if (converts)
            queries += querySize;
    }
    Tile(layout, blocks, base, scratch).run(heads);
}

// m_i of the fixed-m kernel: the bound of query i's scores, rounded up, less the headroom.
void putFixedMaxima(const AttentionProblem& head, const FixedMaximum& fixed, AttentionPartial& partial) {
    const double factor = std::abs(scaleOf(head, partial.base)) * fixed.keyNorm;
    for (std::int64_t query = 0; query < head.queries; ++query) {
        const double norm = largestNorm(head.q.from(query), 1, head.headDim, nullptr);
        partial.maximum[static_cast<std::size_t>(query)] =
            static_cast<float>(std::ceil(norm * factor)) - fixedHeadroom(partial.base);
    }
}

bool anyKept(const AttentionProblem& problem) {
    return problem.keep == nullptr ? problem.keys > 0
                                   : std::any_of(problem.keep, problem.keep + problem.keys,
                                                 [](std::uint8_t keep) { return keep != 0; });
}

bool finite(std::span<const float> row) {
    return std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); });
}

// What taking the mean off the keys took off the scores of one query.
double meanScore(const AttentionProblem& head, const FixedMaximum& fixed, std::int64_t query,
                 std::span<float> buffer, ExponentBase base) {
    if (fixed.keyMean.empty())
        return 0.0;
    head.q.read(query, buffer);
    return scaleOf(head, base) * std::inner_product(buffer.begin(), buffer.end(), fixed.keyMean.begin(), 0.0);
}

// Lowers the sums to about 1, as they are when a maximum is the largest score, and maxima to what they are
// for keys with their mean, so that partials of other keys can be merged without overflow or loss. False when
// a sum or an output left f32's range.
bool normaliseFixed(const AttentionProblem& head, const FixedMaximum& fixed, AttentionPartial& partial) {
    const double smallest = smallestFixedShare * static_cast<double>(head.keys);
    const bool two = partial.base == ExponentBase::Two;
    std::vector<float> buffer(static_cast<std::size_t>(head.headDim));
    for (std::int64_t query = 0; query < partial.queries; ++query) {
        const auto index = static_cast<std::size_t>(query);
        const std::span<float> row(partial.output.data() + query * partial.headDim, buffer.size());
        const double sum = partial.sum[index];
        if (!(sum >= smallest) || !finite(row))
            return false;
        const double lowered =
            static_cast<double>(partial.maximum[index]) + meanScore(head, fixed, query, buffer, partial.base);
        const double maximum = std::ceil(lowered + (two ? std::log2(sum) : std::log(sum)));
        const double factor = two ? std::exp2(lowered - maximum) : std::exp(lowered - maximum);
        partial.maximum[index] = static_cast<float>(maximum);
        partial.sum[index] = static_cast<float>(sum * factor);
        std::transform(row.begin(), row.end(), row.begin(),
                       [factor](float value) { return static_cast<float>(value * factor); });
    }
    return true;
}

}  // namespace

void customAttention(std::span<const AttentionProblem> heads, const CustomBlocks& blocks, ExponentBase base,
                     AttentionScratch& scratch, std::span<AttentionPartial> partials) {
    requireHeads(heads, partials, blocks);
    if (heads.empty())
        return;
    for (AttentionPartial& partial : partials)
        partial.reset(heads[0].queries, heads[0].headDim, base);
    attendHeads(heads, nullptr, blocks, base, scratch, partials);
}

void fixedMaximumAttention(const AttentionProblem& head, const FixedMaximum& fixed,
                           const CustomBlocks& blocks, ExponentBase base, AttentionScratch& scratch,
                           AttentionPartial& partial) {
    const std::span<const AttentionProblem> heads(&head, 1);
    const std::span<AttentionPartial> partials(&partial, 1);
    requireHeads(heads, partials, blocks);
    partial.reset(head.queries, head.headDim, base);
    if (!anyKept(head))
        return;
    putFixedMaxima(head, fixed, partial);
    attendHeads(heads, &fixed, blocks, base, scratch, partials);
    if (!normaliseFixed(head, fixed, partial))
        customAttention(heads, blocks, base, scratch, partials);
}

std::size_t customScratchBytes(const CustomBlocks& blocks, std::int64_t heads, std::int64_t queries,
                               std::int64_t keys, std::int64_t headDim, DType storage) {
    const Layout layout(blocks, queries, keys, headDim);
    const std::int64_t keyFloats = 2 * heads * layout.kv * headDim;
    const std::int64_t queryFloats = storage == DType::F32 ? 0 : heads * queries * headDim;
    const std::int64_t statisticFloats = 2 * queries;
    const std::int64_t partialFloats = heads * queries * (headDim + 2);
    const std::int64_t floats = layout.scores() + keyFloats + queryFloats + statisticFloats + partialFloats;
    return static_cast<std::size_t>(floats) * sizeof(float) +
           static_cast<std::size_t>(layout.wideRows()) * sizeof(double);
}

}  // namespace meshreel

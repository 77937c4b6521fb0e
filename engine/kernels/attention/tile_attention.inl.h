// SPDX-License-Identifier: GPL-3.0-or-later
// Attention over bf16 tiles, over a tile unit and a vector type; compiled for each pair of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/tile_attention.h"
#include "engine/kernels/attention/tile_layout.h"
#include "engine/kernels/attention/tile_packing.inl.h"
#include "engine/kernels/attention/tile_units.h"
#include "engine/kernels/denormals_flushed.h"

namespace meshreel {

/// The products that run beside a softmax, in steps of four tile products of 32 × 32 × 32 elements: the
/// weighted values of the previous unit, then the scores of the next. Either may be missing.
template <typename Tiles, typename Vector>
class TileProducts {
  public:
    TileProducts(Tiles& tiles, const TileLayout& layout, const TileBuffers& buffers)
        : m_tiles(tiles), m_layout(layout), m_buffers(buffers) {}

    /// The unit `index` has its scores and weights in half index % 2 of those of the buffers.
    void begin(const TileUnitOfWork* before, const TileUnitOfWork* after, std::int64_t index) {
        m_before = before;
        m_after = after;
        m_other = static_cast<std::size_t>((index + 1) % 2);
        m_outer = 0;
        m_inner = 0;
        m_left = (before != nullptr ? before->steps * m_layout.widthSteps : 0) +
                 (after != nullptr ? after->steps * m_layout.widthSteps : 0);
    }

    [[nodiscard]] std::int64_t left() const { return m_left; }

    void advance(std::int64_t steps) {
        for (std::int64_t step = std::min(steps, m_left); step > 0; --step) {
            --m_left;
            if (m_before != nullptr)
                valueStep();
            else
                scoreStep();
        }
    }

  private:
    void fourProducts() {
        m_tiles.template multiplyBf16<0, 4, 6>();
        m_tiles.template multiplyBf16<1, 4, 7>();
        m_tiles.template multiplyBf16<2, 5, 6>();
        m_tiles.template multiplyBf16<3, 5, 7>();
    }

    // 32 queries, 32 keys and 32 features; the features innermost.
    void scoreStep() {
        if (m_inner == 0) {
            m_tiles.template zero<0>();
            m_tiles.template zero<1>();
            m_tiles.template zero<2>();
            m_tiles.template zero<3>();
        }
        const std::int64_t rowBytes = m_layout.width() * 2;
        const std::uint16_t* queries =
            m_buffers.queries + m_after->queryTile * tileStep * m_layout.width() + m_inner * tileStep;
        const std::uint16_t* keys =
            m_buffers.keys +
            (m_after->keySteps[m_outer].place * m_layout.widthSteps + m_inner) * 2 * tileBf16;
        m_tiles.template load<4>(queries, rowBytes);
        m_tiles.template load<6>(keys, tileRowBytes);
        m_tiles.template load<7>(keys + tileBf16, tileRowBytes);
        m_tiles.template load<5>(queries + tileRows * m_layout.width(), rowBytes);
        fourProducts();
        if (++m_inner < m_layout.widthSteps)
            return;
        storeSums(m_buffers.scores[m_other] + m_outer * tileStep, m_layout.scoreStride());
        m_inner = 0;
        ++m_outer;
    }

    // 32 queries, 32 features and 32 keys; the keys innermost.
    void valueStep() {
        float* output =
            m_buffers.output + m_before->queryTile * tileStep * m_layout.width() + m_outer * tileStep;
        if (m_inner == 0)
            loadSums(output, m_layout.width());
        const std::int64_t rowBytes = m_layout.weightStride() * 2;
        const std::uint16_t* weights = m_buffers.weights[m_other] + m_inner * tileStep;
        const std::uint16_t* values =
            m_buffers.values +
            (m_before->keySteps[m_inner].place * m_layout.widthSteps + m_outer) * 2 * tileBf16;
        m_tiles.template load<4>(weights, rowBytes);
        m_tiles.template load<6>(values, tileRowBytes);
        m_tiles.template load<7>(values + tileBf16, tileRowBytes);
        m_tiles.template load<5>(weights + tileRows * m_layout.weightStride(), rowBytes);
        fourProducts();
        if (++m_inner < m_before->steps)
            return;
        storeSums(output, m_layout.width());
        m_inner = 0;
        if (++m_outer < m_layout.widthSteps)
            return;
        m_outer = 0;
        m_before = nullptr;
    }

    void loadSums(const float* from, std::int64_t stride) {
        const std::int64_t bytes = stride * 4;
        m_tiles.template load<0>(from, bytes);
        m_tiles.template load<1>(from + tileRows, bytes);
        m_tiles.template load<2>(from + tileRows * stride, bytes);
        m_tiles.template load<3>(from + tileRows * stride + tileRows, bytes);
    }

    void storeSums(float* to, std::int64_t stride) const {
        const std::int64_t bytes = stride * 4;
        m_tiles.template store<0>(to, bytes);
        m_tiles.template store<1>(to + tileRows, bytes);
        m_tiles.template store<2>(to + tileRows * stride, bytes);
        m_tiles.template store<3>(to + tileRows * stride + tileRows, bytes);
    }

    Tiles& m_tiles;
    const TileLayout& m_layout;
    const TileBuffers& m_buffers;
    const TileUnitOfWork* m_before = nullptr;
    const TileUnitOfWork* m_after = nullptr;
    std::size_t m_other = 0;  // half of the units before and after
    std::int64_t m_outer = 0;
    std::int64_t m_inner = 0;
    std::int64_t m_left = 0;
};

/// 2^x within 7.5e-5 of its value (a minimax cubic of the fraction), which rounding to bf16 hides; 0 for -∞.
template <typename Vector>
typename Vector::Value shortPowerOfTwo(typename Vector::Value x) {
    const auto fraction = Vector::fraction(x);
    auto p = Vector::broadcast(0.0780245227F);
    for (const float coefficient : {0.2260671554F, 0.6958335405F, 0.9999252186F})
        p = Vector::multiplyAdd(p, fraction, Vector::broadcast(coefficient));
    return Vector::timesPowerOfFloor(p, x);
}

/// One head on its way through its keys.
template <typename Tiles, typename Vector>
class TileAttention {
  public:
    using Value = typename Vector::Value;

    TileAttention(const TileLayout& layout, const PanelHead& head, AttentionScratch& scratch)
        : m_layout(layout),
          m_head(head),
          m_buffers(layOutBuffers(layout, scratch)),
          m_products(m_tiles, m_layout, m_buffers) {
        const bool two = head.partial.base == ExponentBase::Two;
        m_unit = two ? head.problem.scale * std::numbers::log2e : head.problem.scale;
        m_log2OfUnit = two ? 1.0 : std::numbers::log2e;
    }

    void run() {
        TileUnits work(m_layout, m_head.problem);
        begin();
        while (work.next()) {
            for (const TileKeys& keys : work.keys()) {
                const std::int64_t at = keys.firstStep * m_layout.widthSteps * 2 * tileBf16;
                TilePacking<Vector>::packKeys(m_head.problem.k, keys.rows, m_layout, m_buffers.keys + at);
                TilePacking<Vector>::packValues(m_head.problem.v, keys.rows, m_layout, m_buffers.values + at);
            }
            attendBlock(work.units());
        }
        finish();
    }

  private:
    static TileBuffers layOutBuffers(const TileLayout& layout, AttentionScratch& scratch) {
        const std::int64_t rows = layout.queryTiles * tileStep;
        auto* statistics = scratch.statistics.take<float>(2 * rows);
        auto* scores = scratch.scores.take<float>(2 * layout.scores() + layout.weights());
        auto* weights = reinterpret_cast<std::uint16_t*>(scores + 2 * layout.scores());
        return {.queries = scratch.queries.take<std::uint16_t>(layout.queryElements()),
                .keys = scratch.keys.take<std::uint16_t>(layout.keyElements()),
                .values = scratch.values.take<std::uint16_t>(layout.keyElements()),
                .output = scratch.output.take<float>(layout.queryElements()),
                .maxima = statistics,
                .sums = statistics + rows,
                .scores = {scores, scores + layout.scores()},
                .weights = {weights, weights + layout.weights()}};
    }

    void begin() {
        const std::int64_t rows = m_layout.queryTiles * tileStep;
        std::fill_n(m_buffers.maxima, rows,
                    m_head.fixedMaximum ? 0.0F : -std::numeric_limits<float>::infinity());
        if (m_head.fixedMaximum)
            std::ranges::copy(m_head.partial.maximum, m_buffers.maxima);
        std::fill_n(m_buffers.sums, rows, 0.0F);
        std::fill_n(m_buffers.output, m_layout.queryElements(), 0.0F);
        TilePacking<Vector>::packQueries(m_head.problem, m_layout, m_buffers.queries);
    }

    // Query tile by query tile, so that its sums stay near while the strips pass; the products and the
    // softmax of units that follow each other overlap.
    void attendBlock(std::span<const TileUnitOfWork> units) {
        const auto count = static_cast<std::int64_t>(units.size());
        const TileUnitOfWork* const all = units.data();
        m_products.begin(nullptr, all, -1);
        m_products.advance(m_products.left());
        for (std::int64_t index = 0; index < count; ++index) {
            m_products.begin(index > 0 ? all + index - 1 : nullptr,
                             index + 1 < count ? all + index + 1 : nullptr, index);
            const auto half = static_cast<std::size_t>(index % 2);
            const bool raised = softmax(all[index], half);
            m_products.advance(m_products.left());
            if (raised)
                rescale(all[index]);
        }
        m_products.begin(all + count - 1, nullptr, count);
        m_products.advance(m_products.left());
    }

    // Row by row, with a share of the products in between, so that both kinds of execution unit are busy.
    bool softmax(const TileUnitOfWork& unit, std::size_t half) {
        const std::int64_t share = (m_products.left() + tileStep - 1) / tileStep;
        bool raised = false;
        for (std::int64_t row = 0; row < tileStep; ++row) {
            m_products.advance(share);
            raised = softmaxRow(unit, half, row) || raised;
        }
        return raised;
    }

    // True when the row's maximum rose; then m_factors says by what.
    bool softmaxRow(const TileUnitOfWork& unit, std::size_t half, std::int64_t row) {
        float* scores = m_buffers.scores[half] + row * m_layout.scoreStride();
        const std::int64_t padded = unit.steps * tileStep;
        if (!unit.isFull)
            dropMissingKeys(unit, scores);
        const std::int64_t query = unit.queryTile * tileStep + row;
        float& maximum = m_buffers.maxima[query];
        float& sum = m_buffers.sums[query];
        std::uint16_t* weights = m_buffers.weights[half] + row * m_layout.weightStride();
        if (m_head.fixedMaximum) {
            sum += weigh(scores, padded, maximum, weights);
            return false;
        }
        const auto scale = static_cast<float>(m_unit);
        const float raised = std::ceil(largest(scores, padded) * scale);
        float& factor = m_factors[static_cast<std::size_t>(row)];
        factor = 1.0F;
        const bool rises = raised > maximum;
        if (rises) {
            factor = static_cast<float>(std::exp2((maximum - raised) * m_log2OfUnit));
            maximum = raised;
            sum *= factor;
        }
        sum += weigh(scores, padded, maximum, weights);
        return rises;
    }

    static void dropMissingKeys(const TileUnitOfWork& unit, float* scores) {
        for (std::int64_t step = 0; step < unit.steps; ++step)
            std::fill(scores + step * tileStep + unit.keySteps[step].keys, scores + (step + 1) * tileStep,
                      -std::numeric_limits<float>::infinity());
    }

    static float largest(const float* scores, std::int64_t count) {
        Value a = Vector::load(scores);
        Value b = Vector::load(scores + Vector::lanes);
        for (std::int64_t key = 2 * Vector::lanes; key < count; key += 2 * Vector::lanes) {
            a = Vector::larger(a, Vector::load(scores + key));
            b = Vector::larger(b, Vector::load(scores + key + Vector::lanes));
        }
        return Vector::largestLane(Vector::larger(a, b));
    }

    // Returns the sum of the rounded weights.
    float weigh(const float* scores, std::int64_t count, float maximum, std::uint16_t* weights) const {
        const Value scale = Vector::broadcast(static_cast<float>(m_unit * m_log2OfUnit));
        const Value shift = Vector::broadcast(static_cast<float>(m_head.headroom - maximum * m_log2OfUnit));
        Value sum = Vector::zero();
        for (std::int64_t key = 0; key < count; key += 2 * Vector::lanes) {
            const Value low = Vector::multiplyAdd(Vector::load(scores + key), scale, shift);
            const Value high = Vector::multiplyAdd(Vector::load(scores + key + Vector::lanes), scale, shift);
            sum = Vector::storeRounded(weights + key, shortPowerOfTwo<Vector>(low),
                                       shortPowerOfTwo<Vector>(high), sum);
        }
        return Vector::sumOfLanes(sum);
    }

    void rescale(const TileUnitOfWork& unit) {
        for (std::int64_t row = 0; row < tileStep; ++row) {
            const float rowFactor = m_factors[static_cast<std::size_t>(row)];
            if (rowFactor == 1.0F)
                continue;
            float* output = m_buffers.output + (unit.queryTile * tileStep + row) * m_layout.width();
            const Value factor = Vector::broadcast(rowFactor);
            for (std::int64_t i = 0; i < m_layout.width(); i += Vector::lanes)
                Vector::store(output + i, Vector::multiply(Vector::load(output + i), factor));
        }
    }

    void finish() {
        AttentionPartial& partial = m_head.partial;
        std::copy_n(m_buffers.maxima, m_layout.queries, partial.maximum.begin());
        std::copy_n(m_buffers.sums, m_layout.queries, partial.sum.begin());
        for (std::int64_t query = 0; query < m_layout.queries; ++query)
            std::copy_n(m_buffers.output + query * m_layout.width(), m_layout.headDim,
                        partial.output.begin() + query * m_layout.headDim);
    }

    Tiles m_tiles;
    const TileLayout& m_layout;
    const PanelHead& m_head;
    TileBuffers m_buffers;
    TileProducts<Tiles, Vector> m_products;
    double m_unit = 1.0;        // unit of a score, in exponents of the base
    double m_log2OfUnit = 1.0;  // log2 of the base
    std::array<float, tileStep> m_factors{};
};

template <typename Tiles, typename Vector>
void runTileAttention(const FlashBlockSizes& blocks, std::span<PanelHead> heads, AttentionScratch& scratch) {
    const DenormalsFlushed guard;
    for (const PanelHead& head : heads) {
        const HeadInputs& problem = head.problem;
        const TileLayout layout(blocks, problem.queries, problem.keys, problem.headDim,
                                problem.kept != nullptr ? problem.kept->blockTokens : 1);
        if (layout.kv > 0 && layout.queries > 0)
            TileAttention<Tiles, Vector>(layout, head, scratch).run();
    }
}

}  // namespace meshreel

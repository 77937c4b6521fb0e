// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/attention/attention_plan.h"
#include "engine/attention/fixed_m_outcome.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/execution.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

enum class HeadOrder : std::uint8_t {
    ByToken,  ///< [batch, tokens, heads, headDim], as projections give and take it
    ByHead,   ///< [batch, heads, tokens, headDim], which kernels read fastest
};

/// One row for each head of each token, f32 or bf16. Copying it shares its memory.
struct HeadTensor {
    Tensor data;
    HeadOrder order = HeadOrder::ByToken;

    /// The shape of a tensor in that order.
    static Shape shapeOf(HeadOrder order, std::int64_t batch, std::int64_t tokens, std::int64_t heads,
                         std::int64_t headDim);

    [[nodiscard]] std::int64_t batch() const { return data.extent(0); }
    [[nodiscard]] std::int64_t tokens() const { return data.extent(order == HeadOrder::ByToken ? 1 : 2); }
    [[nodiscard]] std::int64_t heads() const { return data.extent(order == HeadOrder::ByToken ? 2 : 1); }
    [[nodiscard]] std::int64_t headDim() const { return data.extent(3); }

    /// The shape with another number of tokens.
    [[nodiscard]] Shape shapeWith(std::int64_t tokens) const;

    /// From `token` on, of one head of one batch element.
    [[nodiscard]] HeadRows rows(std::int64_t batch, std::int64_t token, std::int64_t head) const;
    [[nodiscard]] OutputRows outputRows(std::int64_t batch, std::int64_t token, std::int64_t head);
};

/// The beginning of a buffer's memory under another shape, which must fit.
HeadTensor takeFront(const HeadTensor& buffer, Shape shape);

/// Queries of one device against keys that it holds.
struct LocalAttention {
    HeadTensor query;
    HeadTensor key;
    HeadTensor value;
    const std::uint8_t* keep = nullptr;  ///< of the first key of the first batch element; nullptr: all kept
    std::int64_t keepStride = 0;         ///< from one batch element's to the next one's
    /// Added to the scores by the distance of key and query: [heads, queries + keys - 1], of key k and query
    /// q at k - q + queries - 1; empty: none.
    std::span<const float> bias = {};
    std::int64_t lastKeyCount = 1;  ///< equal keys that the last one stands for; above 1 no mask and no bias
    double scale = 0.0;             ///< of q·k
};

/// Some queries of one head.
struct QueryBlock {
    std::int64_t batch = 0;
    std::int64_t head = 0;
    std::int64_t firstQuery = 0;
    std::int64_t queries = 0;
};

/// Takes the attention of a block. `spare` is of no use to the caller afterwards, nor is the partial.
using PartialSink =
    std::function<void(const QueryBlock& block, AttentionPartial& partial, AttentionPartial& spare)>;

/// Computes every block of queries with the plan's kernel and gives it to `sink`, from the worker that
/// computed it. The workers share (batch, head, query block) in static parts, so that results do not depend
/// on scheduling. Gives what ran on the bound of fixed m; nothing for other kernels.
FixedMOutcome attendLocally(const Execution& execution, const AttentionPlan& plan,
                            const LocalAttention& attention, const PartialSink& sink);

/// The attention of a device's queries over keys that come in parts, merged as they come.
class AttentionAccumulator {
  public:
    /// `out`, of the queries' size, is finished by the last of `parts` calls of add(); before that
    /// it holds sums that are not normalised, unless it is bf16, when `scratch` does.
    AttentionAccumulator(HeadTensor out, int parts, ScratchArena& scratch);

    /// Attends to some of the keys, as attendLocally(). The queries are the same in each call. Tensors in a
    /// GPU's memory are attended there, with a running maximum whatever the plan's kernel; the mask and the
    /// bias are on the host all the same.
    FixedMOutcome add(const Execution& execution, const AttentionPlan& plan, const LocalAttention& attention);

  private:
    void addOnGpu(const Execution& execution, const LocalAttention& attention);
    void load(const QueryBlock& block, ExponentBase base, AttentionPartial& partial) const;
    void store(const QueryBlock& block, const AttentionPartial& partial);
    [[nodiscard]] std::int64_t statisticsOf(const QueryBlock& block) const;

    HeadTensor m_out;
    int m_parts;
    int m_partsLeft;
    bool m_first = true;
    HeadTensor m_sums;  // f32
    // [batch, heads, queries], as in AttentionPartial
    Tensor m_maximum;
    Tensor m_sum;
    // On a GPU: of the keys that came last, as the three above, and as long as these are not merged.
    Tensor m_partSums;
    Tensor m_partMaximum;
    Tensor m_partSum;
};

/// Tensors of one attention, row-major, heads beside each other.
struct AttentionInputs {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t headDim = 0;
    std::int64_t queryLength = 0;
    std::int64_t keyLength = 0;
    std::span<const float> query;             ///< [batch, queryLength, heads, headDim]
    std::span<const float> key;               ///< [batch, keyLength, heads, headDim]
    std::span<const float> value;             ///< [batch, keyLength, heads, headDim]
    std::span<const std::uint8_t> keep = {};  ///< [batch, keyLength], 0 = masked; empty: all are attended
    std::span<const float> bias = {};         ///< [heads, queryLength + keyLength - 1]: see LocalAttention
    double scale = 0.0;                       ///< of q·k, usually 1/√headDim; must be set
};

/// out [batch, queryLength, heads, headDim] = softmax(scale·q·kᵀ + bias)·v over the kept keys; a query
/// without any kept key gives zeros. The workers share (batch, head, query block) in static parts. Throws
/// Error{Internal} for spans of wrong size or a bias with a custom kernel.
void attend(const Execution& execution, const AttentionPlan& plan, const AttentionInputs& inputs,
            std::span<float> out);

/// The same of tensors in any memory; `out` has the queries' size.
void attend(const Execution& execution, const AttentionPlan& plan, const LocalAttention& attention,
            const HeadTensor& out);

}  // namespace meshreel

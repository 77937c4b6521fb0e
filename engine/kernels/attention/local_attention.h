// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/base/function_ref.h"
#include "engine/kernels/attention/fixed_m_outcome.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/kernel_plan.h"
#include "engine/kernels/attention/token_blocks.h"
#include "engine/kernels/execution.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

struct BlockMeans;
struct OnHost;
struct OnVulkan;
class BlockMaps;

/// A number for all keys of a call that depends on the query's frame alone. Queries are tokens of a video in
/// the order of its frames, of which each has as many. Such a number leaves the attention to these keys as it
/// is, and changes what they count beside others: it is added where parts are merged.
struct FrameBias {
    std::span<const float> ofFrames = {};  ///< empty: none
    std::int64_t firstToken = 0;           ///< place of the first query in the video
    std::int64_t tokensPerFrame = 1;

    [[nodiscard]] float of(std::int64_t query) const {
        return ofFrames[static_cast<std::size_t>((firstToken + query) / tokensPerFrame)];
    }
};

/// Block-sparse attention to the keys of a call: which blocks of them are attended to exactly, and what
/// stands for the others.
struct SparseKeys {
    const BlockMaps& kept;                 ///< of the blocks of all keys of the attention
    std::span<const TokenBlocks> queries;  ///< in each layout
    std::span<const TokenBlocks> keys;     ///< the call's, from its first key on, likewise
    std::int64_t firstBlock = 0;           ///< of these, among all
    /// Of the blocks of all keys: added for those that are left out. Null: nothing is; with several calls,
    /// one of them adds the means of all.
    const BlockMeans* means = nullptr;
};

/// The queries of one device and the keys that it holds.
struct LocalAttention {
    HeadTensor query;
    HeadTensor key;
    HeadTensor value;
    std::int64_t firstQuery = 0;               ///< the first that attends, of those of `query`
    std::optional<std::int64_t> queries = {};  ///< that attend; all from firstQuery on if not given
    std::int64_t firstKey = 0;                 ///< the first that is attended to, of those of `key`
    std::optional<std::int64_t> keys = {};     ///< that are attended to; all from firstKey on if not given
    const std::uint8_t* keyMask = nullptr;  ///< points to the first key of `key` of the first batch element;
                                            ///< nullptr: all keys count
    std::int64_t keyMaskStride = 0;         ///< from one batch element to the next
    /// Added to the scores by the distance of key and query: [heads, queries + keys - 1], of key k and query
    /// q at k - q + queries - 1; empty: none.
    std::span<const float> bias = {};
    std::int64_t lastKeyCount = 1;  ///< equal keys that the last one stands for; above 1 no mask and no bias
    FrameBias frameBias = {};       ///< of AttentionAccumulator alone
    /// Block-sparse attention; then no bias, no last key of several, and a blocked kernel with a running
    /// maximum on the host. Null: to all keys.
    const SparseKeys* sparse = nullptr;
    double scale = 0.0;  ///< factor for q·k

    [[nodiscard]] std::int64_t queryCount() const { return queries.value_or(query.tokens() - firstQuery); }
    [[nodiscard]] std::int64_t keyCount() const { return keys.value_or(key.tokens() - firstKey); }
};

/// Some of a call's queries, and the keys that they attend to and the others do not.
struct QueryKeyPair {
    std::int64_t firstQuery = 0;
    std::int64_t queries = 0;
    std::int64_t firstKey = 0;
    std::int64_t keys = 0;
};

/// A block of queries of one head, counted from LocalAttention::firstQuery on.
struct QueryBlock {
    std::int64_t batch = 0;
    std::int64_t head = 0;
    std::int64_t firstQuery = 0;  ///< in the order of the blocks of block-sparse attention
    std::int64_t queries = 0;
    const std::int32_t* places = nullptr;  ///< row of each query; nullptr: they follow the first
};

/// Takes the attention of a block. The caller must not use `spare` or the partial afterwards.
using PartialSink =
    FunctionRef<void(const QueryBlock& block, AttentionPartial& partial, AttentionPartial& spare)>;

/// Computes every block of queries on the host with the plan's kernel, and passes it to `sink` on the worker
/// that computed it. The workers share (batch, head, query block) in static parts, so that results do not
/// depend on scheduling.
void attendLocally(const Execution& execution, const AttentionKernelPlan& plan,
                   const LocalAttention& attention, const PartialSink& sink);

/// What an attention with fixed m adds to: how its heads ran, which are those of the outcome from one on.
struct FixedMRecord {
    FixedMOutcome& outcome;
    std::int64_t firstHead = 0;
};

/// Computes the attention of a device's queries over keys that arrive in parts, merging each part where the
/// queries lie. The host uses the plan's kernel and blocks; a GPU uses its own kernel, with a running maximum
/// and blocks of its own.
class AttentionAccumulator {
  public:
    /// `out`, of the queries' size, is finished by the last of `parts` calls of add(); before that
    /// it holds sums that are not normalised, unless it is bf16 or a GPU's, when `scratch`, of the same
    /// memory, does: see sumShards(). `execution` and `plan` outlive it. Throws Error{Internal} when the
    /// plan's kernel does not run on the device.
    AttentionAccumulator(const Execution& execution, const AttentionKernelPlan& plan, HeadTensor out,
                         int parts, ScratchArena& scratch);

    /// Attends to some of the keys, as attendLocally(), with their bias by frame. The queries are the same in
    /// each call. The mask and the biases are on the host, wherever the tensors are. Throws Error{Internal}
    /// when these are in two memories. With a kernel of fixed m the record gets how the heads ran.
    void add(const LocalAttention& attention, const std::optional<FixedMRecord>& record = {});

    /// Attends to keys that each belong to some of the queries: one of the parts, the last of several. The
    /// pairs are in ascending order of their queries, without overlap; the queries of none attend to nothing
    /// here. `attention` says nothing of queries and keys beside the tensors, and has neither mask nor bias.
    /// Throws Error{Internal} when it is the only part, or not the last.
    void addPairs(const LocalAttention& attention, std::span<const QueryKeyPair> pairs);

    /// Returns how many f32 tensors of the output's shape several parts take from the scratch, without maxima
    /// and sums.
    static constexpr int sumShards(DType type, bool onDevice) {
        return onDevice ? 2 : type == DType::F32 ? 0 : 1;
    }

  private:
    void reserveOn(const OnHost& on, ScratchArena& scratch);
    void reserveOn(const OnVulkan& on, ScratchArena& scratch);
    void addOn(const OnHost& on, const LocalAttention& attention, const std::optional<FixedMRecord>& record);
    void addOn(const OnVulkan& on, const LocalAttention& attention,
               const std::optional<FixedMRecord>& record);
    void addPairsOn(const OnHost& on, const LocalAttention& attention, std::span<const QueryKeyPair> pairs);
    void addPairsOn(const OnVulkan& on, const LocalAttention& attention, std::span<const QueryKeyPair> pairs);
    /// Finishes queries [begin, end) to which nothing is added any more.
    void finishRows(const OnHost& on, std::int64_t begin, std::int64_t end);
    void load(const QueryBlock& block, ExponentBase base, AttentionPartial& partial) const;
    void store(const QueryBlock& block, const AttentionPartial& partial);
    [[nodiscard]] std::int64_t statisticsOffset(const QueryBlock& block) const;

    const Execution& m_execution;
    const AttentionKernelPlan& m_plan;
    HeadTensor m_out;
    int m_parts;
    int m_partsLeft;
    bool m_first = true;
    HeadTensor m_sums;  // f32
    // [batch, heads, queries], as in AttentionPartial
    Tensor m_maximum;
    Tensor m_sum;
    // On a GPU: the partial of the latest keys, shaped as the three above, until it is merged.
    Tensor m_partSums;
    Tensor m_partMaximum;
    Tensor m_partSum;
};

/// Sums of squares over the outputs of some queries.
struct SparseDifference {
    double difference = 0;  ///< of what block-sparse attention differs by from dense attention
    double reference = 0;   ///< of dense attention
};

/// Compares the attention that is in `out` with dense attention of the same kernel, for the middle block of
/// queries of the first head. `attention` is a block-sparse one whose keys are all there are. On the calling
/// thread.
SparseDifference differenceFromDense(const AttentionKernelPlan& plan, const LocalAttention& attention,
                                     const HeadTensor& out);

/// Tensors of one attention, row-major, heads side by side.
struct AttentionInputs {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t headDim = 0;
    std::int64_t queryLength = 0;
    std::int64_t keyLength = 0;
    std::span<const float> query;                ///< [batch, queryLength, heads, headDim]
    std::span<const float> key;                  ///< [batch, keyLength, heads, headDim]
    std::span<const float> value;                ///< [batch, keyLength, heads, headDim]
    std::span<const std::uint8_t> keyMask = {};  ///< [batch, keyLength], 0 = masked; empty: all are attended
    std::span<const float> bias = {};            ///< [heads, queryLength + keyLength - 1]: see LocalAttention
    double scale = 0.0;                          ///< factor for q·k, usually 1/√headDim; must be set
};

/// out [batch, queryLength, heads, headDim] = softmax(scale·q·kᵀ + bias)·v over the kept keys; a query
/// without any kept key gives zeros. The workers share (batch, head, query block) in static parts. Throws
/// Error{Internal} for spans of wrong size or a bias with a custom kernel.
void attend(const Execution& execution, const AttentionKernelPlan& plan, const AttentionInputs& inputs,
            std::span<float> out);

/// Computes the attention of tensors in any memory; `out` has the queries' size.
void attend(const Execution& execution, const AttentionKernelPlan& plan, const LocalAttention& attention,
            const HeadTensor& out);

}  // namespace meshreel

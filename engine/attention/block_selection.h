// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/attention/attention_plan.h"
#include "engine/attention/key_rotation.h"
#include "engine/attention/sparse_tokens.h"
#include "engine/kernels/attention/block_means.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/kept_blocks.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/mesh/communicator.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/sparse_counts.h"

namespace meshreel {

/// What block-sparse attention is given of one self-attention.
struct SelectionInputs {
    const AttentionPlan& plan;   ///< with a rule
    const SparseTokens& tokens;  ///< of this sequence
    HeadTensor query;            ///< of the shard that this device holds, in the host's memory
    KeyShard own;                ///< the same tokens
    std::span<const std::uint8_t> keyMask = {};  ///< [batch, tokens], 0 = masked; empty: all are attended
    double scale = 0.0;
};

/// The blocks that the queries of a device attend to, chosen before the first shard of keys moves. All
/// devices of the ring choose together. Where a rule goes by means or adds them, each sends those of its
/// blocks to the others, 2 / blockTokens of the keys and values; all then choose among the blocks of all
/// shards, as one device would that cuts its tokens in the same way. Then each tells the others which shards
/// it reads. Must end on the thread that made it, before what it was made of.
class BlockSelection {
  public:
    BlockSelection(const Execution& execution, Communicator& ring, const SelectionInputs& inputs);
    BlockSelection(const BlockSelection&) = delete;
    BlockSelection& operator=(const BlockSelection&) = delete;
    ~BlockSelection() = default;

    [[nodiscard]] const SparseTokens& tokens() const { return m_tokens; }

    /// Returns who reads which shards; each device reads its own.
    [[nodiscard]] const RingReads& reads() const { return m_reads; }
    [[nodiscard]] bool reads(int shard) const { return m_reads.reads(m_own, shard); }
    /// Returns how many shards this device reads.
    [[nodiscard]] int countRead() const;

    /// Returns what a call is given that attends to a shard's keys. The one of the device's own shard adds
    /// the means of all blocks that are left out.
    [[nodiscard]] SparseKeys keysOf(int shard) const;

    /// Returns the pairs of blocks of this device's queries.
    [[nodiscard]] SparseCounts counts() const;

  private:
    void markAlwaysKept(std::span<const std::uint8_t> keyMask);
    [[nodiscard]] HeadTensor meansRoom(const HeadTensor& like, std::int64_t blocks);
    [[nodiscard]] HeadTensor meansOfAll(const HeadTensor& own);
    void choose(const SelectionInputs& inputs);
    void chooseByScores(const SelectionInputs& inputs);
    void chooseRadially();
    void tellReads();

    const Execution& m_execution;
    Communicator& m_ring;
    const AttentionPlan& m_plan;
    const SparseTokens& m_tokens;
    int m_own;  // shard
    std::int64_t m_batch;
    BlockMaps m_kept;
    RingReads m_reads;
    ScratchVector<std::uint8_t> m_alwaysKept;  // [batch, blocks]
    BlockMeans m_means;
    ScratchVector<ScratchVector<std::byte>> m_rooms;  // of means
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/attention/context_split.h"
#include "engine/mesh/communicator.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Trades tokens for heads between the devices of one ulysses group, and back. The tensors are row-major
/// [batch, tokens, heads, headDim]; a "shard" holds this device's tokens of all heads, a "group" tensor all
/// tokens of the group of this device's equal part of the heads [chunk.begin, chunk.end).
class HeadExchange {
  public:
    /// `group`: the devices of the group at ring index `ring`; `length`: tokens of the whole sequence.
    HeadExchange(Communicator& group, const ContextSplit& split, int ring, std::int64_t length);

    [[nodiscard]] const ShardRange& groupTokens() const { return m_groupTokens; }

    /// This device's part of a chunk.
    [[nodiscard]] ShardRange headsOf(const ShardRange& chunk) const;

    [[nodiscard]] Pending startToHeads(const Tensor& shard, const ShardRange& chunk, Tensor& group);
    [[nodiscard]] Pending startToTokens(const Tensor& group, const ShardRange& chunk, Tensor& shard);

  private:
    Communicator* m_group;
    ShardRange m_groupTokens;
    std::vector<ShardRange> m_tokens;  // of each device, counted from the group's first token
};

}  // namespace meshreel

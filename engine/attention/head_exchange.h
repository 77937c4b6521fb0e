// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/attention/context_split.h"
#include "engine/attention/head_tensor.h"
#include "engine/mesh/communicator.h"

namespace meshreel {

/// All-to-alls of one tensor, one for each batch element.
using Exchanges = std::vector<Pending>;

/// Trades tokens for heads between the devices of one ulysses group, and back. A "shard" holds this device's
/// tokens of all heads, by token; a "group" tensor all tokens of the group of this device's equal part of the
/// heads [chunk.begin, chunk.end), by head: they are transposed as they are copied.
class HeadExchange {
  public:
    /// `group`: the devices of the group at ring index `ring`; `length`: tokens of the whole sequence.
    HeadExchange(Communicator& group, const ContextSplit& split, int ring, std::int64_t length);

    [[nodiscard]] const ShardRange& groupTokens() const { return m_groupTokens; }

    /// This device's part of a chunk.
    [[nodiscard]] ShardRange headsOf(const ShardRange& chunk) const;

    [[nodiscard]] Exchanges startToHeads(const Tensor& shard, const ShardRange& chunk, HeadTensor& group);
    [[nodiscard]] Exchanges startToTokens(const HeadTensor& group, const ShardRange& chunk, Tensor& shard);

  private:
    Communicator* m_group;
    ShardRange m_groupTokens;
    std::vector<ShardRange> m_tokens;  // of each device, counted from the group's first token
};

}  // namespace meshreel

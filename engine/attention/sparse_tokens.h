// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/attention/attention_plan.h"
#include "engine/kernels/attention/token_blocks.h"
#include "engine/kernels/rows/rope.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/mesh/shard_range.h"

namespace meshreel {

/// How the tokens of a pass are cut into blocks: those of each shard of a ring by themselves, in each of the
/// orders that the plan's rule has. Made once a pass, on the device's thread, where it must end.
class SparseTokens {
  public:
    /// `plan` has a rule. `tokens` in the sequence, of which the video's come first.
    SparseTokens(const AttentionPlan& plan, const TokenGrid& video, std::int64_t tokens);

    [[nodiscard]] const TokenGrid& video() const { return m_video; }
    [[nodiscard]] int shards() const { return static_cast<int>(m_shards.size()); }
    [[nodiscard]] const ShardRange& tokensOf(int shard) const { return at(shard).tokens; }
    /// Returns its tokens in each order.
    [[nodiscard]] std::span<const TokenBlocks> blocksOf(int shard) const { return at(shard).layouts; }
    /// Returns where its blocks begin among those of all shards.
    [[nodiscard]] std::int64_t firstBlockOf(int shard) const { return at(shard).firstBlock; }
    [[nodiscard]] std::int64_t countOf(int shard) const { return at(shard).layouts.front().count(); }
    /// Returns the blocks of all shards.
    [[nodiscard]] std::int64_t blocks() const { return m_blocks; }

  private:
    struct Shard {
        ShardRange tokens;
        std::int64_t firstBlock = 0;
        ScratchVector<TokenBlocks> layouts;
    };
    [[nodiscard]] const Shard& at(int shard) const { return m_shards[static_cast<std::size_t>(shard)]; }

    TokenGrid m_video;
    ScratchVector<Shard> m_shards;
    std::int64_t m_blocks = 0;
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/attention/local_attention.h"
#include "engine/tensor/scratch_arena.h"

namespace meshreel {

/// The attention of a device's queries over keys that come in parts, merged as they come.
class AttentionAccumulator {
  public:
    /// `out`, of the queries' size, is finished by the last of `parts` calls of add(); before that
    /// it holds sums that are not normalised, unless it is bf16, when `scratch` does.
    AttentionAccumulator(HeadTensor out, int parts, ScratchArena& scratch);

    /// Attends to some of the keys. The queries are the same in each call.
    void add(const Execution& execution, const AttentionSettings& settings, const LocalAttention& attention);

  private:
    void load(const QueryBlock& block, ExponentBase base, AttentionPartial& partial) const;
    void store(const QueryBlock& block, const AttentionPartial& partial);
    [[nodiscard]] std::int64_t statisticsOf(const QueryBlock& block) const;

    HeadTensor m_out;
    int m_partsLeft;
    bool m_first = true;
    HeadTensor m_sums;  // f32
    // [batch, heads, queries], as in AttentionPartial
    Tensor m_maximum;
    Tensor m_sum;
};

}  // namespace meshreel

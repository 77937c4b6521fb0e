// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/attention/head_rows.h"

namespace meshreel {

/// What the softmax raises to the power of the scores: e of q·k·scale, or 2 of q·k·scale·log2 e. The same
/// weights either way.
enum class ExponentBase : std::uint8_t { Natural, Two };

/// Softmax attention of some query rows over some of the keys, not yet normalised. Over all keys the result
/// is output/sum; partials over disjoint keys merge exactly, in any order, whichever kernel they come from.
/// "exp" and "score" are those of `base`.
struct AttentionPartial {
    /// Becomes the attention of `queryCount` rows over no keys at all.
    void reset(std::int64_t queryCount, std::int64_t width,
               ExponentBase exponentBase = ExponentBase::Natural);

    std::int64_t queries = 0;
    std::int64_t headDim = 0;
    ExponentBase base = ExponentBase::Natural;
    std::vector<float> output;   ///< [queries, headDim]: Σ exp(score - maximum)·value
    std::vector<float> maximum;  ///< [queries]: what the scores were lowered by: their largest or just above
                                 ///< it, so that sum is never small; -infinity where no key is valid
    std::vector<float> sum;      ///< [queries]: Σ exp(score - maximum)
};

/// Adds the keys of `part` to `into`; both hold the same queries. Throws Error{Internal} when their bases
/// differ.
void mergePartials(AttentionPartial& into, const AttentionPartial& part);

/// output/sum into `out`; rows without any valid key become zeros.
void finalizePartial(const AttentionPartial& partial, const OutputRows& out);
void finalizePartial(const AttentionPartial& partial, float* out, std::int64_t stride);

}  // namespace meshreel

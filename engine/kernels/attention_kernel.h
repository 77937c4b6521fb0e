// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace meshreel {

/// Softmax attention of some query rows over some of the keys, not yet normalised. Over all keys the result
/// is output/sum; partials over disjoint keys merge exactly, in any order.
struct AttentionPartial {
    /// Becomes the attention of `queryCount` rows over no keys at all.
    void reset(std::int64_t queryCount, std::int64_t width);

    std::int64_t queries = 0;
    std::int64_t headDim = 0;
    std::vector<float> output;   ///< [queries, headDim]: Σ exp(score - maximum)·value
    std::vector<float> maximum;  ///< [queries]: largest score; -infinity where no key is valid
    std::vector<float> sum;      ///< [queries]: Σ exp(score - maximum)
};

/// Adds the keys of `part` to `into`; both hold the same queries.
void mergePartials(AttentionPartial& into, const AttentionPartial& part);

/// output/sum into rows `stride` apart; rows without any valid key become zeros.
void finalizePartial(const AttentionPartial& partial, float* out, std::int64_t stride);

/// Rows of one head, each `stride` floats after the one before.
struct HeadRows {
    const float* data = nullptr;
    std::int64_t stride = 0;
    [[nodiscard]] const float* row(std::int64_t index) const { return data + index * stride; }
};

/// One head's queries against its keys and values.
struct AttentionProblem {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t headDim = 0;
    HeadRows q;
    HeadRows k;
    HeadRows v;
    float scale = 1.0F;                  ///< scores = scale·q·k + bias
    const std::uint8_t* keep = nullptr;  ///< [keys], 0 = masked; nullptr: all kept
    HeadRows bias = {};                  ///< [queries, keys] when data is set
};

/// Buffers of one worker, kept between problems.
struct AttentionScratch {
    std::vector<float> scores;
    std::vector<float> keys;
    std::vector<float> values;
    AttentionPartial tile;
};

/// Dense softmax: all keys in one tile.
void dotProductAttention(const AttentionProblem& problem, AttentionScratch& scratch,
                         AttentionPartial& result);

/// Online softmax: keys in blocks of blockKv copied side by side, each worked through in tiles of
/// blockKvCompute.
void flashAttention(const AttentionProblem& problem, std::int64_t blockKv, std::int64_t blockKvCompute,
                    AttentionScratch& scratch, AttentionPartial& result);

}  // namespace meshreel

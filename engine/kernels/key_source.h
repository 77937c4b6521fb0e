// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/attention_kernel.h"

namespace meshreel {

/// Keys and values of one block, as f32.
struct KeyBlock {
    std::int64_t count = 0;
    FloatRows k;
    FloatRows v;
};

/// A head's kept keys and values, handed out in blocks; masked ones are never seen.
class KeySource {
  public:
    /// `keyMean` [headDim] is taken from every key; empty: nothing is.
    KeySource(const AttentionProblem& problem, std::span<const float> keyMean);

    /// Whether next() may need its buffers: rows that are not f32, a mask, or a mean to take off.
    [[nodiscard]] bool copies() const;

    /// The next up to `most` keys: where they lie when that will do, else copied into `keys` and `values`,
    /// each [most, headDim]. Count 0 at the end.
    KeyBlock next(std::int64_t most, float* keys, float* values);

  private:
    [[nodiscard]] bool kept(std::int64_t key) const;
    [[nodiscard]] std::int64_t firstKept(std::int64_t from) const;
    void copyRow(std::int64_t key, float* toKey, float* toValue) const;

    const AttentionProblem& m_problem;
    std::span<const float> m_keyMean;
    std::int64_t m_next = 0;
};

}  // namespace meshreel

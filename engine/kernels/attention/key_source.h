// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/attention/attention_kernel.h"

namespace meshreel {

/// Which keys of a problem are kept, handed out in blocks; masked ones are never seen.
class KeySource {
  public:
    explicit KeySource(const AttentionProblem& problem) : m_problem(&problem) {}

    /// The rows of the next up to `most` keys, in order; empty at the end. What an earlier call gave is no
    /// longer valid.
    std::span<const std::int64_t> next(std::int64_t most);

  private:
    const AttentionProblem* m_problem;
    std::vector<std::int64_t> m_rows;
    std::int64_t m_next = 0;
};

}  // namespace meshreel

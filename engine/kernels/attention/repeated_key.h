// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/attention/attention_kernel.h"

namespace meshreel {

/// Adds the attention to `count` keys and values that are all equal to row `key` of the problem's (which may
/// lie behind its `keys`) to that of other keys: one score for each query, weighed `count` times. No bias, no
/// mask.
void addRepeatedKey(const AttentionProblem& problem, std::int64_t key, std::int64_t count,
                    AttentionPartial& partial);

}  // namespace meshreel

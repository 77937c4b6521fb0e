// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/worker_pool.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/tensor.h"
#include "engine/verification/cases/attention_case.h"

namespace meshreel {

enum class AttentionOperand : std::uint8_t { Query, Key, Value };

/// Tokens `tokens` of an operand, [batch, tokens, heads, headDim] of the case's type: the same numbers
/// whoever makes them. The workers share the tokens.
Tensor attentionOperand(const AttentionCase& attention, AttentionOperand operand, ShardRange tokens,
                        WorkerPool& workers);

/// [batch, keyLength], 0 = masked; empty when the case masks nothing.
std::vector<std::uint8_t> keepMask(const AttentionCase& attention);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_settings.h"
#include "engine/attention/context_split.h"
#include "engine/base/problem.h"
#include "engine/base/worker_pool.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Which keys of an attention case are masked.
struct KeyMask {
    enum class Kind : std::uint8_t {
        None,
        Tail,    ///< the last `count` keys
        Head,    ///< the first `count` keys
        Row,     ///< every key of batch row `count`
        Random,  ///< each key of each batch row with `probability`
    };
    Kind kind = Kind::None;
    std::int64_t count = 0;
    double probability = 0;

    /// Returns the text that parseKeyMask() reads.
    [[nodiscard]] std::string text() const;

    friend bool operator==(const KeyMask&, const KeyMask&) = default;
};

/// "none", "tail:K", "head:K", "row:B" or "random:P". Throws Error{Project} for anything else.
KeyMask parseKeyMask(std::string_view text);

/// One self-attention (or cross-attention to sharded keys) on a mesh that has a context axis alone. Equal
/// cases have equal inputs, on whatever devices: elements of a seed's counterNormal sequence, query first,
/// then key, then value, each [batch, length, heads, headDim].
struct AttentionCase {
    AttentionSettings settings = {};
    int devices = 1;
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t queryLength = 1;
    std::int64_t keyLength = 1;
    std::int64_t headDim = 1;
    DType type = DType::F32;  ///< F32 or BF16
    std::uint64_t seed = 0;
    double gain = 1;  ///< scale of query and key
    KeyMask mask = {};

    /// Returns what the case's settings come to. The case must be legal.
    [[nodiscard]] AttentionPlan plan() const {
        return planAttention(
            settings,
            {.queryLength = queryLength, .keyLength = keyLength, .heads = heads, .contextDevices = devices});
    }

    /// "ulysses, 4 devices, batch 1, 8 heads of 64, 37 queries, 53 keys, …".
    [[nodiscard]] std::string text() const;
};

/// Returns the heads that a device computes, chunk by chunk. The case is legal.
std::vector<ShardRange> headRanges(const AttentionCase& attention, int device);

/// Everything that keeps the case from running; empty when it is legal.
std::vector<Problem> caseProblems(const AttentionCase& attention);

/// Throws Error{Project} with the first of them.
void requireLegal(const AttentionCase& attention);

/// Largest error that any output of the case may have against the reference.
double allowedError(const AttentionCase& attention);

enum class AttentionOperand : std::uint8_t { Query, Key, Value };

/// Makes tokens `tokens` of an operand, [batch, tokens, heads, headDim] of the case's type: the same numbers
/// whichever device makes them. The workers share the tokens.
Tensor attentionOperand(const AttentionCase& attention, AttentionOperand operand, ShardRange tokens,
                        WorkerPool& workers);

/// [batch, keyLength], 0 = masked; empty when the case masks nothing.
std::vector<std::uint8_t> keepMask(const AttentionCase& attention);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/attention/context_split.h"
#include "engine/tensor/dtype.h"
#include "engine/verification/key_mask.h"

namespace meshreel {

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
    double gain = 1;  ///< of query and key
    KeyMask mask = {};

    [[nodiscard]] ContextSplit split() const { return contextSplit(settings, devices); }

    /// "ulysses, 4 devices, batch 1, 8 heads of 64, 37 queries, 53 keys, …".
    [[nodiscard]] std::string text() const;
};

/// The heads that a device computes, chunk by chunk. The case is legal.
std::vector<ShardRange> headRanges(const AttentionCase& attention, int device);

/// Everything that keeps the case from running; empty when it is legal.
std::vector<AttentionProblemReport> caseProblems(const AttentionCase& attention);

/// Throws Error{Project} with the first of them.
void requireLegal(const AttentionCase& attention);

/// Largest error that any output of the case may have against the reference.
double allowedError(const AttentionCase& attention);

}  // namespace meshreel

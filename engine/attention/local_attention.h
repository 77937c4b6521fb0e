// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/attention/attention_settings.h"
#include "engine/attention/head_tensor.h"
#include "engine/kernels/attention/attention_partial.h"
#include "engine/kernels/execution.h"

namespace meshreel {

/// Queries of one device against keys that it holds.
struct LocalAttention {
    HeadTensor query;
    HeadTensor key;
    HeadTensor value;
    const std::uint8_t* keep = nullptr;  ///< of the first key of the first batch element; nullptr: all kept
    std::int64_t keepStride = 0;         ///< from one batch element's to the next one's
    std::span<const float> bias = {};    ///< [heads, queries, keys] added to the scores; empty: none
    std::int64_t lastKeyCount = 1;  ///< equal keys that the last one stands for; above 1 no mask and no bias
    double scale = 0.0;             ///< of q·k
    bool wholeSequence = true;      ///< these are all keys that the queries attend to
};

/// Some queries of one head.
struct QueryBlock {
    std::int64_t batch = 0;
    std::int64_t head = 0;
    std::int64_t firstQuery = 0;
    std::int64_t queries = 0;
};

/// Takes the attention of a block. `spare` is of no use to the caller afterwards, nor is the partial.
using PartialSink =
    std::function<void(const QueryBlock& block, AttentionPartial& partial, AttentionPartial& spare)>;

/// Computes every block of queries with the mode's kernel and gives it to `sink`, from the worker that
/// computed it. The workers share (batch, head, query block) in static parts, so that results do not depend
/// on scheduling. Throws Error{Project} for illegal blocks.
void attendLocally(const Execution& execution, const AttentionSettings& settings,
                   const LocalAttention& attention, const PartialSink& sink);

}  // namespace meshreel

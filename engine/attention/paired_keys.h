// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

// Keys beside those of the sequence that only the queries of one frame attend to: frame f of one video sees
// frame f - firstPaired of another one. They are one softmax with the sequence's keys. The device that
// computes a query holds them, so that a pass exchanges nothing for them.

/// How the frames of a sequence of queries and of one of keys belong together.
struct FramePairs {
    std::int64_t tokensPerFrame = 1;  ///< of both
    std::int64_t frames = 0;          ///< of the queries
    std::int64_t firstPaired = 1;     ///< of these frames; those before it see no such keys

    [[nodiscard]] std::int64_t queryLength() const { return frames * tokensPerFrame; }
    [[nodiscard]] std::int64_t keyLength() const { return (frames - firstPaired) * tokensPerFrame; }
};

/// What of the paired keys the queries see that a device computes.
struct PairedShare {
    ShardRange tokens;              ///< of whole frames, among the keys of all of them
    std::vector<ShardRange> heads;  ///< of each chunk that the device computes, among a device's heads before
                                    ///< an exchange
};

/// `device`: its index on the context axis. The plan is that of the attention that meets the keys.
PairedShare pairedShare(const AttentionPlan& plan, const FramePairs& pairs, int device);

/// Returns which of a share's keys are those of which of the `queries` that a device computes.
std::vector<QueryKeyPair> pairsOf(const FramePairs& pairs, const PairedShare& share,
                                  const ShardRange& queries);

/// Returns what this device's queries see of keys, or of values, of which every device of the context axis
/// has its shardRange(): `own` [batch, this device's tokens, heads, headDim]. Of each chunk of the share
/// [batch, tokens, heads, headDim], of own's type and in its memory; nothing of it shares memory with `own`.
/// All devices of the context axis call it together. Throws Error{Internal} for another shape, and as
/// Transfer::wait.
std::vector<Tensor> gatherPaired(Device& device, const AttentionPlan& plan, const FramePairs& pairs,
                                 const Tensor& own);

/// Paired keys where they are attended to, as gatherPaired() gives them.
struct PairedKeys {
    FramePairs pairs;
    std::vector<Tensor> key;
    std::vector<Tensor> value;
};

}  // namespace meshreel

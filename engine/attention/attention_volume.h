// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_plan.h"
#include "engine/attention/context_split.h"

namespace meshreel {

/// The size of one attention whose tokens are sharded over the context axis.
struct AttentionDimensions {
    std::int64_t batch = 1;  ///< on one device
    std::int64_t queryLength = 0;
    std::int64_t keyLength = 0;
    std::int64_t heads = 0;  ///< after the tensor axis
    std::int64_t headDim = 0;
    std::int64_t elementBytes = 4;
};

/// Which devices send what a device of the context axis receives.
enum class Senders : std::uint8_t {
    UlyssesGroup,    ///< the others of its ulysses group, each as much
    UlyssesHeads,    ///< the others of its ulysses group, each by the heads that it computes
    RingGroup,       ///< the others of its ring group, each as much
    RingNeighbour,   ///< the one before it in the ring, everything
    LineNeighbours,  ///< the two neighbours in the line, each sending what lies on its side
};

/// One collective of an attention. The formula is what each device receives when shards of tokens and of
/// heads are even; in it C is the context axis, U the ulysses group, R = C/U the ring, q the bytes of this
/// device's queries [batch, queries/C, heads, headDim], k those of its keys [batch, keys/C, heads, headDim],
/// B the batch, H the heads.
struct AttentionCollective {
    std::string_view name;
    std::string_view formula;
    Senders senders;
    bool chunked = false;  ///< once for each of ulysses_attention_chunks, with that chunk's heads
};

/// Returns what each device holds while the kernel runs: which tokens, which heads.
std::string_view attentionSharding(const AttentionMode& mode);

/// Returns what a mode moves, in order; and what a plan does.
std::vector<AttentionCollective> attentionCollectives(const AttentionMode& mode);
std::vector<AttentionCollective> attentionCollectives(const AttentionPlan& plan);

/// A collective with what it brings to each device of the context axis: payload from other devices, all
/// chunks and hops together.
struct CollectiveVolume {
    AttentionCollective collective;
    ContextSplit split;      ///< along the context axis
    std::int64_t heads = 0;  ///< that an ulysses group shares out
    std::vector<std::int64_t> bytesReceived = {};
};

/// Returns what attendSharded() moves, for shards of any size.
std::vector<CollectiveVolume> attentionVolume(const AttentionPlan& plan,
                                              const AttentionDimensions& dimensions);

/// Returns how many of the received bytes come from other hosts when each host has `devicesPerHost`
/// neighbours of the context axis; assumes even shards of tokens.
std::vector<std::int64_t> bytesFromOtherHosts(const CollectiveVolume& volume, int devicesPerHost);

/// Returns the bytes of all collectives and devices.
std::int64_t totalBytes(std::span<const CollectiveVolume> volume);

}  // namespace meshreel

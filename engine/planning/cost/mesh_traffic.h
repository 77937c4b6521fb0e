// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/attention/context_split.h"
#include "engine/planning/run_plan.h"

namespace meshreel {

/// What the plan's attentions run as on its mesh.
struct EffectiveAttention {
    AttentionSettings self;
    AttentionSettings cross;
    ContextSplit split = {};   ///< of the context axis, in self-attention
    int rotations = 0;         ///< hops of keys and values in one self-attention
    bool textSharded = false;  ///< text keys are shared out over the context axis too
};

EffectiveAttention effectiveAttention(const RunPlan& plan);

/// Bytes that each device of the context axis receives from the others in one self-attention.
std::vector<std::int64_t> selfAttentionBytes(const RunPlan& plan);

/// Forward passes of a device in one step: both halves of guidance where no axis shares out the batch.
int passesPerStep(const RunPlan& plan);

/// Bytes that the busiest device receives from the others in one step, for one purpose.
struct MeshTraffic {
    std::string_view purpose;
    std::int64_t bytes = 0;
};

/// Every purpose there is, in the order of trafficPerStep().
std::span<const std::string_view> trafficPurposes();

/// All purposes for which the mesh exchanges anything, but the sums of the norms across heads and of the
/// fixed bounds, which are small.
std::vector<MeshTraffic> trafficPerStep(const RunPlan& plan);

/// Bytes of the same that the busiest host receives from the others in one step. A host is the devices that
/// the dcn axes keep together, so that without them there are none; as for even shards.
std::int64_t bytesBetweenHosts(const RunPlan& plan);

}  // namespace meshreel

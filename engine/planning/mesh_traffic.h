// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/planning/run_task.h"

namespace meshreel {

/// Returns the bytes that each device of the context axis receives from the others in one self-attention.
std::vector<std::int64_t> selfAttentionBytes(const RunTask& task);

/// Bytes that the busiest device receives from the others in one step, for one purpose.
struct MeshTraffic {
    std::string_view purpose;
    std::int64_t bytes = 0;
};

/// Returns every purpose there is, in the order of trafficPerStep().
std::span<const std::string_view> trafficPurposes();

/// Returns all purposes for which the mesh exchanges anything, but the sums of the norms across heads and of
/// the fixed bounds, which are small; with the task's attentions, or with others.
std::vector<MeshTraffic> trafficPerStep(const RunTask& task);
std::vector<MeshTraffic> trafficPerStep(const RunTask& task, const AttentionPlans& attentions);

/// Returns the bytes of trafficPerStep() that the busiest host receives from the others in one step. A host
/// is the devices that the dcn axes keep together, so that without them there are none; as for even shards.
std::int64_t bytesBetweenHosts(const RunTask& task);

}  // namespace meshreel

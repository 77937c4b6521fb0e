// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/work.h"
#include "engine/planning/run_plan.h"

namespace meshreel {

/// Returns the bytes that each device of the context axis receives from the others in one self-attention.
std::vector<std::int64_t> selfAttentionBytes(const RunPlan& plan);

/// Forward passes of a device in one step: all of guidance's where no axis divides the batch.
int passesPerStep(const RunPlan& plan);

/// Bytes that the busiest device receives from the others in one step, for one purpose.
struct MeshTraffic {
    std::string_view purpose;
    std::int64_t bytes = 0;
};

/// Returns every purpose there is, in the order of trafficPerStep().
std::span<const std::string_view> trafficPurposes();

/// Returns all purposes for which the mesh exchanges anything, but the sums of the norms across heads and of
/// the fixed bounds, which are small; with the plan's attentions, or with others.
std::vector<MeshTraffic> trafficPerStep(const RunPlan& plan);
std::vector<MeshTraffic> trafficPerStep(const RunPlan& plan, const AttentionPlans& attentions);

/// Returns the bytes of trafficPerStep() that the busiest host receives from the others in one step. A host
/// is the devices that the dcn axes keep together, so that without them there are none; as for even shards.
std::int64_t bytesBetweenHosts(const RunPlan& plan);

/// Returns the work of one denoising step on the plan's busiest device, guided or not, with a text of so many
/// tokens besides padding; as GPUs compute it if the plan has GPUs. Reads only these parts of the plan: the
/// transformer's config and layers, project.maxSequenceLength, layout, GPUs, resident layers, attention,
/// precision, tokens, the videos of latentShape and `guided`.
Work stepWork(const RunPlan& plan, std::int64_t textTokens);

/// Returns the frames of each video and image that the VAE encodes in a run.
std::vector<std::int64_t> encodedFrames(const RunPlan& plan);

/// Returns the work of a run from the beginning, without anything from caches: the prompts are encoded, the
/// weights packed.
RunWork measureWork(const RunPlan& plan);

}  // namespace meshreel

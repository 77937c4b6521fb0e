// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/planning/machine_rates.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/work.h"

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

/// A stage of a run that takes time of its own.
enum class RunStage : std::uint8_t { Preparing, Conditioning, Denoising, Decoding };
inline constexpr std::array runStages{RunStage::Preparing, RunStage::Conditioning, RunStage::Denoising,
                                      RunStage::Decoding};

/// "preparing", "conditioning", "denoising", "decoding".
std::string_view nameOf(RunStage stage);

/// What a run is made of: all devices of this process together.
struct RunWork {
    std::array<Work, runStages.size()> stages = {};  ///< for denoising: the steps
    Work aroundSteps = {};                           ///< what the denoising takes beside them
    int steps = 0;
    int devices = 1;  ///< devices of this process
    int workersPerDevice = 1;
    std::vector<std::string> gpus =
        {};  ///< GpuFacts::id of each GPU that computes, sorted; none: the CPU does

    [[nodiscard]] Arrangement arrangement() const {
        return {
            .devices = devices, .workersPerDevice = workersPerDevice, .gpus = static_cast<int>(gpus.size())};
    }

    Work& operator[](RunStage stage) { return stages[static_cast<std::size_t>(stage)]; }
    const Work& operator[](RunStage stage) const { return stages[static_cast<std::size_t>(stage)]; }
    friend bool operator==(const RunWork&, const RunWork&) = default;
};

/// Returns the frames of each video and image that the VAE encodes in a run.
std::vector<std::int64_t> encodedFrames(const RunPlan& plan);

/// Returns the work of a run from the beginning, without anything from caches: the prompts are encoded, the
/// weights packed.
RunWork measureWork(const RunPlan& plan);

nlohmann::ordered_json runWorkJson(const RunWork& work);

/// Reverses runWorkJson(). Throws nlohmann::json::exception for anything else.
RunWork runWorkFrom(const nlohmann::json& json);

}  // namespace meshreel

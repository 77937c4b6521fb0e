// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "engine/planning/cost/work.h"
#include "engine/planning/run_plan.h"

namespace meshreel {

/// A stage of a run that takes time of its own.
enum class RunStage : std::uint8_t { Preparing, Conditioning, Denoising, Decoding };
inline constexpr std::array runStages{RunStage::Preparing, RunStage::Conditioning, RunStage::Denoising,
                                      RunStage::Decoding};

/// "preparing", "conditioning", "denoising", "decoding".
std::string_view nameOf(RunStage stage);

/// What a run is made of: all devices of this process together.
struct RunWork {
    std::array<Work, runStages.size()> stages = {};  ///< of the denoising the steps
    Work aroundSteps = {};                           ///< what the denoising takes beside them
    int steps = 0;
    int devices = 1;  ///< of this process
    int workersPerDevice = 1;

    Work& operator[](RunStage stage) { return stages[static_cast<std::size_t>(stage)]; }
    const Work& operator[](RunStage stage) const { return stages[static_cast<std::size_t>(stage)]; }
    friend bool operator==(const RunWork&, const RunWork&) = default;
};

/// Frames of each video and image that the VAE encodes in a run.
std::vector<std::int64_t> encodedFrames(const RunPlan& plan);

/// Of a run from the beginning, without anything from caches: the prompts are encoded, the weights packed.
RunWork runWorkOf(const RunPlan& plan);

nlohmann::ordered_json runWorkJson(const RunWork& work);

/// Its inverse. Throws nlohmann::json::exception where it is something else.
RunWork runWorkFrom(const nlohmann::json& json);

}  // namespace meshreel

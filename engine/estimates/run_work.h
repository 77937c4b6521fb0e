// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/estimates/machine_rates.h"
#include "engine/estimates/work.h"

namespace meshreel {

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

nlohmann::ordered_json runWorkJson(const RunWork& work);

/// Reverses runWorkJson(). Throws nlohmann::json::exception for anything else.
RunWork runWorkFrom(const nlohmann::json& json);

}  // namespace meshreel

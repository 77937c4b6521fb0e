// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/gpu/cuda_library.h"

namespace meshreel {

/// What a fact says, with "ok" among it.
using FactJson = nlohmann::ordered_json;

/// A question to a card.
struct TrialFact {
    std::string name;  ///< "probe.shared.100"
    /// Null for a question that needs no card of NVIDIA's driver.
    std::function<FactJson(const CudaGpu&)> ask;
    std::function<FactJson()> askWithout = {};
};

/// How long small dispatches of Vulkan take that wait for each other, by what their barriers name: in
/// seconds.
FactJson barrierFact();

/// What the driver has and takes: the probe by which the way of launching is decided.
std::vector<TrialFact> driverFacts();

/// Each kernel at Wan's sizes, or at small ones for a driver that computes slowly: how fast it is, and how
/// far samples of its result are from values of the CPU.
std::vector<TrialFact> kernelFacts(bool small);

}  // namespace meshreel

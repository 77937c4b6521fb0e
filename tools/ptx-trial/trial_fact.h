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

class VulkanLibrary;

/// Returns the id of Vulkan's first device that is a card, else of its first one.
std::string idOfCard(const VulkanLibrary& library);

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
/// How long it takes to hand work over to libcuda.so.1 and back, by memory and a semaphore that both have.
FactJson borderFact();

/// What the driver has and takes: the probe by which the way of launching is decided.
std::vector<TrialFact> driverFacts();

/// The same questions to Vulkan's driver, which launches PTX inside of a command buffer.
std::vector<TrialFact> vulkanFacts();

/// Each kernel at Wan's sizes, or at small ones for a driver that computes slowly: how fast it is, and how
/// far samples of its result are from values of the CPU.
std::vector<TrialFact> kernelFacts(bool small);

}  // namespace meshreel

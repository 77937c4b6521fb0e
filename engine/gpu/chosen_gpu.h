// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "engine/gpu/gpu_exchange.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_list.h"

namespace meshreel {

class GpuWork;

/// A GPU of this machine that work goes to.
struct ChosenGpu {
    int number = 0;                       ///< as counted by `meshreel devices`
    std::filesystem::path manifest = {};  ///< of its driver
    GpuFacts facts = {};
};

/// Returns every GPU of the drivers, those that cannot be used too: its number is its place.
std::vector<ChosenGpu> numberedGpus(const std::vector<GpuDriver>& drivers);

/// Real GPUs that can be used, the best first: discrete ones before others, then those with the most memory.
std::vector<ChosenGpu> realGpus(const std::vector<GpuDriver>& drivers);

/// Opens each GPU with its driver and no other: see VulkanLibrary about the environment. Those that are one
/// GPU are opened once for each, and share nothing but its speed. `blockBytes` is as for GpuPool. They
/// exchange numbers in the way that is asked for (exchangeBetween()), or in the next one that all of them
/// open with and that copies what it should (whyPeersDoNotCopy()); see GpuWork::whyExchangeFell(). Throws
/// Error{Device}.
std::vector<std::shared_ptr<GpuWork>> openGpus(std::span<const ChosenGpu> chosen, std::size_t blockBytes,
                                               GpuExchange exchange = GpuExchange::Staged);

}  // namespace meshreel

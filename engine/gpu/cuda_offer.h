// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vulkan/vulkan_core.h>

#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {

/// What NVIDIA's driver library offers for a device of Vulkan.
struct CudaOffer {
    Sentence why = {};   ///< it launches no kernels there; empty when it does
    int capability = 0;  ///< 90 is 9.0
};

/// Asks libcuda.so.1 for the device, if the device is of NVIDIA and shares memory and semaphores. Opens the
/// library: a driver that crashes ends the process.
CudaOffer askCuda(const VulkanLibrary& library, VkPhysicalDevice device);

/// Returns the UUIDs, hexadecimal, of the devices whose memory NVIDIA's driver copies to this one by itself,
/// its own first; none where askCuda() says why not, or the library fails.
std::vector<std::string> cudaPeers(const VulkanLibrary& library, VkPhysicalDevice device);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vulkan/vulkan_core.h>

#include <filesystem>
#include <string>

#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {

// What is asked often, by whoever plans: without a context of NVIDIA's driver library, which takes some time
// and some hundred MiB of each card. A card that does not open as it says is found when it is.

/// As askGpu(), of a device that is not opened where libcuda.so.1 would launch kernels of PTX.
GpuFacts askUnopenedGpu(const VulkanLibrary& library, VkPhysicalDevice device);

/// As answerOfDriver(), of such devices.
std::string answerOfUnopenedDriver(const std::filesystem::path& manifest);

}  // namespace meshreel

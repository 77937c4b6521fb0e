// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/base/sentence.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {

// What a device of Vulkan shares: its memory and semaphores with NVIDIA's driver, by file descriptors, and
// memory of the host's with other devices.

/// Functions of these extensions, and those of timeline semaphores. Null where the device was opened without.
struct VulkanSharing {
    PFN_vkGetMemoryFdKHR getMemoryDescriptor = nullptr;
    PFN_vkGetSemaphoreFdKHR getSemaphoreDescriptor = nullptr;
    PFN_vkCreateSemaphore createSemaphore = nullptr;
    PFN_vkDestroySemaphore destroySemaphore = nullptr;
    PFN_vkSignalSemaphore signalSemaphore = nullptr;
    PFN_vkGetMemoryHostPointerPropertiesEXT getHostPointerProperties = nullptr;
};

/// Looks up those of a device that was opened with descriptors, with memory of the host's, or with both.
/// Throws Error{Device} when one is missing.
VulkanSharing findVulkanSharing(const VulkanLibrary& library, VkDevice device, bool descriptors, bool host);

/// The extensions that share memory and semaphores by descriptors; they need the feature timelineSemaphore,
/// too.
inline constexpr std::array descriptorExtensions{VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                                 VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};

/// Returns why memory and semaphores of a device cannot be shared by descriptors; empty when they can.
Sentence whyNoDescriptors(const VulkanLibrary& library, VkPhysicalDevice device);

/// Returns at multiples of how many bytes memory of the host's must begin and end that the device imports; 0:
/// it imports none.
std::size_t hostImportAlignment(const VulkanLibrary& library, VkPhysicalDevice device);

/// Identifies a card on a host for every interface to it.
using DeviceUuid = std::array<std::uint8_t, 16>;

/// Returns the id by which NVIDIA's driver knows the device, too.
DeviceUuid deviceUuid(const VulkanLibrary& library, VkPhysicalDevice device);

}  // namespace meshreel

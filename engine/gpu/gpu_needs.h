// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/sentence.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {

// What every kernel relies on, in one table: asked of a device before it is listed as usable, and switched on
// when it is opened.

/// Vulkan's structures of the features that Meshreel needs, chained for a query or for the creation of a
/// device. Not to be copied: they point to each other.
class GpuFeatures {
  public:
    /// None of them set: to be filled by a query.
    GpuFeatures();
    GpuFeatures(const GpuFeatures&) = delete;
    GpuFeatures& operator=(const GpuFeatures&) = delete;

    /// Sets those that Meshreel needs, and no others.
    void require();
    /// The names of those needed that are not set, "shaderInt64, bufferDeviceAddress".
    [[nodiscard]] std::string lacking() const;
    [[nodiscard]] VkPhysicalDeviceFeatures2& chain() { return m_features; }
    /// The end of the chain, for features that are switched on where a device has them.
    [[nodiscard]] VkPhysicalDeviceVulkan12Features& last() { return m_features12; }

  private:
    VkPhysicalDeviceFeatures2 m_features{};
    VkPhysicalDeviceVulkan11Features m_features11{};
    VkPhysicalDeviceVulkan12Features m_features12{};
};

/// Why the device cannot be used: Vulkan too old, features that it lacks, no queue that computes. Empty when
/// it can.
Sentence whatGpuLacks(const VulkanLibrary& library, VkPhysicalDevice device);

/// The queue family that computes: one without graphics where there is one, so that the desktop's work has
/// the other.
std::optional<std::uint32_t> computeQueueFamily(const VulkanLibrary& library, VkPhysicalDevice device);

}  // namespace meshreel

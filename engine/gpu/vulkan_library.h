// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vulkan/vulkan_core.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

// The functions that Meshreel calls. The library is opened at run time, so each is looked up by name.
// clang-format off
#define MESHREEL_VULKAN_INSTANCE_FUNCTIONS(each) \
    each(vkDestroyInstance) each(vkEnumeratePhysicalDevices) each(vkGetPhysicalDeviceProperties2) \
    each(vkGetPhysicalDeviceFeatures2) each(vkGetPhysicalDeviceMemoryProperties2) \
    each(vkGetPhysicalDeviceQueueFamilyProperties) each(vkEnumerateDeviceExtensionProperties) \
    each(vkCreateDevice) each(vkGetDeviceProcAddr)

#define MESHREEL_VULKAN_DEVICE_FUNCTIONS(each) \
    each(vkDestroyDevice) each(vkGetDeviceQueue) each(vkDeviceWaitIdle) \
    each(vkAllocateMemory) each(vkFreeMemory) each(vkMapMemory) \
    each(vkCreateBuffer) each(vkDestroyBuffer) each(vkGetBufferMemoryRequirements) \
    each(vkBindBufferMemory) each(vkGetBufferDeviceAddress) \
    each(vkCreateShaderModule) each(vkDestroyShaderModule) \
    each(vkCreatePipelineLayout) each(vkDestroyPipelineLayout) \
    each(vkCreateComputePipelines) each(vkDestroyPipeline) \
    each(vkCreateCommandPool) each(vkDestroyCommandPool) each(vkAllocateCommandBuffers) \
    each(vkBeginCommandBuffer) each(vkEndCommandBuffer) \
    each(vkCmdBindPipeline) each(vkCmdPushConstants) each(vkCmdDispatch) each(vkCmdPipelineBarrier) \
    each(vkCmdCopyBuffer) each(vkCmdResetQueryPool) each(vkCmdWriteTimestamp) \
    each(vkCreateQueryPool) each(vkDestroyQueryPool) each(vkGetQueryPoolResults) \
    each(vkQueueSubmit) each(vkCreateFence) each(vkDestroyFence) each(vkResetFences) each(vkWaitForFences)
// clang-format on

#define MESHREEL_VULKAN_MEMBER(name) PFN_##name name = nullptr;
struct VulkanInstanceFunctions {
    MESHREEL_VULKAN_INSTANCE_FUNCTIONS(MESHREEL_VULKAN_MEMBER)
};
struct VulkanDeviceFunctions {
    MESHREEL_VULKAN_DEVICE_FUNCTIONS(MESHREEL_VULKAN_MEMBER)
};
#undef MESHREEL_VULKAN_MEMBER

/// Thrown by requireVulkan(), an Error{Device}.
class VulkanFailure : public Error {
  public:
    VulkanFailure(VkResult result, Sentence message, Sentence hint)
        : Error(ErrorKind::Device, std::move(message), {}, std::move(hint)), m_result(result) {}
    [[nodiscard]] VkResult result() const { return m_result; }

  private:
    VkResult m_result;
};

/// Returns whether memory of the host or the GPU was short.
constexpr bool isOutOfMemory(VkResult result) {
    return result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/// Throws VulkanFailure unless `result` is success or a list that was cut off: when the GPU's memory is
/// short, the device is lost or the driver refuses. `function` is Vulkan's that gave the result.
void requireVulkan(VkResult result, std::string_view function);

/// Returns a result as Vulkan's documents spell it, with its number: "VK_ERROR_FEATURE_NOT_PRESENT (-8)"; the
/// number alone for those of no name here.
std::string vulkanResultName(VkResult result);

/// Returns all that a two-call enumeration of Vulkan lists: `list` is called with a count and null, then with
/// memory.
template <typename Item, typename List>
std::vector<Item> listVulkan(Item prototype, List list) {
    std::uint32_t count = 0;
    list(&count, nullptr);
    std::vector<Item> items(count, prototype);
    list(&count, items.data());
    items.resize(count);
    return items;
}

/// The system's Vulkan loader (libvulkan.so.1) with an instance of Vulkan 1.2 or newer. It is opened by name,
/// so that programs start without it.
class VulkanLibrary {
  public:
    /// Loads the drivers that these manifests name; without any, those that the loader finds. To name
    /// drivers, it sets this process's VK_DRIVER_FILES and VK_ICD_FILENAMES until it has loaded: no other
    /// thread may read the environment meanwhile. Throws Error{Device} saying why there is no Vulkan.
    explicit VulkanLibrary(std::span<const std::filesystem::path> manifests = {});
    ~VulkanLibrary();
    VulkanLibrary(const VulkanLibrary&) = delete;
    VulkanLibrary& operator=(const VulkanLibrary&) = delete;

    [[nodiscard]] const VulkanInstanceFunctions& calls() const { return m_calls; }
    [[nodiscard]] std::vector<VkPhysicalDevice> devices() const;

    /// Returns an extension's instance function, which the table does not hold; null if there is none.
    template <typename Function>
    [[nodiscard]] Function extensionFunction(const char* name) const {
        return reinterpret_cast<Function>(m_getProcAddr(m_instance, name));
    }

  private:
    void* m_library = nullptr;
    PFN_vkGetInstanceProcAddr m_getProcAddr = nullptr;
    VkInstance m_instance = nullptr;
    VulkanInstanceFunctions m_calls;
};

}  // namespace meshreel

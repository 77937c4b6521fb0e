// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_needs.h"

#include <array>

namespace meshreel {
namespace {

/// A switch in one of the structures.
template <typename Structure>
struct Need {
    std::string_view name;
    VkBool32 Structure::*member;
};

/// 64-bit arithmetic of addresses and offsets.
constexpr std::array coreNeeds{
    Need<VkPhysicalDeviceFeatures>{"shaderInt64", &VkPhysicalDeviceFeatures::shaderInt64}};
/// bf16 is read and written as 16-bit words.
constexpr std::array needs11{Need<VkPhysicalDeviceVulkan11Features>{
    "storageBuffer16BitAccess", &VkPhysicalDeviceVulkan11Features::storageBuffer16BitAccess}};
/// Tensors are addresses: no descriptors, and no limit of the size of one binding.
constexpr std::array needs12{Need<VkPhysicalDeviceVulkan12Features>{
    "bufferDeviceAddress", &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress}};

template <typename Structure, std::size_t count>
void setAll(const std::array<Need<Structure>, count>& needs, Structure& structure) {
    for (const auto& need : needs)
        structure.*need.member = VK_TRUE;
}

template <typename Structure, std::size_t count>
void nameLacking(const std::array<Need<Structure>, count>& needs, const Structure& structure,
                 std::string& names) {
    for (const auto& need : needs)
        if (structure.*need.member == VK_FALSE)
            names += fmt::format("{}{}", names.empty() ? "" : ", ", need.name);
}

}  // namespace

GpuFeatures::GpuFeatures() {
    m_features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    m_features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    m_features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    m_features.pNext = &m_features11;
    m_features11.pNext = &m_features12;
}

void GpuFeatures::require() {
    setAll(coreNeeds, m_features.features);
    setAll(needs11, m_features11);
    setAll(needs12, m_features12);
}

std::string GpuFeatures::lacking() const {
    std::string names;
    nameLacking(coreNeeds, m_features.features, names);
    nameLacking(needs11, m_features11, names);
    nameLacking(needs12, m_features12, names);
    return names;
}

Sentence whatGpuLacks(const VulkanLibrary& library, VkPhysicalDevice device) {
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    library.calls().vkGetPhysicalDeviceProperties2(device, &properties);
    if (properties.properties.apiVersion < VK_API_VERSION_1_2)
        return sentence("its driver is older than Vulkan 1.2");
    GpuFeatures features;
    library.calls().vkGetPhysicalDeviceFeatures2(device, &features.chain());
    if (const std::string names = features.lacking(); !names.empty())
        return sentence("its driver lacks {}", names);
    if (!computeQueueFamily(library, device))
        return sentence("it has no queue for computing");
    return {};
}

std::optional<std::uint32_t> computeQueueFamily(const VulkanLibrary& library, VkPhysicalDevice device) {
    std::optional<std::uint32_t> found;
    std::uint32_t index = 0;
    for (const VkQueueFamilyProperties& family :
         listVulkan(VkQueueFamilyProperties{}, [&](std::uint32_t*count, VkQueueFamilyProperties*items) {
             library.calls().vkGetPhysicalDeviceQueueFamilyProperties(device, count, items);
         })) {
        const bool computes = (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
        const bool draws = (family.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
        if (computes && (!found || !draws))
            found = index;
        if (computes && !draws)
            break;
        ++index;
    }
    return found;
}

}  // namespace meshreel

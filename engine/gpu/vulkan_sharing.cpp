// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/vulkan_sharing.h"

#include <algorithm>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/gpu/matrix_forms.h"

namespace meshreel {
namespace {

/// Whether buffers can be exported or imported in this way, with memory that holds several of them.
bool sharesBuffers(const VulkanLibrary& library, VkPhysicalDevice device,
                   VkExternalMemoryHandleTypeFlagBits as, VkExternalMemoryFeatureFlagBits feature) {
    const auto ask = library.extensionFunction<PFN_vkGetPhysicalDeviceExternalBufferProperties>(
        "vkGetPhysicalDeviceExternalBufferProperties");
    if (ask == nullptr)
        return false;
    VkPhysicalDeviceExternalBufferInfo buffer{};
    buffer.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
    buffer.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                   VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    buffer.handleType = as;
    VkExternalBufferProperties properties{};
    properties.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
    ask(device, &buffer, &properties);
    const VkExternalMemoryFeatureFlags features = properties.externalMemoryProperties.externalMemoryFeatures;
    return (features & feature) != 0 && (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) == 0;
}

bool exportsTimelines(const VulkanLibrary& library, VkPhysicalDevice device) {
    const auto ask = library.extensionFunction<PFN_vkGetPhysicalDeviceExternalSemaphoreProperties>(
        "vkGetPhysicalDeviceExternalSemaphoreProperties");
    if (ask == nullptr)
        return false;
    VkSemaphoreTypeCreateInfo timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    timeline.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkPhysicalDeviceExternalSemaphoreInfo semaphore{};
    semaphore.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO;
    semaphore.pNext = &timeline;
    semaphore.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkExternalSemaphoreProperties properties{};
    properties.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES;
    ask(device, &semaphore, &properties);
    return (properties.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) != 0;
}

bool hasTimelines(const VulkanLibrary& library, VkPhysicalDevice device) {
    VkPhysicalDeviceVulkan12Features core{};
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &core;
    library.calls().vkGetPhysicalDeviceFeatures2(device, &features);
    return core.timelineSemaphore == VK_TRUE;
}

}  // namespace

VulkanSharing findVulkanSharing(const VulkanLibrary& library, VkDevice device, bool descriptors, bool host) {
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
            library.calls().vkGetDeviceProcAddr(device, name));
        if (function == nullptr)
            throw Error(ErrorKind::Device, sentence("the GPU driver has no function {}", name), {},
                        sentence("Update the GPU driver, or use the CPU"));
    };
    VulkanSharing functions;
    if (descriptors) {
        find(functions.getMemoryDescriptor, "vkGetMemoryFdKHR");
        find(functions.getSemaphoreDescriptor, "vkGetSemaphoreFdKHR");
        find(functions.createSemaphore, "vkCreateSemaphore");
        find(functions.destroySemaphore, "vkDestroySemaphore");
        find(functions.signalSemaphore, "vkSignalSemaphore");
    }
    if (host)
        find(functions.getHostPointerProperties, "vkGetMemoryHostPointerPropertiesEXT");
    return functions;
}

Sentence whyNoDescriptors(const VulkanLibrary& library, VkPhysicalDevice device) {
    for (const char* extension : descriptorExtensions)
        if (!offersExtension(library, device, extension))
            return sentence("the driver does not offer {}", extension);
    if (!hasTimelines(library, device))
        return sentence("its driver lacks {}", "timelineSemaphore");
    if (!sharesBuffers(library, device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                       VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) ||
        !exportsTimelines(library, device))
        return sentence("its driver gives no descriptors of memory and semaphores");
    return {};
}

std::size_t hostImportAlignment(const VulkanLibrary& library, VkPhysicalDevice device) {
    if (!offersExtension(library, device, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) ||
        !sharesBuffers(library, device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
                       VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT))
        return 0;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
    host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &host;
    library.calls().vkGetPhysicalDeviceProperties2(device, &properties);
    return host.minImportedHostPointerAlignment;
}

DeviceUuid deviceUuid(const VulkanLibrary& library, VkPhysicalDevice device) {
    VkPhysicalDeviceIDProperties ids{};
    ids.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &ids;
    library.calls().vkGetPhysicalDeviceProperties2(device, &properties);
    DeviceUuid uuid{};
    std::ranges::copy(ids.deviceUUID, uuid.begin());
    return uuid;
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
// A layer of Vulkan for tests (VK_INSTANCE_LAYERS=VK_LAYER_MESHREEL_shared_memory, VK_LAYER_PATH): Mesa's
// software driver as a card of NVIDIA that shares its memory and timeline semaphores by file descriptors. The
// driver exports memory by itself; here its descriptor names the place, because all is in one process. The
// libcuda.so.1 of cuda_stand_in.cpp imports both, the memory under other addresses.
//
// MESHREEL_CARD is the number of the card that devices are asked as; without it, 0. MESHREEL_LAUNCH_FAULTS
// may be "refuse:sharing": devices do not open with these extensions; "refuse:submission": queues take none;
// "refuse:host": they import none of the host's memory, as where the system limits what a process pins;
// "lose:host": they are lost as they import.
#include <sys/mman.h>
#include <unistd.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/stand_ins/shared_memory.h"

namespace {

using meshreel::testing::SharedMemoryNote;
using meshreel::testing::SharedSemaphoreNote;

constexpr std::uint32_t vendorNvidia = 0x10de;

/// With the functions below, looked up when the instance is made: the loader answers with its own entry
/// points later.
struct Instance {
    VkInstance instance = nullptr;
    PFN_vkGetInstanceProcAddr find = nullptr;
    PFN_vkDestroyInstance destroy = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties extensions = nullptr;
    PFN_vkGetPhysicalDeviceProperties2 properties = nullptr;

    Instance() = default;
    Instance(VkInstance made, PFN_vkGetInstanceProcAddr next)
        : instance(made),
          find(next),
          destroy(reinterpret_cast<PFN_vkDestroyInstance>(next(made, "vkDestroyInstance"))),
          extensions(reinterpret_cast<PFN_vkEnumerateDeviceExtensionProperties>(
              next(made, "vkEnumerateDeviceExtensionProperties"))),
          properties(reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(
              next(made, "vkGetPhysicalDeviceProperties2"))) {}
};
struct Device {
    VkDevice device = nullptr;
    PFN_vkGetDeviceProcAddr find = nullptr;
};

std::mutex tablesMutex;
std::map<void*, Instance> instances;
std::map<void*, Device> devices;

/// The loader's table, by which handles of one instance or device are known.
void* keyOf(const void* handle) {
    return *static_cast<void* const*>(handle);
}

Instance instanceOf(const void* handle) {
    const std::lock_guard lock(tablesMutex);
    return instances.at(keyOf(handle));
}

VkDevice deviceOf(VkQueue queue) {
    const std::lock_guard lock(tablesMutex);
    return devices.at(keyOf(queue)).device;
}

/// A function of the next layer, or of the driver, for a device.
template <typename Function>
Function below(VkDevice device, const char* name) {
    const std::lock_guard lock(tablesMutex);
    return reinterpret_cast<Function>(devices.at(keyOf(device)).find(device, name));
}

/// A descriptor of a file that holds the note.
template <typename Note>
int descriptorOf(const Note& note) {
    const int file = ::memfd_create("meshreel-note", MFD_CLOEXEC);
    if (file >= 0 && ::write(file, &note, sizeof note) != static_cast<ssize_t>(sizeof note))
        std::abort();
    return file;
}

template <typename CreateInfo>
CreateInfo* linkIn(const void* chain, VkStructureType type) {
    for (auto* each = static_cast<const VkBaseInStructure*>(chain); each != nullptr; each = each->pNext)
        if (each->sType == type) {
            auto* link = const_cast<CreateInfo*>(reinterpret_cast<const CreateInfo*>(each));
            if (link->function == VK_LAYER_LINK_INFO)
                return link;
        }
    return nullptr;
}

// ---- Instances ----

VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                   VkInstance* instance) {
    auto* link =
        linkIn<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    const PFN_vkGetInstanceProcAddr find = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(find(nullptr, "vkCreateInstance"));
    const VkResult result = create(info, allocator, instance);
    if (result == VK_SUCCESS) {
        const std::lock_guard lock(tablesMutex);
        instances[keyOf(*instance)] = Instance(*instance, find);
    }
    return result;
}

void VKAPI_CALL destroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
    void* const key = keyOf(instance);
    instanceOf(instance).destroy(instance, allocator);
    const std::lock_guard lock(tablesMutex);
    instances.erase(key);
}

VkResult VKAPI_CALL enumerateExtensions(VkPhysicalDevice device, const char* layer, std::uint32_t* count,
                                        VkExtensionProperties* properties) {
    const auto next = instanceOf(device).extensions;
    if (layer != nullptr)
        return next(device, layer, count, properties);
    std::uint32_t own = 0;
    if (const VkResult result = next(device, nullptr, &own, nullptr); result != VK_SUCCESS)
        return result;
    std::vector<VkExtensionProperties> all(own);
    if (const VkResult result = next(device, nullptr, &own, all.data()); result != VK_SUCCESS)
        return result;
    VkExtensionProperties semaphores{};
    std::strncpy(semaphores.extensionName, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
                 VK_MAX_EXTENSION_NAME_SIZE - 1);
    semaphores.specVersion = 1;
    all.push_back(semaphores);
    const auto total = static_cast<std::uint32_t>(all.size());
    if (properties == nullptr) {
        *count = total;
        return VK_SUCCESS;
    }
    const std::uint32_t given = std::min(*count, total);
    std::copy_n(all.begin(), given, properties);
    *count = given;
    return given < total ? VK_INCOMPLETE : VK_SUCCESS;
}

void VKAPI_CALL askProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
    instanceOf(device).properties(device, properties);
    properties->properties.vendorID = vendorNvidia;
    for (auto* each = static_cast<VkBaseOutStructure*>(properties->pNext); each != nullptr;
         each = each->pNext)
        if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES) {
            auto* ids = reinterpret_cast<VkPhysicalDeviceIDProperties*>(each);
            std::ranges::copy(meshreel::testing::cardUuid, ids->deviceUUID);
            const char* card = std::getenv("MESHREEL_CARD");
            if (card != nullptr && *card != '\0')
                ids->deviceUUID[VK_UUID_SIZE - 1] = static_cast<std::uint8_t>(*card);
        }
}

void VKAPI_CALL askSemaphores(VkPhysicalDevice /*device*/, const VkPhysicalDeviceExternalSemaphoreInfo* info,
                              VkExternalSemaphoreProperties* properties) {
    const auto* type = static_cast<const VkSemaphoreTypeCreateInfo*>(info->pNext);
    const bool isTimeline = type != nullptr && type->sType == VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO &&
                            type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
    properties->externalSemaphoreFeatures = isTimeline ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT : 0;
}

// ---- Devices ----

VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                 const VkAllocationCallbacks* allocator, VkDevice* device) {
    auto* link = linkIn<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    const PFN_vkGetInstanceProcAddr findOfInstance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr find = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create =
        reinterpret_cast<PFN_vkCreateDevice>(findOfInstance(instanceOf(physical).instance, "vkCreateDevice"));
    VkDeviceCreateInfo known = *info;
    std::vector<const char*> names(info->ppEnabledExtensionNames,
                                   info->ppEnabledExtensionNames + info->enabledExtensionCount);
    const bool shares = std::erase_if(names, [](const char* name) {
                            return std::string_view(name) == VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;
                        }) > 0;
    const char* faults = std::getenv("MESHREEL_LAUNCH_FAULTS");
    if (shares && faults != nullptr &&
        std::string_view(faults).find("refuse:sharing") != std::string_view::npos)
        return VK_ERROR_INITIALIZATION_FAILED;
    known.enabledExtensionCount = static_cast<std::uint32_t>(names.size());
    known.ppEnabledExtensionNames = names.data();
    const VkResult result = create(physical, &known, allocator, device);
    if (result == VK_SUCCESS) {
        const std::lock_guard lock(tablesMutex);
        devices[keyOf(*device)] = {.device = *device, .find = find};
    }
    return result;
}

void VKAPI_CALL destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
    if (device == nullptr)
        return;
    const auto destroy = below<PFN_vkDestroyDevice>(device, "vkDestroyDevice");
    void* const key = keyOf(device);
    destroy(device, allocator);
    const std::lock_guard lock(tablesMutex);
    devices.erase(key);
}

/// The driver below knows no exported timelines: it is asked for one of its own.
VkResult VKAPI_CALL createSemaphore(VkDevice device, const VkSemaphoreCreateInfo* info,
                                    const VkAllocationCallbacks* allocator, VkSemaphore* semaphore) {
    VkSemaphoreCreateInfo known = *info;
    const auto* first = static_cast<const VkBaseInStructure*>(info->pNext);
    if (first != nullptr && first->sType == VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO)
        known.pNext = first->pNext;
    return below<PFN_vkCreateSemaphore>(device, "vkCreateSemaphore")(device, &known, allocator, semaphore);
}

/// By the host, which does so where a section has failed: one value behind the other, as Meshreel's
/// submissions and sections signal them.
VkResult VKAPI_CALL signalSemaphore(VkDevice device, const VkSemaphoreSignalInfo* info) {
    std::uint64_t counter = 0;
    const VkResult result = below<PFN_vkGetSemaphoreCounterValue>(device, "vkGetSemaphoreCounterValue")(
        device, info->semaphore, &counter);
    if (result != VK_SUCCESS)
        return result;
    if (info->value != counter + 1) {
        std::fprintf(stderr, "the host signals %llu behind %llu\n",
                     static_cast<unsigned long long>(info->value), static_cast<unsigned long long>(counter));
        std::abort();
    }
    return below<PFN_vkSignalSemaphore>(device, "vkSignalSemaphore")(device, info);
}

VkResult VKAPI_CALL submitToQueue(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos,
                                  VkFence fence) {
    const char* faults = std::getenv("MESHREEL_LAUNCH_FAULTS");
    if (faults != nullptr && std::string_view(faults).find("refuse:submission") != std::string_view::npos)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkDevice device = deviceOf(queue);
    return below<PFN_vkQueueSubmit>(device, "vkQueueSubmit")(queue, count, infos, fence);
}

VkResult VKAPI_CALL semaphoreDescriptor(VkDevice device, const VkSemaphoreGetFdInfoKHR* info,
                                        int* descriptor) {
    *descriptor = descriptorOf(
        SharedSemaphoreNote{.device = device,
                            .semaphore = info->semaphore,
                            .wait = below<PFN_vkWaitSemaphores>(device, "vkWaitSemaphores"),
                            .signal = below<PFN_vkSignalSemaphore>(device, "vkSignalSemaphore")});
    return *descriptor < 0 ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
}

VkResult VKAPI_CALL hostProperties(VkDevice device, VkExternalMemoryHandleTypeFlagBits type,
                                   const void* memory, VkMemoryHostPointerPropertiesEXT* properties) {
    const char* faults = std::getenv("MESHREEL_LAUNCH_FAULTS");
    const std::string_view list(faults == nullptr ? "" : faults);
    if (list.find("refuse:host") != std::string_view::npos)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (list.find("lose:host") != std::string_view::npos)
        return VK_ERROR_DEVICE_LOST;
    return below<PFN_vkGetMemoryHostPointerPropertiesEXT>(device, "vkGetMemoryHostPointerPropertiesEXT")(
        device, type, memory, properties);
}

VkResult VKAPI_CALL memoryDescriptor(VkDevice device, const VkMemoryGetFdInfoKHR* info, int* descriptor) {
    int own = -1;  // what the driver gives: memory that was not to be exported has none
    if (const VkResult result = below<PFN_vkGetMemoryFdKHR>(device, "vkGetMemoryFdKHR")(device, info, &own);
        result != VK_SUCCESS)
        return result;
    ::close(own);
    void* begin = nullptr;
    if (const VkResult result =
            below<PFN_vkMapMemory>(device, "vkMapMemory")(device, info->memory, 0, VK_WHOLE_SIZE, 0, &begin);
        result != VK_SUCCESS)
        return result;
    below<PFN_vkUnmapMemory>(device, "vkUnmapMemory")(device, info->memory);
    *descriptor = descriptorOf(SharedMemoryNote{.begin = static_cast<std::byte*>(begin)});
    return *descriptor < 0 ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
}

// ---- What the loader asks for ----

PFN_vkVoidFunction VKAPI_CALL findInInstance(VkInstance instance, const char* name);
PFN_vkVoidFunction VKAPI_CALL findInDevice(VkDevice device, const char* name);

template <typename Function>
PFN_vkVoidFunction plain(Function* function) {
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction own(std::string_view name, bool ofInstance) {
    static const std::map<std::string_view, PFN_vkVoidFunction> ofInstances{
        {"vkGetInstanceProcAddr", plain(findInInstance)},
        {"vkCreateInstance", plain(createInstance)},
        {"vkDestroyInstance", plain(destroyInstance)},
        {"vkEnumerateDeviceExtensionProperties", plain(enumerateExtensions)},
        {"vkGetPhysicalDeviceProperties2", plain(askProperties)},
        {"vkGetPhysicalDeviceExternalSemaphoreProperties", plain(askSemaphores)},
        {"vkCreateDevice", plain(createDevice)}};
    static const std::map<std::string_view, PFN_vkVoidFunction> ofDevices{
        {"vkGetDeviceProcAddr", plain(findInDevice)},
        {"vkDestroyDevice", plain(destroyDevice)},
        {"vkCreateSemaphore", plain(createSemaphore)},
        {"vkSignalSemaphore", plain(signalSemaphore)},
        {"vkQueueSubmit", plain(submitToQueue)},
        {"vkGetSemaphoreFdKHR", plain(semaphoreDescriptor)},
        {"vkGetMemoryHostPointerPropertiesEXT", plain(hostProperties)},
        {"vkGetMemoryFdKHR", plain(memoryDescriptor)}};
    if (const auto found = ofDevices.find(name); found != ofDevices.end())
        return found->second;
    const auto found = ofInstances.find(name);
    return ofInstance && found != ofInstances.end() ? found->second : nullptr;
}

PFN_vkVoidFunction VKAPI_CALL findInInstance(VkInstance instance, const char* name) {
    if (PFN_vkVoidFunction function = own(name, true); function != nullptr)
        return function;
    return instance == nullptr ? nullptr : instanceOf(instance).find(instance, name);
}

PFN_vkVoidFunction VKAPI_CALL findInDevice(VkDevice device, const char* name) {
    PFN_vkVoidFunction function = own(name, false);
    return function != nullptr ? function : below<PFN_vkVoidFunction>(device, name);
}

}  // namespace

extern "C" VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version) {
    version->loaderLayerInterfaceVersion = 2;
    version->pfnGetInstanceProcAddr = findInInstance;
    version->pfnGetDeviceProcAddr = findInDevice;
    version->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}

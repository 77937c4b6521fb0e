// SPDX-License-Identifier: GPL-3.0-or-later
// A layer of Vulkan for tests (VK_INSTANCE_LAYERS=VK_LAYER_MESHREEL_ptx_launch, VK_LAYER_PATH): it adds
// VK_NV_cuda_kernel_launch to a driver whose buffers are memory of this process, as those of Mesa's software
// driver are, and hands launches to the interpreter of tests/support/ptx.
//
// A launch parts the commands that it stands among: those behind it are recorded into a command buffer of
// their own. A submission hands the parts to the driver one after the other and interprets between them, once
// the driver has done the one before. So launches have their place among dispatches, copies, barriers and
// timestamps, and nothing waits busily. A launch that no barrier orders, and what the interpreter complains
// about, end the process. Bound pipelines and constants do not outlive a part: a dispatch that relies on some
// from before a launch ends the process too.
//
// MESHREEL_LAUNCHES names a file that gets the kernel's name for each launch. MESHREEL_LAUNCH_FAULTS is a
// list such as "wrong:linear_bf16,refuse:attention_64_64": of these kernels launches compute nothing (wrong),
// the text is refused (refuse), memory is too short for it (short), or the process crashes when it compiles
// it (crash). "refuse:device": devices do not open with the extension; "lack:vkCmdCudaLaunchKernelNV": they
// lack that function. MESHREEL_LAUNCH_CAPABILITY is the card's compute capability, 80 or 90. It has two
// processors, as VK_NV_shader_sm_builtins tells.
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/ptx/ptx_complaint.h"
#include "tests/support/ptx/ptx_machine.h"
#include "tests/support/ptx/ptx_memory.h"
#include "tests/support/ptx/ptx_parser.h"

namespace {

using meshreel::testing::PtxComplaint;

// The extension as the registry has it, written down apart from engine/gpu/ptx_launch.h, so that a mistake
// there is found.
constexpr const char* launchExtension = "VK_NV_cuda_kernel_launch";
constexpr std::uint32_t launchRevision = 2;
constexpr int moduleInfoType = 1000307000;
constexpr int functionInfoType = 1000307001;
constexpr int launchInfoType = 1000307002;
constexpr int featuresType = 1000307003;
constexpr int propertiesType = 1000307004;

struct Module;
struct Function;

struct CudaModuleCreateInfo {
    int sType;
    const void* pNext;
    std::size_t dataSize;
    const void* pData;
};
struct CudaFunctionCreateInfo {
    int sType;
    const void* pNext;
    Module* module;
    const char* pName;
};
struct CudaLaunchInfo {
    int sType;
    const void* pNext;
    Function* function;
    std::uint32_t gridDimX, gridDimY, gridDimZ;
    std::uint32_t blockDimX, blockDimY, blockDimZ;
    std::uint32_t sharedMemBytes;
    std::size_t paramCount;
    const void* const* pParams;
    std::size_t extraCount;
    const void* const* pExtras;
};
struct CudaKernelLaunchFeatures {
    int sType;
    void* pNext;
    VkBool32 cudaKernelLaunchFeatures;
};
struct CudaKernelLaunchProperties {
    int sType;
    void* pNext;
    std::uint32_t computeCapabilityMinor;
    std::uint32_t computeCapabilityMajor;
};

struct Module {
    meshreel::testing::PtxProgram program;
};
struct Function {
    const meshreel::testing::PtxProgram* program;
    const meshreel::testing::PtxEntry* entry;
    bool computesNothing;
};

[[noreturn]] void endWith(const std::string& complaint) {
    std::fprintf(stderr, "%s\n", complaint.c_str());
    std::abort();
}

bool isWanted(std::string_view fault, const std::string& entry) {
    const char* faults = std::getenv("MESHREEL_LAUNCH_FAULTS");
    const std::string list = "," + std::string(faults == nullptr ? "" : faults) + ",";
    return list.find("," + std::string(fault) + ":" + entry + ",") != std::string::npos;
}

/// Of the card that it stands in for.
std::uint32_t capability() {
    const char* wanted = std::getenv("MESHREEL_LAUNCH_CAPABILITY");
    return wanted == nullptr ? 80 : static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10));
}

void note(const std::string& entry) {
    const char* name = std::getenv("MESHREEL_LAUNCHES");
    if (name == nullptr)
        return;
    if (std::FILE* file = std::fopen(name, "a"); file != nullptr) {
        std::fprintf(file, "%s\n", entry.c_str());
        std::fclose(file);
    }
}

/// What kernels may reach: the buffers of all devices.
std::mutex memoryMutex;
meshreel::testing::PtxMemory memory;

struct Launch {
    const Function* function;
    meshreel::testing::PtxGrid grid;
    std::uint32_t dynamicBytes;
    std::vector<std::byte> argument;
};

/// What was recorded into a command buffer.
struct Commands {
    VkCommandPool pool = VK_NULL_HANDLE;
    std::vector<VkCommandBuffer> parts;  ///< the first is the one that the program knows
    std::size_t used = 1;                ///< of the parts, by this recording
    std::vector<Launch> launches;        ///< each behind the part of its index
    bool isBound = false;                ///< a pipeline and its constants, in the latest part
    bool shadersUnordered = false;       ///< since the latest barrier behind them
    bool copiesUnordered = false;
    bool launchUnordered = false;
};

/// The functions of the next layer or of the driver.
#define LAYER_DEVICE_FUNCTIONS(each)                                                                        \
    each(vkDestroyDevice) each(vkCreateBuffer) each(vkDestroyBuffer) each(vkGetBufferDeviceAddress)         \
        each(vkAllocateCommandBuffers) each(vkBeginCommandBuffer) each(vkEndCommandBuffer)                  \
            each(vkCmdBindPipeline) each(vkCmdPushConstants) each(vkCmdDispatch) each(vkCmdPipelineBarrier) \
                each(vkCmdCopyBuffer) each(vkCmdResetQueryPool) each(vkCmdWriteTimestamp)                   \
                    each(vkQueueSubmit) each(vkCreateFence) each(vkDestroyFence) each(vkResetFences)        \
                        each(vkWaitForFences)

class Device {
  public:
    Device(VkDevice device, PFN_vkGetDeviceProcAddr find) : m_device(device), m_find(find) {
#define LAYER_LOAD(name) name = reinterpret_cast<PFN_##name>(find(device, #name));
        LAYER_DEVICE_FUNCTIONS(LAYER_LOAD)
#undef LAYER_LOAD
        VkFenceCreateInfo fence{};
        fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
        if (vkCreateFence(m_device, &fence, nullptr, &m_partIsDone) != VK_SUCCESS)
            endWith("the driver has no fences");
    }
    ~Device() {
        vkDestroyFence(m_device, m_partIsDone, nullptr);
    }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

#define LAYER_MEMBER(name) PFN_##name name = nullptr;
    LAYER_DEVICE_FUNCTIONS(LAYER_MEMBER)
#undef LAYER_MEMBER

    [[nodiscard]] VkDevice handle() const {
        return m_device;
    }
    [[nodiscard]] PFN_vkVoidFunction find(const char* name) const {
        return m_find(m_device, name);
    }
    Commands& commands(VkCommandBuffer handle) {
        return m_commands[handle];  // a node of a map stays where it is
    }
    /// The command buffer of the driver that takes what is recorded now.
    VkCommandBuffer part(VkCommandBuffer handle) {
        const Commands& here = commands(handle);
        return here.parts[here.used - 1];
    }

    void addCommands(VkCommandPool pool, VkCommandBuffer handle) {
        Commands& made = commands(handle);
        made = {};
        made.pool = pool;
        made.parts = {handle};
    }

    VkResult begin(VkCommandBuffer handle, const VkCommandBufferBeginInfo& info) {
        Commands& here = commands(handle);
        Commands anew;
        anew.pool = here.pool;
        anew.parts = std::move(here.parts);
        here = std::move(anew);
        return vkBeginCommandBuffer(handle, &info);
    }

    void addBuffer(VkBuffer buffer, VkDeviceSize bytes) {
        m_bytes[buffer] = bytes;
    }

    void addAddress(VkBuffer buffer, VkDeviceAddress address) {
        const std::lock_guard lock(memoryMutex);
        if (m_addresses.try_emplace(buffer, address).second)
            memory.add("a buffer", {reinterpret_cast<std::byte*>(address), m_bytes.at(buffer)});
    }

    void removeBuffer(VkBuffer buffer) {
        const std::lock_guard lock(memoryMutex);
        if (const auto found = m_addresses.find(buffer); found != m_addresses.end()) {
            memory.remove(found->second);
            m_addresses.erase(found);
        }
        m_bytes.erase(buffer);
    }

    void record(VkCommandBuffer handle, const CudaLaunchInfo& info) {
        const meshreel::testing::PtxEntry& entry = *info.function->entry;
        if (info.sType != launchInfoType || info.pNext != nullptr || info.extraCount != 0 ||
            info.paramCount != 1 || info.blockDimX * info.blockDimY * info.blockDimZ != entry.threads)
            endWith("a launch of " + entry.name + " is not as the extension wants it");
        Commands& here = commands(handle);
        if (here.shadersUnordered || here.copiesUnordered)
            endWith("no barrier orders the launch of " + entry.name + " behind what is before it");
        Launch launch;
        launch.function = info.function;
        launch.grid = {.x = info.gridDimX, .y = info.gridDimY, .z = info.gridDimZ};
        launch.dynamicBytes = info.sharedMemBytes;
        const auto* argument = static_cast<const std::byte*>(info.pParams[0]);
        launch.argument.assign(argument, argument + entry.parameterBytes);
        here.launches.push_back(std::move(launch));
        here.shadersUnordered = here.launchUnordered = true;
        here.isBound = false;
        beginNextPart(here);
    }

    VkResult submit(VkQueue queue, const VkSubmitInfo& info, VkFence fence) {
        if (info.commandBufferCount != 1 || info.waitSemaphoreCount != 0 || info.signalSemaphoreCount != 0)
            endWith("the layer takes one command buffer a submission, without semaphores");
        const Commands& here = commands(*info.pCommandBuffers);
        for (std::size_t index = 0; index < here.launches.size(); ++index) {
            const VkSubmitInfo part = submissionOf(here.parts[index]);
            if (const VkResult result = vkQueueSubmit(queue, 1, &part, m_partIsDone); result != VK_SUCCESS)
                return result;
            if (const VkResult result = vkWaitForFences(m_device, 1, &m_partIsDone, VK_TRUE, ~0ULL);
                result != VK_SUCCESS)
                return result;
            vkResetFences(m_device, 1, &m_partIsDone);
            compute(here.launches[index]);
        }
        const VkSubmitInfo last = submissionOf(here.parts[here.used - 1]);
        return vkQueueSubmit(queue, 1, &last, fence);
    }

  private:
    static VkSubmitInfo submissionOf(const VkCommandBuffer& part) {
        VkSubmitInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        info.commandBufferCount = 1;
        info.pCommandBuffers = &part;
        return info;
    }

    void beginNextPart(Commands& of) {
        if (vkEndCommandBuffer(of.parts[of.used - 1]) != VK_SUCCESS)
            endWith("the driver does not end a part of the commands");
        if (of.used == of.parts.size()) {
            VkCommandBufferAllocateInfo info{};
            info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
            info.commandPool = of.pool;
            info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
            info.commandBufferCount = 1;
            of.parts.emplace_back();
            if (vkAllocateCommandBuffers(m_device, &info, &of.parts.back()) != VK_SUCCESS)
                endWith("the driver has no more command buffers");
        }
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        if (vkBeginCommandBuffer(of.parts[of.used], &begin) != VK_SUCCESS)
            endWith("the driver does not begin a part of the commands");
        ++of.used;
    }

    static void compute(const Launch& launch) {
        note(launch.function->entry->name);
        if (launch.function->computesNothing)
            return;
        const std::lock_guard lock(memoryMutex);
        try {
            meshreel::testing::runPtxGrid(*launch.function->program, *launch.function->entry, memory,
                                          launch.grid, launch.argument, launch.dynamicBytes);
        } catch (const PtxComplaint& complaint) {
            endWith(complaint.what());
        }
    }

    VkDevice m_device;
    PFN_vkGetDeviceProcAddr m_find;
    std::map<VkBuffer, VkDeviceSize> m_bytes;
    std::map<VkBuffer, VkDeviceAddress> m_addresses;
    std::map<VkCommandBuffer, Commands> m_commands;
    VkFence m_partIsDone = VK_NULL_HANDLE;
};

/// The functions of the next layer or of the driver, looked up when the instance is made: the loader answers
/// with its own entry points later.
#define LAYER_INSTANCE_FUNCTIONS(each)                                                                    \
    each(vkDestroyInstance) each(vkEnumerateDeviceExtensionProperties) each(vkGetPhysicalDeviceFeatures2) \
        each(vkGetPhysicalDeviceProperties2)

struct Instance {
    VkInstance instance = nullptr;
    PFN_vkGetInstanceProcAddr find = nullptr;
#define LAYER_MEMBER(name) PFN_##name name = nullptr;
    LAYER_INSTANCE_FUNCTIONS(LAYER_MEMBER)
#undef LAYER_MEMBER

    Instance() = default;
    Instance(VkInstance made, PFN_vkGetInstanceProcAddr next) : instance(made), find(next) {
#define LAYER_LOAD(name) name = reinterpret_cast<PFN_##name>(next(made, #name));
        LAYER_INSTANCE_FUNCTIONS(LAYER_LOAD)
#undef LAYER_LOAD
    }
};

std::mutex tablesMutex;
std::map<void*, Instance> instances;
std::map<void*, std::unique_ptr<Device>> devices;

/// Handles of one instance, and of one device, begin with the same pointer of the loader.
template <typename Handle>
void* keyOf(Handle handle) {
    return *reinterpret_cast<void**>(handle);
}

template <typename Handle>
Instance instanceOf(Handle handle) {
    const std::lock_guard lock(tablesMutex);
    return instances.at(keyOf(handle));
}

template <typename Handle>
Device& deviceOf(Handle handle) {
    const std::lock_guard lock(tablesMutex);
    return *devices.at(keyOf(handle));
}

/// The next structure of this type in a chain; null without one.
template <typename Structure>
Structure* inChain(const void* chain, int type) {
    for (auto* each = static_cast<const VkBaseInStructure*>(chain); each != nullptr; each = each->pNext)
        if (static_cast<int>(each->sType) == type)
            return const_cast<Structure*>(reinterpret_cast<const Structure*>(each));
    return nullptr;
}

/// The link of the loader to the next layer.
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
    const Instance of = instanceOf(instance);
    void* const key = keyOf(instance);
    of.vkDestroyInstance(instance, allocator);
    const std::lock_guard lock(tablesMutex);
    instances.erase(key);
}

VkResult VKAPI_CALL enumerateExtensions(VkPhysicalDevice device, const char* layer, std::uint32_t* count,
                                        VkExtensionProperties* properties) {
    const auto next = instanceOf(device).vkEnumerateDeviceExtensionProperties;
    if (layer != nullptr)
        return next(device, layer, count, properties);
    std::uint32_t own = 0;
    if (const VkResult result = next(device, nullptr, &own, nullptr); result != VK_SUCCESS)
        return result;
    std::vector<VkExtensionProperties> all(own);
    if (const VkResult result = next(device, nullptr, &own, all.data()); result != VK_SUCCESS)
        return result;
    for (const auto& [name, revision] :
         {std::pair{launchExtension, launchRevision},
          std::pair{VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, std::uint32_t{1}}}) {
        VkExtensionProperties added{};
        std::strncpy(added.extensionName, name, VK_MAX_EXTENSION_NAME_SIZE - 1);
        added.specVersion = revision;
        all.push_back(added);
    }
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

void VKAPI_CALL askFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
    instanceOf(device).vkGetPhysicalDeviceFeatures2(device, features);
    if (auto* launch = inChain<CudaKernelLaunchFeatures>(features, featuresType); launch != nullptr)
        launch->cudaKernelLaunchFeatures = VK_TRUE;
}

void VKAPI_CALL askProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
    instanceOf(device).vkGetPhysicalDeviceProperties2(device, properties);
    if (auto* launch = inChain<CudaKernelLaunchProperties>(properties, propertiesType); launch != nullptr) {
        launch->computeCapabilityMajor = capability() / 10;
        launch->computeCapabilityMinor = capability() % 10;
    }
    if (auto* processors = inChain<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV>(
            properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
        processors != nullptr)
        processors->shaderSMCount = 2;
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
    // The driver below does not know the extension: it is asked for what it has.
    VkDeviceCreateInfo below = *info;
    std::vector<const char*> names(info->ppEnabledExtensionNames,
                                   info->ppEnabledExtensionNames + info->enabledExtensionCount);
    const bool launches =
        std::erase_if(names, [](const char* name) { return std::string_view(name) == launchExtension; }) > 0;
    below.enabledExtensionCount = static_cast<std::uint32_t>(names.size());
    below.ppEnabledExtensionNames = names.data();
    if (launches && isWanted("refuse", "device"))
        return VK_ERROR_INITIALIZATION_FAILED;
    const auto* feature = inChain<CudaKernelLaunchFeatures>(info->pNext, featuresType);
    if (launches != (feature != nullptr && feature->cudaKernelLaunchFeatures == VK_TRUE))
        endWith("a device has the extension without its feature, or the feature without its extension");
    VkBaseInStructure* before = nullptr;
    for (auto* each = static_cast<const VkBaseInStructure*>(info->pNext); each != nullptr; each = each->pNext)
        if (static_cast<const void*>(each->pNext) == feature && feature != nullptr)
            before = const_cast<VkBaseInStructure*>(each);
    if (before != nullptr)
        before->pNext = static_cast<const VkBaseInStructure*>(feature->pNext);
    const VkResult result = create(physical, &below, allocator, device);
    if (before != nullptr)
        before->pNext = reinterpret_cast<const VkBaseInStructure*>(feature);
    if (result == VK_SUCCESS) {
        auto made = std::make_unique<Device>(*device, find);
        const std::lock_guard lock(tablesMutex);
        devices[keyOf(*device)] = std::move(made);
    }
    return result;
}

void VKAPI_CALL destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
    if (device == nullptr)
        return;
    std::unique_ptr<Device> of;
    {
        const std::lock_guard lock(tablesMutex);
        const auto found = devices.find(keyOf(device));
        of = std::move(found->second);
        devices.erase(found);
    }
    const PFN_vkDestroyDevice destroy = of->vkDestroyDevice;
    of.reset();
    destroy(device, allocator);
}

VkResult VKAPI_CALL createBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                 const VkAllocationCallbacks* allocator, VkBuffer* buffer) {
    const VkResult result = deviceOf(device).vkCreateBuffer(device, info, allocator, buffer);
    if (result == VK_SUCCESS)
        deviceOf(device).addBuffer(*buffer, info->size);
    return result;
}

void VKAPI_CALL destroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* allocator) {
    deviceOf(device).removeBuffer(buffer);
    deviceOf(device).vkDestroyBuffer(device, buffer, allocator);
}

VkDeviceAddress VKAPI_CALL bufferAddress(VkDevice device, const VkBufferDeviceAddressInfo* info) {
    const VkDeviceAddress address = deviceOf(device).vkGetBufferDeviceAddress(device, info);
    deviceOf(device).addAddress(info->buffer, address);
    return address;
}

VkResult VKAPI_CALL allocateCommands(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                     VkCommandBuffer* handles) {
    Device& of = deviceOf(device);
    const VkResult result = of.vkAllocateCommandBuffers(device, info, handles);
    if (result == VK_SUCCESS)
        for (VkCommandBuffer handle : std::span(handles, info->commandBufferCount))
            of.addCommands(info->commandPool, handle);
    return result;
}

VkResult VKAPI_CALL beginCommands(VkCommandBuffer commands, const VkCommandBufferBeginInfo* info) {
    return deviceOf(commands).begin(commands, *info);
}

VkResult VKAPI_CALL endCommands(VkCommandBuffer commands) {
    Device& of = deviceOf(commands);
    return of.vkEndCommandBuffer(of.part(commands));
}

void VKAPI_CALL bindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline) {
    Device& of = deviceOf(commands);
    of.vkCmdBindPipeline(of.part(commands), point, pipeline);
    of.commands(commands).isBound = true;
}

void VKAPI_CALL pushConstants(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
                              std::uint32_t offset, std::uint32_t bytes, const void* values) {
    Device& of = deviceOf(commands);
    of.vkCmdPushConstants(of.part(commands), layout, stages, offset, bytes, values);
}

void VKAPI_CALL resetQueries(VkCommandBuffer commands, VkQueryPool pool, std::uint32_t first,
                             std::uint32_t count) {
    Device& of = deviceOf(commands);
    of.vkCmdResetQueryPool(of.part(commands), pool, first, count);
}

void VKAPI_CALL writeTimestamp(VkCommandBuffer commands, VkPipelineStageFlagBits stage, VkQueryPool pool,
                               std::uint32_t query) {
    Device& of = deviceOf(commands);
    of.vkCmdWriteTimestamp(of.part(commands), stage, pool, query);
}

void VKAPI_CALL dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    Device& of = deviceOf(commands);
    Commands& here = of.commands(commands);
    if (here.launchUnordered)
        endWith("no barrier orders a dispatch behind a launch");
    if (!here.isBound)
        endWith("a dispatch relies on the pipeline from before a launch");
    of.vkCmdDispatch(of.part(commands), x, y, z);
    here.shadersUnordered = true;
}

void VKAPI_CALL copyBuffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, std::uint32_t count,
                           const VkBufferCopy* parts) {
    Device& of = deviceOf(commands);
    Commands& here = of.commands(commands);
    if (here.launchUnordered)
        endWith("no barrier orders a copy behind a launch");
    of.vkCmdCopyBuffer(of.part(commands), from, to, count, parts);
    here.copiesUnordered = true;
}

void VKAPI_CALL pipelineBarrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                                VkDependencyFlags flags, std::uint32_t memoryCount,
                                const VkMemoryBarrier* memories, std::uint32_t bufferCount,
                                const VkBufferMemoryBarrier* buffers, std::uint32_t imageCount,
                                const VkImageMemoryBarrier* images) {
    Device& of = deviceOf(commands);
    of.vkCmdPipelineBarrier(of.part(commands), from, to, flags, memoryCount, memories, bufferCount, buffers,
                            imageCount, images);
    Commands& here = of.commands(commands);
    if ((from & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT) != 0)
        here.shadersUnordered = here.launchUnordered = false;
    if ((from & VK_PIPELINE_STAGE_TRANSFER_BIT) != 0)
        here.copiesUnordered = false;
}

VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
    if (count != 1)
        endWith("the layer takes one submission at a time");
    return deviceOf(queue).submit(queue, *infos, fence);
}

// ---- The extension ----

VkResult VKAPI_CALL createModule(VkDevice /*device*/, const CudaModuleCreateInfo* info,
                                 const VkAllocationCallbacks* /*allocator*/, Module** module) {
    const auto* text = static_cast<const char*>(info->pData);
    if (info->sType != moduleInfoType || info->dataSize != std::strlen(text) + 1)
        endWith("a text of PTX is not given as the extension wants it");
    try {
        auto made = std::make_unique<Module>(Module{meshreel::testing::parsePtx(text, "ptx")});
        const auto target = static_cast<std::uint32_t>(made->program.target);
        if (target > capability() || (made->program.isForHopperAlone && target != capability()))
            throw PtxComplaint("ptx", 2, "the text is for another card than this one");
        for (const meshreel::testing::PtxEntry& entry : made->program.entries) {
            if (isWanted("crash", entry.name))
                endWith("the compiler of PTX went wrong");
            if (isWanted("refuse", entry.name))
                return VK_ERROR_INITIALIZATION_FAILED;
            if (isWanted("short", entry.name))
                return VK_ERROR_OUT_OF_DEVICE_MEMORY;
        }
        *module = made.release();
        return VK_SUCCESS;
    } catch (const PtxComplaint& complaint) {
        std::fprintf(stderr, "%s\n", complaint.what());
        return VK_ERROR_INITIALIZATION_FAILED;
    }
}

void VKAPI_CALL destroyModule(VkDevice /*device*/, Module* module,
                              const VkAllocationCallbacks* /*allocator*/) {
    delete module;
}

VkResult VKAPI_CALL createFunction(VkDevice /*device*/, const CudaFunctionCreateInfo* info,
                                   const VkAllocationCallbacks* /*allocator*/, Function** function) {
    if (info->sType != functionInfoType)
        endWith("a function of PTX is not asked for as the extension wants it");
    const meshreel::testing::PtxProgram& program = info->module->program;
    const auto entry = std::ranges::find(program.entries, info->pName, &meshreel::testing::PtxEntry::name);
    if (entry == program.entries.end())
        return VK_ERROR_INITIALIZATION_FAILED;
    *function = new Function{
        .program = &program, .entry = &*entry, .computesNothing = isWanted("wrong", entry->name)};
    return VK_SUCCESS;
}

void VKAPI_CALL destroyFunction(VkDevice /*device*/, Function* function,
                                const VkAllocationCallbacks* /*allocator*/) {
    delete function;
}

void VKAPI_CALL launchKernel(VkCommandBuffer commands, const CudaLaunchInfo* info) {
    deviceOf(commands).record(commands, *info);
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
        {"vkGetPhysicalDeviceFeatures2", plain(askFeatures)},
        {"vkGetPhysicalDeviceProperties2", plain(askProperties)},
        {"vkCreateDevice", plain(createDevice)}};
    static const std::map<std::string_view, PFN_vkVoidFunction> ofDevices{
        {"vkGetDeviceProcAddr", plain(findInDevice)},
        {"vkDestroyDevice", plain(destroyDevice)},
        {"vkCreateBuffer", plain(createBuffer)},
        {"vkDestroyBuffer", plain(destroyBuffer)},
        {"vkGetBufferDeviceAddress", plain(bufferAddress)},
        {"vkAllocateCommandBuffers", plain(allocateCommands)},
        {"vkBeginCommandBuffer", plain(beginCommands)},
        {"vkEndCommandBuffer", plain(endCommands)},
        {"vkCmdBindPipeline", plain(bindPipeline)},
        {"vkCmdPushConstants", plain(pushConstants)},
        {"vkCmdResetQueryPool", plain(resetQueries)},
        {"vkCmdWriteTimestamp", plain(writeTimestamp)},
        {"vkCmdDispatch", plain(dispatch)},
        {"vkCmdCopyBuffer", plain(copyBuffer)},
        {"vkCmdPipelineBarrier", plain(pipelineBarrier)},
        {"vkQueueSubmit", plain(submit)},
        {"vkCreateCudaModuleNV", plain(createModule)},
        {"vkDestroyCudaModuleNV", plain(destroyModule)},
        {"vkCreateCudaFunctionNV", plain(createFunction)},
        {"vkDestroyCudaFunctionNV", plain(destroyFunction)},
        {"vkCmdCudaLaunchKernelNV", plain(launchKernel)}};
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
    if (isWanted("lack", name))
        return nullptr;
    PFN_vkVoidFunction function = own(name, false);
    return function != nullptr ? function : deviceOf(device).find(name);
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

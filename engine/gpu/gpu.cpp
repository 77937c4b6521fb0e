// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/sentence.h"
#include "engine/gpu/cuda_side.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/shared_host.h"

namespace meshreel {
namespace {

VkPhysicalDevice deviceOfId(const VulkanLibrary& library, const std::string& id) {
    for (VkPhysicalDevice device : library.devices())
        if (gpuId(library, device) == id)
            return device;
    throw Error(ErrorKind::Device, sentence("the GPU {} is not here any more", id), {},
                sentence("See meshreel devices"));
}

constexpr double nanosecond = 1e-9;

/// A queue by its family and place there.
struct QueuePlace {
    std::uint32_t family = 0;
    std::uint32_t index = 0;
};

/// A queue that does nothing but copy, else a second one of the family that computes, else the same.
QueuePlace copyQueue(const std::vector<VkQueueFamilyProperties>& families, std::uint32_t computes) {
    constexpr VkQueueFlags allowed =
        VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
    for (std::uint32_t family = 0; family < families.size(); ++family)
        if ((families[family].queueFlags & VK_QUEUE_TRANSFER_BIT) != 0 &&
            (families[family].queueFlags & ~allowed) == 0 && families[family].queueCount > 0)
            return {.family = family};
    return {.family = computes, .index = families[computes].queueCount > 1 ? 1U : 0U};
}

}  // namespace

Gpu::Gpu(std::shared_ptr<const VulkanLibrary> library, const std::string& id, GpuExchange exchange)
    : m_library(std::move(library)), m_id(id), m_exchange(exchange) {
    const VulkanInstanceFunctions& calls = m_library->calls();
    VkPhysicalDevice physical = deviceOfId(*m_library, id);
    VkPhysicalDeviceMaintenance3Properties limits{};
    limits.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &limits;
    calls.vkGetPhysicalDeviceProperties2(physical, &properties);
    m_largestBuffer = limits.maxMemoryAllocationSize;
    m_name = properties.properties.deviceName;
    m_kind = gpuKind(properties.properties.deviceType);
    if (const Sentence missing = whatGpuLacks(*m_library, physical); !missing.empty())
        throw Error(ErrorKind::Device, sentence("{} cannot be used: {}", m_name, missing), {},
                    sentence("See meshreel devices"));
    VkPhysicalDeviceMemoryProperties2 memory{};
    memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    calls.vkGetPhysicalDeviceMemoryProperties2(physical, &memory);
    m_memory = memory.memoryProperties;
    m_family = computeQueueFamily(*m_library, physical).value();
    const auto families =
        listVulkan(VkQueueFamilyProperties{}, [&](std::uint32_t* count, VkQueueFamilyProperties* items) {
            calls.vkGetPhysicalDeviceQueueFamilyProperties(physical, count, items);
        });
    if (families.at(m_family).timestampValidBits > 0)
        m_secondsPerTick = static_cast<double>(properties.properties.limits.timestampPeriod) * nanosecond;

    const QueuePlace copies = copyQueue(families, m_family);
    m_copyFamily = copies.family;
    constexpr std::array priorities{1.0F, 1.0F};
    std::vector<VkDeviceQueueCreateInfo> queues;
    for (const QueuePlace last :
         {QueuePlace{m_family, m_copyFamily == m_family ? copies.index : 0}, copies}) {
        VkDeviceQueueCreateInfo queue{};
        queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queue.queueFamilyIndex = last.family;
        queue.queueCount = last.index + 1;
        queue.pQueuePriorities = priorities.data();
        if (queues.empty() || last.family != m_family)
            queues.push_back(queue);
    }
    m_matrices = askMatrixOffers(*m_library, physical);
    open(physical, queues);
    m_calls.vkGetDeviceQueue(m_device, m_family, 0, &m_queue);
    m_calls.vkGetDeviceQueue(m_device, m_copyFamily, copies.index, &m_copyQueue);
}

void Gpu::open(VkPhysicalDevice physical, const std::vector<VkDeviceQueueCreateInfo>& queues) {
    const GpuExchange wanted = m_exchange;
    for (;;) {
        try {
            create(physical, queues);
            return;
        } catch (const Error& failure) {
            close();
            if (m_exchange != GpuExchange::Staged) {
                // What the exchange needs may be all that fails: kernels of PTX are not blamed for it.
                m_exchange = GpuExchange::Staged;
                m_whyStaged = failure.message();
                continue;
            }
            const PtxWay way = m_matrices.ptx;
            if (way == PtxWay::None)
                throw;
            m_exchange = wanted;
            // A driver that lists what it fails in still has shaders.
            const Sentence why =
                sentence("the device does not open with {}: {}", nameOf(way), failure.message());
            m_matrices.offerPtx(way == PtxWay::Vulkan ? askPtxWithoutVulkan(*m_library, physical, why)
                                                      : PtxOffer{.why = why});
        }
    }
}

void Gpu::create(VkPhysicalDevice physical, const std::vector<VkDeviceQueueCreateInfo>& queues) {
    const VulkanInstanceFunctions& calls = m_library->calls();
    const bool withCuda = m_matrices.ptx == PtxWay::Cuda || m_exchange == GpuExchange::Peers;
    const bool withHost = m_exchange == GpuExchange::SharedHost;
    VulkanFeatures features;
    features.require();
    const MatrixFeatures matrixFeatures(m_matrices, features.last());
    std::vector<const char*> extensions = matrixFeatures.extensions();
    if (withCuda) {
        features.last().timelineSemaphore = VK_TRUE;
        extensions.insert(extensions.end(), descriptorExtensions.begin(), descriptorExtensions.end());
    }
    if (withHost)
        extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features.chain();
    info.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
    info.pQueueCreateInfos = queues.data();
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    VkDevice made = nullptr;
    requireVulkan(calls.vkCreateDevice(physical, &info, nullptr, &made), "vkCreateDevice");
    m_device = made;
#define MESHREEL_VULKAN_LOAD(name) \
    m_calls.name = reinterpret_cast<PFN_##name>(calls.vkGetDeviceProcAddr(m_device, #name));
    MESHREEL_VULKAN_DEVICE_FUNCTIONS(MESHREEL_VULKAN_LOAD)
#undef MESHREEL_VULKAN_LOAD
    m_ptxCalls =
        m_matrices.ptx == PtxWay::Vulkan ? findPtxLaunch(*m_library, m_device) : PtxLaunchFunctions();
    m_sharing = findVulkanSharing(*m_library, m_device, withCuda, withHost);
    if (withHost) {
        m_hostAlignment = hostImportAlignment(*m_library, physical);
        if (m_hostAlignment == 0 || SharedHost::alignment % m_hostAlignment != 0)
            throw Error(ErrorKind::Device, sentence("{} imports no memory of the host's", m_name), {},
                        sentence("See meshreel devices"));
    }
    if (withCuda)
        m_cuda = std::make_unique<CudaSide>(
            deviceUuid(*m_library, physical),
            reinterpret_cast<PFN_vkGetSemaphoreCounterValue>(
                calls.vkGetDeviceProcAddr(m_device, "vkGetSemaphoreCounterValue")));
}

void Gpu::close() {
    const bool isStuck = m_cuda && m_cuda->isStuck();
    m_cuda.reset();
    if (m_device != nullptr && !isStuck)
        m_calls.vkDestroyDevice(m_device, nullptr);
    m_device = nullptr;
}

Gpu::~Gpu() {
    close();
}

std::uint32_t Gpu::memoryType(std::uint32_t allowed, VkMemoryPropertyFlags wanted,
                              VkMemoryPropertyFlags liked) const {
    for (const VkMemoryPropertyFlags flags : {wanted | liked, wanted})
        for (std::uint32_t type = 0; type < m_memory.memoryTypeCount; ++type)
            if ((allowed >> type & 1U) != 0 && (m_memory.memoryTypes[type].propertyFlags & flags) == flags)
                return type;
    throw Error(ErrorKind::Device, sentence("{} has no memory of the kind that is needed", m_name), {},
                sentence("Update the GPU driver, or use the CPU"));
}

GpuBuffer::GpuBuffer(const Gpu& gpu, std::size_t bytes, GpuPlace place)
    : m_gpu(gpu), m_bytes(std::max<std::size_t>(bytes, 4)) {
    if (m_bytes > gpu.largestBuffer())
        throw Error(ErrorKind::Device,
                    sentence("{} takes at most {:.1f} GiB in one piece, {:.1f} GiB are needed", gpu.name(),
                             static_cast<double>(gpu.largestBuffer()) / gibibyte,
                             static_cast<double>(m_bytes) / gibibyte),
                    {}, sentence("Make a smaller or shorter video, or use the CPU"));
    const bool isShared = place == GpuPlace::Device && gpu.cuda() != nullptr;
    constexpr VkExternalMemoryHandleTypeFlags descriptor = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    const VkMemoryRequirements needs = makeBuffer(isShared ? descriptor : 0);
    VkExportMemoryAllocateInfo exported{};
    exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
    exported.handleTypes = descriptor;
    VkMemoryAllocateFlagsInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    flags.pNext = isShared ? &exported : nullptr;
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.pNext = &flags;
    allocation.allocationSize = needs.size;
    try {
        allocation.memoryTypeIndex =
            place == GpuPlace::Device
                ? gpu.memoryType(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0)
                : gpu.memoryType(needs.memoryTypeBits,
                                 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                 VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
        bind(allocation);
        if (isShared)
            shareWithCuda(needs.size);
        if (place == GpuPlace::Host) {
            void* mapped = nullptr;
            requireVulkan(gpu.calls().vkMapMemory(gpu.device(), m_memory, 0, VK_WHOLE_SIZE, 0, &mapped),
                          "vkMapMemory");
            m_mapped = static_cast<std::byte*>(mapped);
        }
    } catch (...) {
        release();
        throw;
    }
}

GpuBuffer::GpuBuffer(const Gpu& gpu, std::span<std::byte> hostMemory)
    : m_gpu(gpu), m_bytes(hostMemory.size()) {
    constexpr VkExternalMemoryHandleTypeFlagBits host =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const VkMemoryRequirements needs = makeBuffer(host);
    try {
        VkMemoryHostPointerPropertiesEXT there{};
        there.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
        requireVulkan(gpu.sharing().getHostPointerProperties(gpu.device(), host, hostMemory.data(), &there),
                      "vkGetMemoryHostPointerPropertiesEXT");
        if (needs.size > m_bytes || (needs.memoryTypeBits & there.memoryTypeBits) == 0)
            throw VulkanFailure(VK_ERROR_INVALID_EXTERNAL_HANDLE,
                                sentence("{} does not take this memory of the host's", gpu.name()),
                                sentence("See meshreel devices"));
        VkImportMemoryHostPointerInfoEXT imported{};
        imported.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
        imported.handleType = host;
        imported.pHostPointer = hostMemory.data();
        VkMemoryAllocateFlagsInfo flags{};
        flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
        flags.pNext = &imported;
        flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
        VkMemoryAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
        allocation.pNext = &flags;
        allocation.allocationSize = m_bytes;
        allocation.memoryTypeIndex = gpu.memoryType(needs.memoryTypeBits & there.memoryTypeBits, 0,
                                                    VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
        bind(allocation);
    } catch (...) {
        release();
        throw;
    }
}

VkMemoryRequirements GpuBuffer::makeBuffer(VkExternalMemoryHandleTypeFlags external) {
    const VulkanDeviceFunctions& calls = m_gpu.calls();
    VkExternalMemoryBufferCreateInfo shared{};
    shared.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
    shared.handleTypes = external;
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.pNext = external != 0 ? &shared : nullptr;
    info.size = m_bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    const std::array families{m_gpu.queueFamily(GpuQueue::Compute), m_gpu.queueFamily(GpuQueue::Copies)};
    if (families.front() != families.back()) {
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
        info.queueFamilyIndexCount = static_cast<std::uint32_t>(families.size());
        info.pQueueFamilyIndices = families.data();
    }
    requireVulkan(calls.vkCreateBuffer(m_gpu.device(), &info, nullptr, &m_buffer), "vkCreateBuffer");
    VkMemoryRequirements needs{};
    calls.vkGetBufferMemoryRequirements(m_gpu.device(), m_buffer, &needs);
    return needs;
}

void GpuBuffer::bind(const VkMemoryAllocateInfo& allocation) {
    const VulkanDeviceFunctions& calls = m_gpu.calls();
    requireVulkan(calls.vkAllocateMemory(m_gpu.device(), &allocation, nullptr, &m_memory),
                  "vkAllocateMemory");
    requireVulkan(calls.vkBindBufferMemory(m_gpu.device(), m_buffer, m_memory, 0), "vkBindBufferMemory");
    VkBufferDeviceAddressInfo place{};
    place.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    place.buffer = m_buffer;
    m_address = calls.vkGetBufferDeviceAddress(m_gpu.device(), &place);
}

void GpuBuffer::shareWithCuda(std::size_t allocated) {
    VkMemoryGetFdInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
    info.memory = m_memory;
    info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    int descriptor = -1;
    requireVulkan(m_gpu.sharing().getMemoryDescriptor(m_gpu.device(), &info, &descriptor),
                  "vkGetMemoryFdKHR");
    m_gpu.cuda()->importMemory({.begin = m_address, .bytes = m_bytes}, descriptor, allocated);
    m_isShared = true;
}

GpuBuffer::~GpuBuffer() {
    release();
}

void GpuBuffer::release() {
    if (m_gpu.cuda() != nullptr && m_gpu.cuda()->isStuck())
        return;  // still in use
    if (m_isShared)
        m_gpu.cuda()->forget(m_address);
    m_gpu.calls().vkDestroyBuffer(m_gpu.device(), m_buffer, nullptr);
    m_gpu.calls().vkFreeMemory(m_gpu.device(), m_memory, nullptr);
}

}  // namespace meshreel

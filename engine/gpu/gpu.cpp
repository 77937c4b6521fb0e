// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/sentence.h"
#include "engine/gpu/gpu_facts.h"

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

Gpu::Gpu(std::shared_ptr<const VulkanLibrary> library, const std::string& id)
    : m_library(std::move(library)), m_id(id) {
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
    const VulkanInstanceFunctions& calls = m_library->calls();
    const auto create = [&] {
        VulkanFeatures features;
        features.require();
        const MatrixFeatures matrixFeatures(m_matrices, features.last());
        VkDeviceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        info.pNext = &features.chain();
        info.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
        info.pQueueCreateInfos = queues.data();
        info.enabledExtensionCount = static_cast<std::uint32_t>(matrixFeatures.extensions().size());
        info.ppEnabledExtensionNames = matrixFeatures.extensions().data();
        VkDevice made = nullptr;
        requireVulkan(calls.vkCreateDevice(physical, &info, nullptr, &made), "vkCreateDevice");
        m_device = made;
#define MESHREEL_VULKAN_LOAD(name) \
    m_calls.name = reinterpret_cast<PFN_##name>(calls.vkGetDeviceProcAddr(m_device, #name));
        MESHREEL_VULKAN_DEVICE_FUNCTIONS(MESHREEL_VULKAN_LOAD)
#undef MESHREEL_VULKAN_LOAD
    };
    if (m_matrices.of(MatrixForm::PtxBf16).extents.empty()) {
        create();
        return;
    }
    // A driver that lists the extension and fails in it still has shaders.
    try {
        create();
        m_ptxCalls = findPtxLaunch(*m_library, m_device);
    } catch (const Error& failure) {
        if (m_device != nullptr)
            m_calls.vkDestroyDevice(m_device, nullptr);
        m_device = nullptr;
        m_matrices.withdrawPtx(failure.message());
        create();
    }
}

Gpu::~Gpu() {
    m_calls.vkDestroyDevice(m_device, nullptr);
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
    const VulkanDeviceFunctions& calls = gpu.calls();
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = m_bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    const std::array families{gpu.queueFamily(GpuQueue::Compute), gpu.queueFamily(GpuQueue::Copies)};
    if (families.front() != families.back()) {
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
        info.queueFamilyIndexCount = static_cast<std::uint32_t>(families.size());
        info.pQueueFamilyIndices = families.data();
    }
    requireVulkan(calls.vkCreateBuffer(gpu.device(), &info, nullptr, &m_buffer), "vkCreateBuffer");
    try {
        VkMemoryRequirements needs{};
        calls.vkGetBufferMemoryRequirements(gpu.device(), m_buffer, &needs);
        VkMemoryAllocateFlagsInfo flags{};
        flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
        flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
        VkMemoryAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
        allocation.pNext = &flags;
        allocation.allocationSize = needs.size;
        allocation.memoryTypeIndex =
            place == GpuPlace::Device
                ? gpu.memoryType(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0)
                : gpu.memoryType(needs.memoryTypeBits,
                                 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                 VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
        requireVulkan(calls.vkAllocateMemory(gpu.device(), &allocation, nullptr, &m_memory),
                      "vkAllocateMemory");
        requireVulkan(calls.vkBindBufferMemory(gpu.device(), m_buffer, m_memory, 0), "vkBindBufferMemory");
        VkBufferDeviceAddressInfo place64{};
        place64.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
        place64.buffer = m_buffer;
        m_address = calls.vkGetBufferDeviceAddress(gpu.device(), &place64);
        if (place == GpuPlace::Host) {
            void* mapped = nullptr;
            requireVulkan(calls.vkMapMemory(gpu.device(), m_memory, 0, VK_WHOLE_SIZE, 0, &mapped),
                          "vkMapMemory");
            m_mapped = static_cast<std::byte*>(mapped);
        }
    } catch (...) {
        release();
        throw;
    }
}

GpuBuffer::~GpuBuffer() {
    release();
}

void GpuBuffer::release() {
    m_gpu.calls().vkDestroyBuffer(m_gpu.device(), m_buffer, nullptr);
    m_gpu.calls().vkFreeMemory(m_gpu.device(), m_memory, nullptr);
}

}  // namespace meshreel

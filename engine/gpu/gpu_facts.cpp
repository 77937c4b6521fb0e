// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "engine/base/error.h"
#include "engine/gpu/cuda_offer.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/gpu/ptx_launch.h"
#include "engine/gpu/unopened_gpus.h"
#include "engine/gpu/vulkan_sharing.h"

namespace meshreel {
namespace {

std::vector<MatrixFormFacts> matrixForms(const MatrixOffers& offers, const Sentence& missing) {
    std::vector<MatrixFormFacts> forms{{.name = std::string(enumName(MatrixForm::Scalar)),
                                        .offered = missing.empty(),
                                        .taken = missing.empty(),
                                        .why = missing}};
    for (const OfferedForm& offer : offers.forms)
        forms.push_back({.name = std::string(enumName(offer.form)),
                         .offered = !offer.extents.empty(),
                         .why = offer.extents.empty() ? offer.why : Sentence()});
    return forms;
}

}  // namespace

bool launchesByLibrary(const GpuFacts& facts) {
    return facts.launches == nameOf(PtxWay::Cuda);
}

GpuKind gpuKind(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
            return GpuKind::Discrete;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return GpuKind::Integrated;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
            return GpuKind::Virtual;
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
            return GpuKind::Software;
        default:
            return GpuKind::Other;
    }
}

namespace {

/// Reads the bytes of the largest of its own heaps, and what is free of it if the driver reports that.
void askMemory(const VulkanLibrary& library, VkPhysicalDevice device, bool tellsFree, GpuFacts& facts) {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
    budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    VkPhysicalDeviceMemoryProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    properties.pNext = tellsFree ? &budget : nullptr;
    library.calls().vkGetPhysicalDeviceMemoryProperties2(device, &properties);
    const VkPhysicalDeviceMemoryProperties& memory = properties.memoryProperties;
    for (std::uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap) {
        const auto size = static_cast<double>(memory.memoryHeaps[heap].size);
        if ((memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0 ||
            size <= facts.memoryTotal)
            continue;
        facts.memoryTotal = size;
        if (tellsFree)
            facts.memoryFree = std::max(0.0, static_cast<double>(budget.heapBudget[heap]) -
                                                 static_cast<double>(budget.heapUsage[heap]));
    }
}

std::string hexadecimal(const std::uint8_t (&uuid)[VK_UUID_SIZE]) {
    std::string text;
    for (const std::uint8_t byte : uuid)
        text += fmt::format("{:02x}", byte);
    return text;
}

std::string versionText(std::uint32_t version) {
    return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                       VK_API_VERSION_PATCH(version));
}

}  // namespace

std::string gpuId(const VulkanLibrary& library, VkPhysicalDevice device) {
    VkPhysicalDeviceIDProperties ids{};
    ids.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &ids;
    library.calls().vkGetPhysicalDeviceProperties2(device, &properties);
    return hexadecimal(ids.deviceUUID) + "-" + hexadecimal(ids.driverUUID);
}

bool MatrixFormFacts::isOfInt8() const {
    const std::optional<MatrixForm> form = enumNamed<MatrixForm>(name);
    return form && takesInt8(*form);
}

namespace {

/// What the device offers once it is open: a driver may list what launches PTX and then fail with it.
MatrixOffers openedOffers(const VulkanLibrary& library, VkPhysicalDevice device, const GpuFacts& facts) {
    MatrixOffers offers = askMatrixOffers(library, device);
    if (offers.ptx == PtxWay::None || !facts.missing.empty())
        return offers;
    try {
        const std::shared_ptr<const VulkanLibrary> foreign(std::shared_ptr<void>(), &library);
        return Gpu(foreign, facts.id).matrices();
    } catch (const Error& failure) {
        offers.offerPtx({.why = failure.message()});
        return offers;
    }
}

/// `offersOf` is asked once the rest is known.
template <typename OffersOf>
GpuFacts factsOf(const VulkanLibrary& library, VkPhysicalDevice device, OffersOf offersOf) {
    VkPhysicalDeviceDriverProperties driver{};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &driver;
    library.calls().vkGetPhysicalDeviceProperties2(device, &properties);
    GpuFacts facts{.id = gpuId(library, device),
                   .name = properties.properties.deviceName,
                   .kind = gpuKind(properties.properties.deviceType),
                   .driver = fmt::format("{} {}", driver.driverName, driver.driverInfo),
                   .vulkan = versionText(properties.properties.apiVersion),
                   .missing = whatGpuLacks(library, device)};
    askMemory(library, device, offersExtension(library, device, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME), facts);
    const MatrixOffers offers = offersOf(library, device, facts);
    facts.forms = matrixForms(offers, facts.missing);
    facts.launches = nameOf(offers.ptx);
    facts.importsHost = hostImportAlignment(library, device) > 0;
    facts.peers = cudaPeers(library, device);
    return facts;
}

}  // namespace

GpuFacts askGpu(const VulkanLibrary& library, VkPhysicalDevice device) {
    return factsOf(library, device, openedOffers);
}

GpuFacts askUnopenedGpu(const VulkanLibrary& library, VkPhysicalDevice device) {
    return factsOf(library, device,
                   [](const VulkanLibrary& its, VkPhysicalDevice each, const GpuFacts& facts) {
                       MatrixOffers offers = askMatrixOffers(its, each);
                       return offers.ptx == PtxWay::Cuda ? offers : openedOffers(its, each, facts);
                   });
}

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
/// Tensors are addresses: no descriptors, and no limit on the size of one binding.
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

VulkanFeatures::VulkanFeatures() {
    m_features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    m_features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    m_features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    m_features.pNext = &m_features11;
    m_features11.pNext = &m_features12;
}

void VulkanFeatures::require() {
    setAll(coreNeeds, m_features.features);
    setAll(needs11, m_features11);
    setAll(needs12, m_features12);
}

std::string VulkanFeatures::lacking() const {
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
    VulkanFeatures features;
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/gpu/gpu_needs.h"

namespace meshreel {
namespace {

/// Shapes of VK_KHR_cooperative_matrix, which the headers of Debian 12 lack; numbers of the public registry.
struct KhrMatrixShape {
    VkStructureType type = static_cast<VkStructureType>(1000506001);
    void* next = nullptr;
    std::uint32_t m = 0, n = 0, k = 0;
    std::uint32_t a = 0, b = 0, c = 0, result = 0;  // component types
    VkBool32 saturating = 0;
    std::uint32_t scope = 0;
};
using ListKhrMatrixShapes = VkResult(VKAPI_PTR*)(VkPhysicalDevice, std::uint32_t*, KhrMatrixShape*);

/// Component types, which both extensions count alike.
constexpr std::uint32_t float16 = 0;
constexpr std::uint32_t float32 = 1;
constexpr std::uint32_t signed8 = 3;
constexpr std::uint32_t signed32 = 5;
constexpr std::uint32_t bfloat16 = 1000141000;
constexpr std::uint32_t subgroupScope = 3;

/// What a form multiplies, and by which extensions.
struct FormRow {
    MatrixForm form;
    std::string_view extension;
    std::string_view factorExtension;  // beside it, for its factors; empty: none
    std::uint32_t factor;
    std::uint32_t sum;
};
constexpr std::string_view nvExtension = "VK_NV_cooperative_matrix";
constexpr std::string_view khrExtension = "VK_KHR_cooperative_matrix";
constexpr std::array formRows{
    FormRow{MatrixForm::NvF16, nvExtension, "", float16, float32},
    FormRow{MatrixForm::KhrF16, khrExtension, "", float16, float32},
    FormRow{MatrixForm::KhrBf16, khrExtension, "VK_KHR_shader_bfloat16", bfloat16, float32},
    FormRow{MatrixForm::Int8, khrExtension, "", signed8, signed32},
};

/// Factor and sum of a product that a subgroup computes.
struct MatrixProduct {
    std::uint32_t factor;
    std::uint32_t sum;
};

std::vector<MatrixProduct> nvProducts(const VulkanLibrary& library, VkPhysicalDevice device) {
    const auto list = library.extensionFunction<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesNV>(
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV");
    std::vector<MatrixProduct> products;
    if (list == nullptr)
        return products;
    VkCooperativeMatrixPropertiesNV prototype{};
    prototype.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV;
    for (const auto& shape :
         listVulkan(prototype, [&](std::uint32_t*count, VkCooperativeMatrixPropertiesNV*items) {
             requireVulkan(list(device, count, items), "vkGetPhysicalDeviceCooperativeMatrixProperties");
         }))
        if (shape.AType == shape.BType && shape.scope == VK_SCOPE_SUBGROUP_NV)
            products.push_back(
                {static_cast<std::uint32_t>(shape.AType), static_cast<std::uint32_t>(shape.CType)});
    return products;
}

std::vector<MatrixProduct> khrProducts(const VulkanLibrary& library, VkPhysicalDevice device) {
    const auto list =
        library.extensionFunction<ListKhrMatrixShapes>("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    std::vector<MatrixProduct> products;
    if (list == nullptr)
        return products;
    for (const auto& shape : listVulkan(KhrMatrixShape{}, [&](std::uint32_t*count, KhrMatrixShape*items) {
             requireVulkan(list(device, count, items), "vkGetPhysicalDeviceCooperativeMatrixProperties");
         }))
        if (shape.a == shape.b && shape.scope == subgroupScope)
            products.push_back({shape.a, shape.c});
    return products;
}

std::vector<std::string> extensionNames(const VulkanLibrary& library, VkPhysicalDevice device) {
    std::vector<std::string> names;
    for (const VkExtensionProperties& each :
         listVulkan(VkExtensionProperties{}, [&](std::uint32_t*count, VkExtensionProperties*items) {
             requireVulkan(
                 library.calls().vkEnumerateDeviceExtensionProperties(device, nullptr, count, items),
                 "vkEnumerateDeviceExtensionProperties");
         }))
        names.emplace_back(each.extensionName);
    return names;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// Only the scalar form has kernels; the other rows tell what a card could do.
MatrixFormFacts formFacts(const FormRow& row, const std::vector<std::string>& extensions,
                          const std::vector<MatrixProduct>& products) {
    MatrixFormFacts facts{.name = std::string(enumName(row.form))};
    for (const std::string_view name : {row.extension, row.factorExtension})
        if (!name.empty() && !contains(extensions, name)) {
            facts.why = sentence("the driver does not offer {}", name);
            return facts;
        }
    facts.offered = std::ranges::any_of(products, [&](const MatrixProduct& product) {
        return product.factor == row.factor && product.sum == row.sum;
    });
    facts.why = facts.offered ? sentence("Meshreel has no kernels of this form yet")
                              : sentence("{} has no product of these factors", row.extension);
    return facts;
}

std::vector<MatrixFormFacts> matrixForms(const VulkanLibrary& library, VkPhysicalDevice device,
                                         const std::vector<std::string>& extensions,
                                         const Sentence& missing) {
    std::vector<MatrixFormFacts> forms{{.name = std::string(enumName(MatrixForm::Scalar)),
                                        .offered = missing.empty(),
                                        .taken = missing.empty(),
                                        .why = missing}};
    const auto nv =
        contains(extensions, nvExtension) ? nvProducts(library, device) : std::vector<MatrixProduct>();
    const auto khr =
        contains(extensions, khrExtension) ? khrProducts(library, device) : std::vector<MatrixProduct>();
    for (const FormRow& row : formRows)
        forms.push_back(formFacts(row, extensions, row.extension == nvExtension ? nv : khr));
    return forms;
}

GpuKind kindOf(VkPhysicalDeviceType type) {
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

/// Bytes of the largest of its own heaps, and what is left of it where the driver tells.
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

GpuFacts askGpu(const VulkanLibrary& library, VkPhysicalDevice device) {
    VkPhysicalDeviceDriverProperties driver{};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &driver;
    library.calls().vkGetPhysicalDeviceProperties2(device, &properties);
    const std::vector<std::string> extensions = extensionNames(library, device);
    GpuFacts facts{.id = gpuId(library, device),
                   .name = properties.properties.deviceName,
                   .kind = kindOf(properties.properties.deviceType),
                   .driver = fmt::format("{} {}", driver.driverName, driver.driverInfo),
                   .vulkan = versionText(properties.properties.apiVersion),
                   .missing = whatGpuLacks(library, device)};
    askMemory(library, device, contains(extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME), facts);
    facts.forms = matrixForms(library, device, extensions, facts.missing);
    return facts;
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/matrix_forms.h"

#include <algorithm>
#include <array>

#include "engine/base/error.h"

namespace meshreel {
namespace {

/// A shape of VK_KHR_cooperative_matrix; see MatrixFeatures.
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

constexpr const char* nvExtension = VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME;
constexpr const char* khrExtension = "VK_KHR_cooperative_matrix";
constexpr const char* bfloat16Extension = "VK_KHR_shader_bfloat16";
constexpr const char* dotExtension = VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME;
constexpr const char* subgroupExtension = VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME;

/// What a form multiplies, and by which extensions.
struct FormRow {
    MatrixForm form;
    const char* extension;
    const char* factorExtension;  // beside it, for its factors; null: none
    std::uint32_t factor;
    std::uint32_t sum;
};
constexpr std::array formRows{
    FormRow{MatrixForm::NvF16, nvExtension, nullptr, float16, float32},
    FormRow{MatrixForm::KhrF16, khrExtension, nullptr, float16, float32},
    FormRow{MatrixForm::KhrBf16, khrExtension, bfloat16Extension, bfloat16, float32},
    FormRow{MatrixForm::Int8, khrExtension, nullptr, signed8, signed32},
    FormRow{MatrixForm::Int8Dot, dotExtension, nullptr, signed8, signed32},
};

/// What an instruction multiplies in a kernel of PTX: mma.sync by a warp, on all cards; wgmma by four, whose
/// text (sm_90a) no other card takes.
struct PtxFormRow {
    MatrixForm form;
    MatrixExtents ofAll;
    MatrixExtents ofHopper;
};
constexpr std::array ptxFormRows{
    PtxFormRow{MatrixForm::PtxBf16, {.m = 16, .n = 8, .k = 16}, {.m = 64, .n = 8, .k = 16}},
    PtxFormRow{MatrixForm::PtxInt8, {.m = 16, .n = 8, .k = 32}, {.m = 64, .n = 8, .k = 32}}};
constexpr int capabilityOfHopper = 90;

/// A product that a subgroup computes.
struct MatrixProduct {
    MatrixExtents extents;
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
        if (shape.AType == shape.BType && shape.CType == shape.DType && shape.scope == VK_SCOPE_SUBGROUP_NV)
            products.push_back({{shape.MSize, shape.NSize, shape.KSize},
                                static_cast<std::uint32_t>(shape.AType),
                                static_cast<std::uint32_t>(shape.CType)});
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
        if (shape.a == shape.b && shape.c == shape.result && shape.saturating == VK_FALSE &&
            shape.scope == subgroupScope)
            products.push_back({{shape.m, shape.n, shape.k}, shape.a, shape.c});
    return products;
}

/// What every device with the extension has, in each invocation.
std::vector<MatrixProduct> dotProducts() {
    return {{.extents = {.m = 1, .n = 1, .k = 4}, .factor = signed8, .sum = signed32}};
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

/// What the kernels of every form of matrix units need beside its matrices: f16 or int8, the memory model
/// that they are defined in, and exchange within a subgroup.
Sentence whatMatricesLack(const VulkanLibrary& library, VkPhysicalDevice device,
                          VkSubgroupFeatureFlags operations, MatrixForm form) {
    VkPhysicalDeviceVulkan12Features core{};
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &core;
    library.calls().vkGetPhysicalDeviceFeatures2(device, &features);
    constexpr VkSubgroupFeatureFlags needed =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    for (const auto& [has, name] : {std::pair{core.shaderFloat16 == VK_TRUE, "shaderFloat16"},
                                    std::pair{core.shaderInt8 == VK_TRUE || !takesInt8(form), "shaderInt8"},
                                    std::pair{core.vulkanMemoryModel == VK_TRUE, "vulkanMemoryModel"},
                                    std::pair{(operations & needed) == needed, "subgroup shuffles"}})
        if (!has)
            return sentence("its driver lacks {}", name);
    return {};
}

OfferedForm offerOf(const FormRow& row, const std::vector<std::string>& extensions,
                    const std::vector<MatrixProduct>& products) {
    OfferedForm offer{.form = row.form};
    for (const char* name : {row.extension, row.factorExtension})
        if (name != nullptr && std::ranges::find(extensions, name) == extensions.end()) {
            offer.why = sentence("the driver does not offer {}", name);
            return offer;
        }
    for (const MatrixProduct& product : products)
        if (product.factor == row.factor && product.sum == row.sum)
            offer.extents.push_back(product.extents);
    if (offer.extents.empty())
        offer.why = sentence("{} has no product of these factors", row.extension);
    return offer;
}

}  // namespace

const OfferedForm& MatrixOffers::of(MatrixForm form) const {
    const auto found = std::ranges::find(forms, form, &OfferedForm::form);
    if (found == forms.end())
        throw Error(ErrorKind::Internal, "a form of matrices without an offer");
    return *found;
}

void MatrixOffers::offerPtx(const PtxOffer& offer) {
    ptx = offer.way;
    std::erase_if(forms, [](const OfferedForm& each) { return isOfPtx(each.form); });
    for (const PtxFormRow& row : ptxFormRows) {
        OfferedForm form{.form = row.form, .why = offer.why};
        if (offer.way != PtxWay::None)
            form.extents.push_back(row.ofAll);
        if (offer.way != PtxWay::None && offer.capability == capabilityOfHopper)
            form.extents.push_back(row.ofHopper);
        forms.push_back(std::move(form));
    }
}

bool offersExtension(const VulkanLibrary& library, VkPhysicalDevice device, std::string_view name) {
    const std::vector<std::string> names = extensionNames(library, device);
    return std::ranges::find(names, name) != names.end();
}

MatrixOffers askMatrixOffers(const VulkanLibrary& library, VkPhysicalDevice device) {
    const std::vector<std::string> extensions = extensionNames(library, device);
    const auto has = [&](const char* name) {
        return std::ranges::find(extensions, name) != extensions.end();
    };
    VkPhysicalDeviceSubgroupSizeControlProperties sizes{};
    sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV processors{};
    processors.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
    VkPhysicalDeviceSubgroupProperties subgroups{};
    subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    void** end = &subgroups.pNext;
    if (has(subgroupExtension)) {
        *end = &sizes;
        end = &sizes.pNext;
    }
    if (has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME))
        *end = &processors;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &subgroups;
    library.calls().vkGetPhysicalDeviceProperties2(device, &properties);
    MatrixOffers offers{.forms = {},
                        .leastSubgroup = subgroups.subgroupSize,
                        .mostSubgroup = subgroups.subgroupSize,
                        .broadcasts = (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
                                      (subgroups.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT) != 0,
                        .sharedBytes = properties.properties.limits.maxComputeSharedMemorySize,
                        .invocations = properties.properties.limits.maxComputeWorkGroupInvocations,
                        .processors = processors.shaderSMCount};
    if ((sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) {
        offers.choosesSubgroup = true;
        offers.leastSubgroup = sizes.minSubgroupSize;
        offers.mostSubgroup = sizes.maxSubgroupSize;
    }
    const auto nv = has(nvExtension) ? nvProducts(library, device) : std::vector<MatrixProduct>();
    const auto khr = has(khrExtension) ? khrProducts(library, device) : std::vector<MatrixProduct>();
    const auto dot = has(dotExtension) ? dotProducts() : std::vector<MatrixProduct>();
    for (const FormRow& row : formRows) {
        OfferedForm offer = offerOf(row, extensions,
                                    row.extension == nvExtension    ? nv
                                    : row.extension == dotExtension ? dot
                                                                    : khr);
        if (!offer.extents.empty() && row.form != MatrixForm::Int8Dot)
            if (Sentence missing = whatMatricesLack(library, device, subgroups.supportedOperations, row.form);
                !missing.empty())
                offer = {.form = row.form, .why = std::move(missing)};
        offers.forms.push_back(std::move(offer));
    }
    offers.offerPtx(askPtx(library, device));
    return offers;
}

MatrixFeatures::MatrixFeatures(const MatrixOffers& offers, VkPhysicalDeviceVulkan12Features& chain) {
    m_nv.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV;
    m_nv.cooperativeMatrix = VK_TRUE;
    m_dot.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
    m_dot.shaderIntegerDotProduct = VK_TRUE;
    m_khr.matrices = VK_TRUE;
    m_bfloat16.numbers = VK_TRUE;
    m_bfloat16.matrices = VK_TRUE;
    m_subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
    m_subgroups.subgroupSizeControl = VK_TRUE;
    m_subgroups.computeFullSubgroups = VK_TRUE;
    m_ptx.launches = VK_TRUE;
    void** end = &chain.pNext;
    const auto add = [&](const char* extension, auto& structure, void*& next) {
        m_extensions.push_back(extension);
        *end = &structure;
        end = &next;
    };
    const auto offered = [&](MatrixForm form) { return !offers.of(form).extents.empty(); };
    if (offered(MatrixForm::NvF16))
        add(nvExtension, m_nv, m_nv.pNext);
    if (offered(MatrixForm::KhrF16) || offered(MatrixForm::KhrBf16) || offered(MatrixForm::Int8))
        add(khrExtension, m_khr, m_khr.next);
    if (offered(MatrixForm::KhrBf16))
        add(bfloat16Extension, m_bfloat16, m_bfloat16.next);
    const bool hasMatrices = !m_extensions.empty();
    if (offered(MatrixForm::Int8Dot))
        add(dotExtension, m_dot, m_dot.pNext);
    if (offers.ptx == PtxWay::Vulkan)
        add(ptxLaunchExtension, m_ptx, m_ptx.next);
    if (!hasMatrices)
        return;
    if (offered(MatrixForm::Int8))
        chain.shaderInt8 = VK_TRUE;
    chain.shaderFloat16 = VK_TRUE;
    chain.vulkanMemoryModel = VK_TRUE;
    if (offers.choosesSubgroup)
        add(subgroupExtension, m_subgroups, m_subgroups.pNext);
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/ptx_launch.h"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/gpu/cuda_library.h"
#include "engine/gpu/cuda_offer.h"
#include "engine/gpu/matrix_forms.h"

namespace meshreel {
namespace {

/// The card of this name as libcuda.so.1 counts them, else its first one.
int cudaCard(const std::shared_ptr<const CudaLibrary>& library, const std::string& name) {
    for (int number = 0; number < library->devices(); ++number)
        if (CudaGpu(library, number).facts().name == name)
            return number;
    return 0;
}

}  // namespace

PtxLaunchFunctions findPtxLaunch(const VulkanLibrary& library, VkDevice device) {
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
            library.calls().vkGetDeviceProcAddr(device, name));
        if (function == nullptr)
            throw Error(ErrorKind::Device, sentence("the GPU driver has no function {}", name), {},
                        sentence("Update the GPU driver, or use the CPU"));
    };
    PtxLaunchFunctions functions;
    find(functions.createModule, "vkCreateCudaModuleNV");
    find(functions.destroyModule, "vkDestroyCudaModuleNV");
    find(functions.createFunction, "vkCreateCudaFunctionNV");
    find(functions.destroyFunction, "vkDestroyCudaFunctionNV");
    find(functions.launch, "vkCmdCudaLaunchKernelNV");
    return functions;
}

namespace {

/// Of a device that lists the extension.
PtxOffer askVulkan(const VulkanLibrary& library, VkPhysicalDevice device) {
    PtxLaunchProperties launch;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &launch;
    library.calls().vkGetPhysicalDeviceProperties2(device, &properties);
    PtxLaunchFeature feature;
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &feature;
    library.calls().vkGetPhysicalDeviceFeatures2(device, &features);
    if (feature.launches == VK_FALSE)
        return {.why = sentence("its driver lacks {}", "cudaKernelLaunchFeatures")};
    const int capability = static_cast<int>(launch.capabilityMajor * 10 + launch.capabilityMinor);
    if (capability < leastPtxCapability)
        return {.why = whyTooOld(capability), .capability = capability};
    return {.way = PtxWay::Vulkan, .capability = capability};
}

}  // namespace

PtxOffer askPtx(const VulkanLibrary& library, VkPhysicalDevice device) {
    if (!offersExtension(library, device, ptxLaunchExtension))
        return askPtxWithoutVulkan(library, device,
                                   sentence("the driver does not offer {}", ptxLaunchExtension));
    const PtxOffer offer = askVulkan(library, device);
    return offer.way == PtxWay::Vulkan ? offer : askPtxWithoutVulkan(library, device, offer.why);
}

PtxOffer askPtxWithoutVulkan(const VulkanLibrary& library, VkPhysicalDevice device, const Sentence& failure) {
    const CudaOffer offer = askCuda(library, device);
    if (offer.why.empty())
        return {.way = PtxWay::Cuda, .capability = offer.capability};
    return {.why = sentence("{}; by {}: {}", failure, cudaLibraryFile, offer.why)};
}

Sentence whyTooOld(int capability) {
    return sentence("its compute capability is {}.{}, and {}.0 is needed", capability / 10, capability % 10,
                    leastPtxCapability / 10);
}

const char* nameOf(PtxWay way) {
    return way == PtxWay::Vulkan ? ptxLaunchExtension : way == PtxWay::Cuda ? cudaLibraryFile : "";
}

Sentence tellPtxRefusal(const std::string& card, const PtxKernel& kernel, VkResult result) {
    return sentence("{} refuses the kernel {}: {}", card, kernel.entry,
                    sentence("Vulkan's error {}", vulkanResultName(result)));
}

Sentence explainPtxRefusal(const std::string& card, const PtxKernel& kernel, VkResult result) {
    std::optional<CudaGpu> gpu;
    try {
        const auto library = std::make_shared<const CudaLibrary>();
        gpu.emplace(library, cudaCard(library, card));
    } catch (const Error&) {
        return tellPtxRefusal(card, kernel, result);
    }
    try {
        const CudaKernel taken(*gpu, kernel.text, kernel.entry);
    } catch (const Error& failure) {
        return failure.message();
    }
    return sentence(
        "{} refuses the kernel {}: {}", card, kernel.entry,
        sentence("Vulkan's error {}, although libcuda.so.1 takes its text", vulkanResultName(result)));
}

}  // namespace meshreel

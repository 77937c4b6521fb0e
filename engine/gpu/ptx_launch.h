// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/sentence.h"
#include "engine/gpu/ptx_kernel.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {

// VK_NV_cuda_kernel_launch, revision 2: Vulkan's driver compiles PTX and launches it inside of a command
// buffer, in the order of barriers and timestamps as a dispatch. The headers of Debian 12 lack it, and newer
// ones have it among what may change: types, layouts and numbers are those of the public registry
// (vk.xml, extension 308; VkCudaModuleCreateInfoNV and the others).

inline constexpr const char* ptxLaunchExtension = "VK_NV_cuda_kernel_launch";

/// What launches kernels of PTX on a device: decided when it is asked, by what is offered there.
enum class PtxWay : std::uint8_t {
    None,
    Vulkan,  ///< its driver, inside of a command buffer
    Cuda,    ///< libcuda.so.1, between submissions
};

/// The least that kernels are written for: mma.sync of bf16 and cp.async. 80 is 8.0.
inline constexpr int leastPtxCapability = 80;

/// What the driver makes of a text, and of a kernel in it.
using PtxModule = struct PtxModuleOfDriver*;
using PtxFunction = struct PtxFunctionOfDriver*;

struct PtxModuleInfo {
    VkStructureType type = static_cast<VkStructureType>(1000307000);
    const void* next = nullptr;
    std::size_t bytes = 0;  ///< of the text, the zero behind it included
    const void* text = nullptr;
};

struct PtxFunctionInfo {
    VkStructureType type = static_cast<VkStructureType>(1000307001);
    const void* next = nullptr;
    PtxModule of = nullptr;
    const char* entry = nullptr;
};

struct PtxLaunchInfo {
    VkStructureType type = static_cast<VkStructureType>(1000307002);
    const void* next = nullptr;
    PtxFunction function = nullptr;
    std::uint32_t gridX = 1, gridY = 1, gridZ = 1;
    std::uint32_t blockX = 1, blockY = 1, blockZ = 1;
    std::uint32_t dynamicBytes = 0;  ///< of shared memory, besides what the text declares
    std::size_t argumentCount = 0;
    const void* const* arguments = nullptr;  ///< are copied when the launch is recorded
    std::size_t extraCount = 0;
    const void* const* extras = nullptr;
};

struct PtxLaunchFeature {
    VkStructureType type = static_cast<VkStructureType>(1000307003);
    void* next = nullptr;
    VkBool32 launches = VK_FALSE;
};

struct PtxLaunchProperties {
    VkStructureType type = static_cast<VkStructureType>(1000307004);
    void* next = nullptr;
    std::uint32_t capabilityMinor = 0;
    std::uint32_t capabilityMajor = 0;
};

/// The functions of a device with the extension; null without it.
struct PtxLaunchFunctions {
    VkResult(VKAPI_PTR* createModule)(VkDevice, const PtxModuleInfo*, const VkAllocationCallbacks*,
                                      PtxModule*) = nullptr;
    void(VKAPI_PTR* destroyModule)(VkDevice, PtxModule, const VkAllocationCallbacks*) = nullptr;
    VkResult(VKAPI_PTR* createFunction)(VkDevice, const PtxFunctionInfo*, const VkAllocationCallbacks*,
                                        PtxFunction*) = nullptr;
    void(VKAPI_PTR* destroyFunction)(VkDevice, PtxFunction, const VkAllocationCallbacks*) = nullptr;
    void(VKAPI_PTR* launch)(VkCommandBuffer, const PtxLaunchInfo*) = nullptr;
};

/// Looks them up on a device that was opened with the extension. Throws Error{Device} when one is missing.
PtxLaunchFunctions findPtxLaunch(const VulkanLibrary& library, VkDevice device);

/// What launches kernels of PTX on a device.
struct PtxOffer {
    PtxWay way = PtxWay::None;
    Sentence why = {};   ///< nothing does; empty when something does
    int capability = 0;  ///< 90 is 9.0
};

/// Asks for both ways: Vulkan's where the device has it, else libcuda.so.1.
PtxOffer askPtx(const VulkanLibrary& library, VkPhysicalDevice device);
/// Asks for what is left where Vulkan's way has failed, `failure` saying how.
PtxOffer askPtxWithoutVulkan(const VulkanLibrary& library, VkPhysicalDevice device, const Sentence& failure);

/// Returns that a card is too old for the kernels.
Sentence whyTooOld(int capability);

/// Returns the name of what launches; empty for None.
const char* nameOf(PtxWay way);

/// Returns that the driver of a card refused a text, by Vulkan's number.
Sentence tellPtxRefusal(const std::string& card, const PtxKernel& kernel, VkResult result);

/// Returns the same in the words of libcuda.so.1, which compiles the text once more where it is installed,
/// because Vulkan gives a number alone. It can crash or hang as the driver can: for child processes.
Sentence explainPtxRefusal(const std::string& card, const PtxKernel& kernel, VkResult result);

}  // namespace meshreel

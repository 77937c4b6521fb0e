// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/cuda_offer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/gpu/cuda_library.h"
#include "engine/gpu/ptx_launch.h"
#include "engine/gpu/vulkan_sharing.h"

namespace meshreel {
namespace {

constexpr std::uint32_t vendorOfCuda = 0x10de;

std::uint32_t vendorOf(const VulkanLibrary& library, VkPhysicalDevice device) {
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    library.calls().vkGetPhysicalDeviceProperties2(device, &properties);
    return properties.properties.vendorID;
}

std::string hexadecimalUuid(const DeviceUuid& uuid) {
    return fmt::format("{:02x}", fmt::join(uuid, ""));
}

}  // namespace

CudaOffer askCuda(const VulkanLibrary& library, VkPhysicalDevice device) {
    if (vendorOf(library, device) != vendorOfCuda)
        return {.why = sentence("it is no card of NVIDIA")};
    if (Sentence why = whyNoDescriptors(library, device); !why.empty())
        return {.why = std::move(why)};
    try {
        const auto cuda = CudaLibrary::ofThisProcess();
        const std::optional<int> number = cuda->findDevice(deviceUuid(library, device));
        if (!number)
            return {.why = sentence("{} does not know the card", cudaLibraryFile)};
        const int capability = cuda->capability(*number);
        if (capability < leastPtxCapability)
            return {.why = whyTooOld(capability)};
        // The child process of a kernel's first use has the card beside the run.
        if (Sentence why = cuda->whyNotShared(*number); !why.empty())
            return {.why = std::move(why)};
        return {.capability = capability};
    } catch (const Error& failure) {
        return {.why = failure.message()};
    }
}

std::vector<std::string> cudaPeers(const VulkanLibrary& library, VkPhysicalDevice device) {
    std::vector<std::string> peers;
    if (!askCuda(library, device).why.empty())
        return peers;
    try {
        const auto cuda = CudaLibrary::ofThisProcess();
        if (const std::optional<int> number = cuda->findDevice(deviceUuid(library, device)))
            std::ranges::transform(cuda->peersOf(*number), std::back_inserter(peers), hexadecimalUuid);
        return peers;
    } catch (const Error&) {
        return {};  // numbers go through the host's memory
    }
}

}  // namespace meshreel

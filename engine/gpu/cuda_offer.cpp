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
        return {.capability = capability};
    } catch (const Error& failure) {
        return {.why = failure.message()};
    }
}

std::vector<std::string> cudaPeers(const VulkanLibrary& library, VkPhysicalDevice device) {
    std::vector<std::string> peers;
    if (!askCuda(library, device).why.empty())
        return peers;
    const auto cuda = CudaLibrary::ofThisProcess();
    const int number = cuda->findDevice(deviceUuid(library, device)).value();
    std::ranges::transform(cuda->peersOf(number), std::back_inserter(peers), hexadecimalUuid);
    return peers;
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/gpu/cuda_library.h"
#include "engine/gpu/vulkan_library.h"
#include "tools/ptx-trial/probe.h"
#include "tools/ptx-trial/trial_fact.h"

namespace meshreel {
namespace {

/// Runs a probe by libcuda.so.1 and compares its words.
FactJson runByDriver(const CudaGpu& gpu, const Probe& probe) {
    const CudaKernel kernel(gpu, probe.text, "probe", probe.dynamicBytes);
    const CudaBuffer buffer(gpu, probeWords * sizeof(std::uint32_t));
    const ProbeConstants constants(buffer.address());
    const auto source = wordsToCopy();
    const CudaBuffer copied(gpu, std::as_bytes(std::span(source)));
    std::optional<TensorMap> map;
    if (probe.withMap)
        map = mapOf(gpu.library(), copied.address());
    const std::array arguments{std::as_bytes(std::span(&constants, 1)),
                               map ? std::span<const std::byte>(map->bytes) : std::span<const std::byte>()};
    kernel.launchWith({.x = probe.blocks}, probeWords, std::span(arguments).first(probe.withMap ? 2 : 1));
    std::array<std::uint32_t, probeWords> got{};
    buffer.read(std::as_writable_bytes(std::span(got)));
    return judgeProbe(probe, got);
}

/// Launches that wait for each other, as layers do.
FactJson launchChain(const CudaGpu& gpu) {
    constexpr int launches = 1000;
    const CudaKernel kernel(gpu, probeText("7.0", "sm_80", "", "", tripleBody), "probe");
    const CudaBuffer buffer(gpu, probeWords * sizeof(std::uint32_t));
    const ProbeConstants constants(buffer.address());
    const auto chain = [&] {
        for (int launch = 0; launch < launches; ++launch)
            kernel.launch({}, probeWords, std::as_bytes(std::span(&constants, 1)));
    };
    chain();
    return {{"ok", true}, {"seconds", gpu.secondsOf(chain) / launches}};
}

FactJson driver(const CudaGpu& gpu) {
    const int version = gpu.library().version();
    const CudaFacts& facts = gpu.facts();
    return {{"ok", true},
            {"cuda", fmt::format("{}.{}", version / 1000, version % 1000 / 10)},
            {"card", facts.name},
            {"capability", fmt::format("{}.{}", facts.capability / 10, facts.capability % 10)},
            {"multiprocessors", facts.multiprocessors},
            {"shared_bytes", facts.sharedBytes}};
}

/// Whether Vulkan's drivers list the extension that launches PTX inside of a command buffer.
FactJson vulkanLaunch() {
    constexpr std::string_view extension = "VK_NV_cuda_kernel_launch";
    const VulkanLibrary library;
    FactJson devices = FactJson::array();
    bool listed = false;
    for (const VkPhysicalDevice device : library.devices()) {
        VkPhysicalDeviceProperties2 properties{};
        properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
        library.calls().vkGetPhysicalDeviceProperties2(device, &properties);
        const auto extensions = listVulkan(VkExtensionProperties{}, [&](std::uint32_t* count,
                                                                        VkExtensionProperties* items) {
            requireVulkan(library.calls().vkEnumerateDeviceExtensionProperties(device, nullptr, count, items),
                          "vkEnumerateDeviceExtensionProperties");
        });
        const auto found = std::ranges::find(extensions, extension, [](const VkExtensionProperties& item) {
            return std::string_view(item.extensionName);
        });
        listed = listed || found != extensions.end();
        devices.push_back({{"device", properties.properties.deviceName},
                           {"revision", found == extensions.end() ? 0 : found->specVersion}});
    }
    return {{"ok", listed}, {"devices", devices}};
}

}  // namespace

std::vector<TrialFact> driverFacts() {
    std::vector<TrialFact> facts{{"probe.vulkan_launch", nullptr, vulkanLaunch},
                                 {"probe.barrier", nullptr, barrierFact},
                                 {"probe.border", nullptr, borderFact},
                                 {"probe.driver", driver}};
    for (Probe& probe : probes()) {
        const std::string name = "probe." + probe.name;
        facts.push_back(
            {name, [probe = std::move(probe)](const CudaGpu& gpu) { return runByDriver(gpu, probe); }});
    }
    facts.push_back({"probe.launch_chain", launchChain});
    return facts;
}

}  // namespace meshreel

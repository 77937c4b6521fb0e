// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/gpu/vulkan_library.h"
#include "tools/ptx-trial/trial_fact.h"

namespace meshreel {
namespace {

constexpr std::uint32_t words = 64;  // that a probe writes, by a block of as many threads

/// A kernel that writes a word for each thread: what `body` leaves in %word. Its constants are the address
/// and, behind it, 120 bytes more.
std::string probeText(std::string_view version, std::string_view target, std::string_view before,
                      std::string_view directive, std::string_view body) {
    return fmt::format(R"(.version {}
.target {}
.address_size 64
{}
.visible .entry probe(.param .align 64 .b8 constants[128])
.reqntid 64, 1, 1
{}
{{
    .reg .u64 %to;
    .reg .u32 %thread, %word, %place;
    ld.param.u64 %to, [constants];
    cvta.to.global.u64 %to, %to;
    mov.u32 %thread, %tid.x;
{}
    mad.wide.u32 %to, %thread, 4, %to;
    st.global.b32 [%to], %word;
    ret;
}}
)",
                       version, target, before, directive, body);
}

struct ProbeConstants {
    GpuAddress to = 0;
    std::array<std::uint32_t, 30> more{};
};

/// Runs a probe and compares its words.
FactJson runProbe(const CudaGpu& gpu, const std::string& text, std::size_t dynamicBytes,
                  const std::function<std::uint32_t(std::uint32_t)>& expected,
                  const CudaKernel::Grid& grid = {}) {
    const CudaKernel kernel(gpu, text, "probe", dynamicBytes);
    const CudaBuffer buffer(gpu, words * sizeof(std::uint32_t));
    ProbeConstants constants{.to = buffer.address()};
    for (std::uint32_t index = 0; index < constants.more.size(); ++index)
        constants.more.at(index) = 1000 + index;
    kernel.launch(grid, words, std::as_bytes(std::span(&constants, 1)));
    std::array<std::uint32_t, words> got{};
    buffer.read(std::as_writable_bytes(std::span(got)));
    for (std::uint32_t thread = 0; thread < words; ++thread)
        if (got.at(thread) != expected(thread))
            return {{"ok", false},
                    {"why", fmt::format("thread {} wrote {}, and {} is right", thread, got.at(thread),
                                        expected(thread))}};
    return {{"ok", true}};
}

constexpr std::string_view triple = "    mul.lo.u32 %word, %thread, 3;";

FactJson tripled(const CudaGpu& gpu, std::string_view version, std::string_view target) {
    return runProbe(gpu, probeText(version, target, "", "", triple), 0,
                    [](std::uint32_t thread) { return 3 * thread; });
}

/// Words at the end of so much shared memory go from thread to thread.
FactJson sharedMemory(const CudaGpu& gpu, std::uint32_t kibibytes) {
    const std::uint32_t bytes = kibibytes * 1024;
    const std::string body = fmt::format(R"(    mov.u32 %place, pool;
    mad.lo.u32 %place, %thread, 4, %place;
    st.shared.u32 [%place+{0}], %thread;
    bar.sync 0;
    mov.u32 %place, pool;
    xor.b32 %word, %thread, 63;
    mad.lo.u32 %place, %word, 4, %place;
    ld.shared.u32 %word, [%place+{0}];)",
                                         bytes - words * 4);
    return runProbe(gpu, probeText("7.0", "sm_80", ".extern .shared .align 16 .b8 pool[];", "", body), bytes,
                    [](std::uint32_t thread) { return thread ^ 63U; });
}

/// An argument as long as a tensor map, by value.
FactJson longArgument(const CudaGpu& gpu) {
    return runProbe(gpu, probeText("7.0", "sm_80", "", "", "    ld.param.u32 %word, [constants+124];"), 0,
                    [](std::uint32_t) { return 1029U; });
}

/// Two blocks that know that they are neighbours; both write the same words.
FactJson cluster(const CudaGpu& gpu) {
    const std::string text =
        probeText("7.8", "sm_90", "", ".reqnctapercluster 2, 1, 1", "    mov.u32 %word, %cluster_nctarank;");
    return runProbe(gpu, text, 0, [](std::uint32_t) { return 2U; }, {.x = 2});
}

/// Launches that wait for each other, as layers do.
FactJson launchChain(const CudaGpu& gpu) {
    constexpr int launches = 1000;
    const CudaKernel kernel(gpu, probeText("7.0", "sm_80", "", "", triple), "probe");
    const CudaBuffer buffer(gpu, words * sizeof(std::uint32_t));
    const ProbeConstants constants{.to = buffer.address()};
    const auto chain = [&] {
        for (int launch = 0; launch < launches; ++launch)
            kernel.launch({}, words, std::as_bytes(std::span(&constants, 1)));
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
    return {{"probe.vulkan_launch", nullptr, vulkanLaunch},
            {"probe.barrier", nullptr, barrierFact},
            {"probe.driver", driver},
            {"probe.trivial", [](const CudaGpu& gpu) { return tripled(gpu, "7.0", "sm_80"); }},
            {"probe.target.sm_90a", [](const CudaGpu& gpu) { return tripled(gpu, "8.0", "sm_90a"); }},
            {"probe.shared.48", [](const CudaGpu& gpu) { return sharedMemory(gpu, 48); }},
            {"probe.shared.100", [](const CudaGpu& gpu) { return sharedMemory(gpu, 100); }},
            {"probe.shared.200", [](const CudaGpu& gpu) { return sharedMemory(gpu, 200); }},
            {"probe.argument.128", longArgument},
            {"probe.cluster", cluster},
            {"probe.launch_chain", launchChain}};
}

}  // namespace meshreel

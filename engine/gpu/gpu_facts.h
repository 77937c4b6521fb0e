// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {

/// What a device is, by its driver's own word.
enum class GpuKind : std::uint8_t { Discrete, Integrated, Virtual, Software, Other };

template <>
struct EnumNames<GpuKind> {
    static constexpr std::array<std::string_view, 5> names{"discrete", "integrated", "virtual", "software",
                                                           "other"};
};

/// Whether a device offers a form of multiplying matrices; which forms are taken and how fast they are is
/// added by who measures (addMeasuredForms() in engine/kernels).
struct MatrixFormFacts {
    /// Name of the MatrixForm; of attention by a kernel of PTX with that kernel's name and block.
    std::string name;
    bool offered = false;
    bool taken = false;
    Sentence why = {};                ///< why it is not offered or not taken
    std::optional<double> rate = {};  ///< measured, in operations a second

    /// Returns whether it multiplies int8 alone.
    [[nodiscard]] bool isOfInt8() const;

    static constexpr auto fields() {
        return std::tuple(field("name", &MatrixFormFacts::name), field("offered", &MatrixFormFacts::offered),
                          field("taken", &MatrixFormFacts::taken), field("why", &MatrixFormFacts::why),
                          laterField("rate", &MatrixFormFacts::rate));
    }
};

/// What a device reports about itself. Constant, except for the free memory.
struct GpuFacts {
    std::string id = {};    ///< UUIDs of device and driver, hexadecimal: finds it again in another process
    std::string name = {};  ///< "NVIDIA GeForce RTX 4070"
    GpuKind kind = GpuKind::Other;
    std::string driver = {};                ///< "radv Mesa 22.3.6"
    std::string vulkan = {};                ///< version of the API: "1.3.230"
    double memoryTotal = 0;                 ///< bytes of its largest own heap
    std::optional<double> memoryFree = {};  ///< bytes of that heap that this process may still take, if the
                                            ///< driver reports them
    Sentence missing = {};  ///< what Meshreel needs and the device lacks; empty: it can be used
    std::vector<MatrixFormFacts> forms = {};
    /// What launches kernels of PTX on it, VK_NV_cuda_kernel_launch or libcuda.so.1; empty: nothing does.
    std::string launches = {};
    bool importsHost = false;  ///< it copies from and to memory of the host's without a buffer between
    /// Ids, their first half, of those devices of this host whose memory NVIDIA's driver copies from here by
    /// itself; its own among them. Empty without that driver.
    std::vector<std::string> peers = {};

    static constexpr auto fields() {
        return std::tuple(field("id", &GpuFacts::id), field("name", &GpuFacts::name),
                          field("kind", &GpuFacts::kind), field("driver", &GpuFacts::driver),
                          field("vulkan", &GpuFacts::vulkan), field("memory_total", &GpuFacts::memoryTotal),
                          field("memory_free", &GpuFacts::memoryFree), field("missing", &GpuFacts::missing),
                          field("forms", &GpuFacts::forms), laterField("launches", &GpuFacts::launches),
                          laterField("imports_host", &GpuFacts::importsHost),
                          laterField("peers", &GpuFacts::peers));
    }
};

/// Returns whether libcuda.so.1 launches kernels on it, whose context takes memory of the card.
bool launchesByLibrary(const GpuFacts& facts);

/// Returns what a device is by the type that Vulkan gives it.
GpuKind gpuKind(VkPhysicalDeviceType type);

/// Asks a device. A faulty driver can crash here: see GpuList.
GpuFacts askGpu(const VulkanLibrary& library, VkPhysicalDevice device);

/// Returns the `id` alone.
std::string gpuId(const VulkanLibrary& library, VkPhysicalDevice device);

// What every kernel relies on, in one table: asked of a device before it is listed as usable, and switched on
// when it is opened.

/// Vulkan's structures of the features that Meshreel needs, chained for a query or for the creation of a
/// device. Not to be copied: they point to each other.
class VulkanFeatures {
  public:
    /// None of them set: to be filled by a query.
    VulkanFeatures();
    VulkanFeatures(const VulkanFeatures&) = delete;
    VulkanFeatures& operator=(const VulkanFeatures&) = delete;

    /// Sets those that Meshreel needs, and no others.
    void require();
    /// Returns the names of the required features that are missing, "shaderInt64, bufferDeviceAddress".
    [[nodiscard]] std::string lacking() const;
    [[nodiscard]] VkPhysicalDeviceFeatures2& chain() { return m_features; }
    /// Returns the end of the chain, for features that are switched on where a device has them.
    [[nodiscard]] VkPhysicalDeviceVulkan12Features& last() { return m_features12; }

  private:
    VkPhysicalDeviceFeatures2 m_features{};
    VkPhysicalDeviceVulkan11Features m_features11{};
    VkPhysicalDeviceVulkan12Features m_features12{};
};

/// Returns why the device cannot be used: Vulkan too old, features that it lacks, no queue that computes.
/// Empty when it can.
Sentence whatGpuLacks(const VulkanLibrary& library, VkPhysicalDevice device);

/// Returns the queue family that computes: one without graphics if there is one, so that the desktop's work
/// has the other.
std::optional<std::uint32_t> computeQueueFamily(const VulkanLibrary& library, VkPhysicalDevice device);

}  // namespace meshreel

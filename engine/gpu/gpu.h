// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/gpu/gpu_exchange.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/gpu/ptx_launch.h"
#include "engine/gpu/vulkan_library.h"
#include "engine/gpu/vulkan_sharing.h"

namespace meshreel {

class CudaSide;

/// The place of bytes in a GPU's memory, as kernels see it. 64-bit arithmetic makes slices of it.
using GpuAddress = std::uint64_t;

/// What a queue of a GPU is for.
enum class GpuQueue : std::uint8_t {
    Compute,
    Copies,  ///< copies run beside computing if the device has a queue for them, otherwise on the same one
};

/// A GPU that is open for computing: the device, its queues and what its memory is like. Threads may share
/// it, except for work on a queue, which a GpuStream orders.
class Gpu {
  public:
    /// Opens the device of this id (see GpuFacts), to exchange numbers with others in this way; staged where
    /// it does not open for that: see exchange(). Throws Error{Device} when it is not there any more or lacks
    /// what Meshreel needs.
    Gpu(std::shared_ptr<const VulkanLibrary> library, const std::string& id,
        GpuExchange exchange = GpuExchange::Staged);
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    [[nodiscard]] const VulkanDeviceFunctions& calls() const { return m_calls; }
    /// All are null unless Vulkan's driver launches kernels of PTX: MatrixOffers::ptx.
    [[nodiscard]] const PtxLaunchFunctions& ptxCalls() const { return m_ptxCalls; }
    /// Some are null: see exchange() and cuda().
    [[nodiscard]] const VulkanSharing& sharing() const { return m_sharing; }
    /// Returns the card as NVIDIA's driver library has it, which all its own memory is shared with; null
    /// unless that launches kernels of PTX or copies between GPUs.
    [[nodiscard]] CudaSide* cuda() const { return m_cuda.get(); }
    [[nodiscard]] GpuExchange exchange() const { return m_exchange; }
    /// Returns why exchange() is not what was wanted; to be read only then.
    [[nodiscard]] const Sentence& whyStaged() const { return m_whyStaged; }
    /// Returns at multiples of how many bytes memory of the host's begins and ends that it imports.
    [[nodiscard]] std::size_t hostAlignment() const { return m_hostAlignment; }
    [[nodiscard]] VkDevice device() const { return m_device; }
    [[nodiscard]] VkQueue queue(GpuQueue of) const { return of == GpuQueue::Compute ? m_queue : m_copyQueue; }
    [[nodiscard]] std::uint32_t queueFamily(GpuQueue of) const {
        return of == GpuQueue::Compute ? m_family : m_copyFamily;
    }
    [[nodiscard]] const std::string& name() const { return m_name; }
    /// Returns GpuFacts::id: identifies device and driver.
    [[nodiscard]] const std::string& id() const { return m_id; }
    [[nodiscard]] GpuKind kind() const { return m_kind; }
    /// Returns its matrix units; every form that it offers is enabled. Forms of PTX are not offered where the
    /// device does not open with them.
    [[nodiscard]] const MatrixOffers& matrices() const { return m_matrices; }
    /// Returns the bytes that one buffer may have, and so one tensor; at least 1 GiB.
    [[nodiscard]] std::size_t largestBuffer() const { return m_largestBuffer; }
    /// Returns the seconds of one tick of a timestamp; 0 when the queue has no clock.
    [[nodiscard]] double secondsPerTick() const { return m_secondsPerTick; }

    /// Index of a memory type among `allowed` (a bit a type) with all of `wanted`, and with `liked` if one
    /// has them. Throws Error{Device} when there is none.
    [[nodiscard]] std::uint32_t memoryType(std::uint32_t allowed, VkMemoryPropertyFlags wanted,
                                           VkMemoryPropertyFlags liked) const;

  private:
    /// Opens the device with all that it offers. Where that fails, the exchange is given up first. What
    /// launches PTX and makes it fail gives place to what else does, or to nothing.
    void open(VkPhysicalDevice physical, const std::vector<VkDeviceQueueCreateInfo>& queues);
    void create(VkPhysicalDevice physical, const std::vector<VkDeviceQueueCreateInfo>& queues);
    void close();

    std::shared_ptr<const VulkanLibrary> m_library;
    std::string m_id;
    std::string m_name;
    GpuKind m_kind = GpuKind::Other;
    MatrixOffers m_matrices;
    VkPhysicalDeviceMemoryProperties m_memory{};
    std::uint32_t m_family = 0;
    std::uint32_t m_copyFamily = 0;
    std::size_t m_largestBuffer = 0;
    double m_secondsPerTick = 0;
    VkDevice m_device = nullptr;
    VkQueue m_queue = nullptr;
    VkQueue m_copyQueue = nullptr;
    VulkanDeviceFunctions m_calls;
    PtxLaunchFunctions m_ptxCalls;
    GpuExchange m_exchange;
    Sentence m_whyStaged;
    std::size_t m_hostAlignment = 0;
    VulkanSharing m_sharing;
    std::unique_ptr<CudaSide> m_cuda;
};

/// Which memory a buffer is in.
enum class GpuPlace : std::uint8_t {
    Device,  ///< the GPU's own; the CPU reaches it by copies alone
    Host,    ///< the CPU's, mapped, for copies in both directions
};

class GpuBuffer {
  public:
    /// Uninitialised. Throws Error{Device} when memory is short or `bytes` is more than one buffer may have.
    /// `gpu` outlives the buffer.
    GpuBuffer(const Gpu& gpu, std::size_t bytes, GpuPlace place);
    /// Imports memory of the host's, for copies in both directions; it must outlive the buffer. Throws
    /// Error{Device} when the GPU does not take it.
    GpuBuffer(const Gpu& gpu, std::span<std::byte> hostMemory);
    ~GpuBuffer();
    GpuBuffer(const GpuBuffer&) = delete;
    GpuBuffer& operator=(const GpuBuffer&) = delete;

    [[nodiscard]] GpuAddress address() const { return m_address; }
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }
    [[nodiscard]] VkBuffer handle() const { return m_buffer; }
    /// Returns the bytes of a buffer in the host's memory; empty for one of the device.
    [[nodiscard]] std::span<std::byte> mapped() const {
        return {m_mapped, m_mapped == nullptr ? 0 : m_bytes};
    }

  private:
    /// `external`: what its memory is exported or imported as; 0: it is the GPU's alone.
    VkMemoryRequirements makeBuffer(VkExternalMemoryHandleTypeFlags external);
    void bind(const VkMemoryAllocateInfo& allocation);
    void shareWithCuda(std::size_t allocated);
    void release();

    const Gpu& m_gpu;
    std::size_t m_bytes;
    bool m_isShared = false;  ///< with Gpu::cuda()
    VkBuffer m_buffer = nullptr;
    VkDeviceMemory m_memory = nullptr;
    GpuAddress m_address = 0;
    std::byte* m_mapped = nullptr;
};

}  // namespace meshreel

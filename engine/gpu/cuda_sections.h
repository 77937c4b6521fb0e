// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "engine/gpu/cuda_library.h"
#include "engine/gpu/gpu.h"

namespace meshreel {

/// What NVIDIA's driver library does of the work of a GpuStream: sections between submissions of Vulkan. A
/// timeline semaphore orders the two. Each submission signals a value; a section waits for the latest one and
/// signals the next, which the submission behind it waits for. For the stream's thread.
class CudaSections {
  public:
    /// `sections` of them have clocks at a time. `gpu`, which has Gpu::cuda(), outlives them.
    CudaSections(const Gpu& gpu, std::size_t sections);
    ~CudaSections();
    CudaSections(const CudaSections&) = delete;
    CudaSections& operator=(const CudaSections&) = delete;

    [[nodiscard]] VkSemaphore semaphore() const { return m_semaphore; }
    /// Returns the value that was signalled last, or will be by what was given; 0 at first.
    [[nodiscard]] std::uint64_t value() const { return m_value; }
    /// Returns the value that the next submission of Vulkan signals.
    [[nodiscard]] std::uint64_t takeValue() { return ++m_value; }
    /// The submission that took the latest value was not made.
    void returnValue() { --m_value; }

    /// Begins a section behind the latest submission. The clock of `section` must have been read.
    void begin(std::size_t section);
    /// Launches a kernel whose addresses are the library's.
    void launch(const CudaKernel& kernel, const CudaKernel::Grid& grid, std::uint32_t threads,
                std::span<const std::byte> constants);
    /// Copies to this GPU's memory from that of `other`, which has Gpu::cuda(), too. Vulkan's addresses.
    void copy(GpuAddress to, const Gpu& other, GpuAddress from, std::size_t bytes);
    /// Ends it. Returns the value that the next submission of Vulkan must wait for.
    std::uint64_t end(std::size_t section);

    /// Returns the seconds of a section, by the card's clock, once a submission behind it is done.
    [[nodiscard]] double seconds(std::size_t section) const;

    /// Waits for a section that has ended. Throws CudaFailure when its work failed: then what waits for it
    /// waits until settle(); VulkanFailure when Vulkan has lost the device; Error{Device} when the section
    /// has not ended for a minute: then the card is given up (CudaSide::giveUp()).
    void await(std::size_t section) const;
    /// Waits for what was given, a minute at most: then the card is given up. Where that or the work failed,
    /// it signals the value of each section in turn, so that Vulkan goes on; returns false when Vulkan does
    /// not do so within a minute. True where Vulkan has lost the device: it waits for nothing then.
    bool settle() noexcept;

  private:
    void release();
    [[nodiscard]] VkResult askCounter(std::uint64_t& value) const;
    [[nodiscard]] bool signalAfterFailure(std::uint64_t value) const noexcept;
    void exportSemaphore();

    const Gpu& m_gpu;
    const CudaLibrary& m_library;
    VkSemaphore m_semaphore = nullptr;
    CudaHandle m_stream = nullptr;
    CudaHandle m_imported = nullptr;  // the same semaphore
    std::uint64_t m_value = 0;
    std::deque<std::uint64_t> m_ended;  // values of the latest sections, as many as have clocks
    std::vector<std::array<CudaHandle, 2>> m_clocks;
};

}  // namespace meshreel

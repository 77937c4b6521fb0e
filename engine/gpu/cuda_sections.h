// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstddef>
#include <cstdint>
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
    /// waits for ever; Error{Device} when it has not ended for a minute.
    void await(std::size_t section) const;
    /// Waits for what was given, and lets Vulkan go on where it failed.
    void settle() noexcept;

  private:
    void release();
    void exportSemaphore();

    const Gpu& m_gpu;
    const CudaLibrary& m_library;
    VkSemaphore m_semaphore = nullptr;
    CudaHandle m_stream = nullptr;
    CudaHandle m_imported = nullptr;  // the same semaphore
    std::uint64_t m_value = 0;
    std::uint64_t m_ended = 0;  // value of the latest section
    std::vector<std::array<CudaHandle, 2>> m_clocks;
};

}  // namespace meshreel

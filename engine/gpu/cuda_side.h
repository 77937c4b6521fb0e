// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "engine/gpu/cuda_library.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/vulkan_sharing.h"

namespace meshreel {

/// A card that Vulkan drives, as NVIDIA's driver library has it: the same memory under addresses of its own.
/// Threads may share it.
class CudaSide {
  public:
    /// Throws Error{Device} when libcuda.so.1 is missing or does not know the card.
    explicit CudaSide(const DeviceUuid& uuid);
    CudaSide(const CudaSide&) = delete;
    CudaSide& operator=(const CudaSide&) = delete;
    ~CudaSide();

    [[nodiscard]] CudaHandle context() const { return m_gpu.context(); }
    /// Opens the card on this thread; see CudaGpu.
    [[nodiscard]] const CudaGpu& onThisThread() const;

    /// A range of Vulkan's addresses.
    struct Range {
        GpuAddress begin = 0;
        std::size_t bytes = 0;
    };

    /// Imports memory of Vulkan's by a descriptor, which it takes over; the range is its beginning.
    /// `allocated` is the size of the whole. Throws CudaFailure.
    void importMemory(const Range& range, int descriptor, std::size_t allocated);
    /// Gives up the memory of the range that begins there, which nothing uses any more.
    void forget(GpuAddress begin) noexcept;

    /// Returns the library's address of what Vulkan has at `address`; 0 stays 0. Throws Error{Internal} for
    /// an address in no memory that was imported.
    [[nodiscard]] GpuAddress find(GpuAddress address) const;

  private:
    struct Imported {
        std::size_t bytes = 0;
        CudaHandle memory = nullptr;
        GpuAddress address = 0;
    };

    CudaGpu m_gpu;
    mutable std::mutex m_mutex;
    std::map<GpuAddress, Imported> m_imported;  // by Vulkan's address
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "engine/gpu/cuda_library.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/vulkan_sharing.h"

namespace meshreel {

class CudaSections;

/// A card that Vulkan drives, as NVIDIA's driver library has it: the same memory under addresses of its own.
/// Threads may share it.
class CudaSide {
  public:
    /// `counter` asks the Vulkan device for a timeline's value. Throws Error{Device} when it is null, or
    /// libcuda.so.1 is missing or does not know the card.
    CudaSide(const DeviceUuid& uuid, PFN_vkGetSemaphoreCounterValue counter);
    CudaSide(const CudaSide&) = delete;
    CudaSide& operator=(const CudaSide&) = delete;
    ~CudaSide();

    [[nodiscard]] CudaHandle context() const { return m_gpu.context(); }
    /// Opens the card on this thread; see CudaGpu.
    [[nodiscard]] const CudaGpu& onThisThread() const;

    [[nodiscard]] PFN_vkGetSemaphoreCounterValue counter() const { return m_counter; }

    /// Its sections, from their beginning until their end.
    void enlist(CudaSections& sections) { m_sections.push_back(&sections); }
    void dismiss(CudaSections& sections) { std::erase(m_sections, &sections); }
    /// Waits for all sections, as CudaSections::settle(): before anything waits for all of the Vulkan device,
    /// which may wait for a section that has failed. Returns false when Vulkan does not go on: then nothing
    /// may wait for it, or be freed that it uses. For the thread of the GPU's streams.
    bool settle() noexcept;
    /// Returns whether settle() has returned false.
    [[nodiscard]] bool isStuck() const noexcept { return m_isStuck; }

    /// Returns how long the library may take to answer before the card is given up: a minute. Tests have less
    /// patience.
    [[nodiscard]] std::chrono::milliseconds patience() const { return m_patience; }
    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }
    /// From now on nothing is asked of the library for this card, nor freed.
    void giveUp() const noexcept { m_gpu.giveUp(); }
    [[nodiscard]] bool isGivenUp() const noexcept { return m_gpu.isGivenUp(); }

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
    PFN_vkGetSemaphoreCounterValue m_counter;
    std::vector<CudaSections*> m_sections;
    bool m_isStuck = false;
    std::chrono::milliseconds m_patience{60'000};
    mutable std::mutex m_mutex;
    std::map<GpuAddress, Imported> m_imported;  // by Vulkan's address
};

}  // namespace meshreel

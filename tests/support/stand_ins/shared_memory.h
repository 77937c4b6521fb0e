// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace meshreel::testing {

// What the layer shared_memory_layer.cpp writes into a file, whose descriptor it gives, and the libcuda.so.1
// of cuda_stand_in.cpp reads there: both are in one process.

/// The UUID of card 0; the last byte counts cards.
inline constexpr std::string_view cardUuid = "meshreel-card-00";

/// Memory of Vulkan's that is mapped as shared.
struct SharedMemoryNote {
    static constexpr std::uint64_t magicNumber = 0x6d656d6f7279ULL;
    std::uint64_t magic = magicNumber;
    std::byte* begin = nullptr;
};

/// A timeline semaphore of Vulkan's.
struct SharedSemaphoreNote {
    static constexpr std::uint64_t magicNumber = 0x73656d6170686fULL;
    std::uint64_t magic = magicNumber;
    VkDevice device = nullptr;
    VkSemaphore semaphore = nullptr;
    PFN_vkWaitSemaphores wait = nullptr;
    PFN_vkSignalSemaphore signal = nullptr;
};

}  // namespace meshreel::testing

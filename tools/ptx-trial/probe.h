// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gpu/cuda_library.h"
#include "engine/gpu/gpu.h"
#include "tools/ptx-trial/trial_fact.h"

namespace meshreel {

inline constexpr std::uint32_t probeWords = 64;  ///< that a probe writes, by a block of as many threads

/// The first argument of a probe.
struct ProbeConstants {
    /// With other numbers behind the address.
    explicit ProbeConstants(GpuAddress address);

    GpuAddress to;
    std::array<std::uint32_t, 30> more{};
};

/// Describes a tensor to a card's copying unit: what cuTensorMapEncodeTiled writes.
struct alignas(64) TensorMap {
    std::array<std::byte, 128> bytes{};
};

/// A kernel called "probe" that a driver takes or not, and computes right or not.
struct Probe {
    std::string name;  ///< "shared.100"
    std::string text;
    std::uint32_t dynamicBytes = 0;  ///< of shared memory, by a launch's wish
    std::uint32_t blocks = 1;
    bool withMap = false;  ///< the second argument is a TensorMap of the words that it copies
    std::uint32_t (*expected)(std::uint32_t thread) = nullptr;
};

std::vector<Probe> probes();

/// A kernel that writes a word for each thread: what `body` leaves in %word. `target` is "sm_80".
std::string probeText(std::string_view version, std::string_view target, std::string_view before,
                      std::string_view directive, std::string_view body);
/// Leaves three times the thread's number.
inline constexpr std::string_view tripleBody = "    mul.lo.u32 %word, %thread, 3;";

/// What is in memory for a probe with a map.
std::array<std::uint32_t, probeWords> wordsToCopy();
/// Returns the map of such words at this address. Throws Error{Device} where the driver knows no maps.
TensorMap mapOf(const CudaLibrary& library, GpuAddress words);

/// Compares what a probe wrote.
FactJson judgeProbe(const Probe& probe, std::span<const std::uint32_t> words);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/base/record.h"
#include "engine/base/sentence.h"

namespace meshreel {

struct ChosenGpu;

/// How numbers go from one GPU of a mesh to another, in one process. Between processes they are always
/// staged.
enum class GpuExchange : std::uint8_t {
    Staged,      ///< through a mapped buffer of each GPU and the host's memory between
    SharedHost,  ///< through memory of the host that all of them have imported
    Peers,       ///< from one GPU's memory to another's, by NVIDIA's driver
};

template <>
struct EnumNames<GpuExchange> {
    static constexpr std::array<std::string_view, 3> names{"staged", "shared_host", "peers"};
};

/// What a way costs, for predictions.
struct GpuExchangeCosts {
    double copies;      ///< by GPUs, of each byte that is exchanged in a ring
    double hostCopies;  ///< by the CPU beside them
};

GpuExchangeCosts costsOf(GpuExchange exchange);

/// Returns how numbers go, for people.
Sentence tellExchange(GpuExchange exchange);

/// Returns the fastest way that all these GPUs have; Staged for one of them.
GpuExchange exchangeBetween(std::span<const ChosenGpu> gpus);

}  // namespace meshreel

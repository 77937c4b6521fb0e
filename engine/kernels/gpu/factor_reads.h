// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_facts.h"

namespace meshreel {

/// How a shader without matrix units reads the factors of its products. The results have the same bits.
enum class FactorReads : std::uint8_t {
    Shared,  ///< a group fetches them into its shared memory, and waits for itself at barriers
    Direct,  ///< each invocation reads its own
};

/// Returns the quicker way on a GPU. Where a driver computes on the host's processors, shared memory is no
/// closer than any other and a barrier interrupts a loop over a whole group: on llvmpipe (Mesa
/// 22.3), reading directly made linear layers 2 to 4 times as fast and convolutions 1.7 times.
inline FactorReads factorReadsOn(const Gpu& gpu) {
    return gpu.kind() == GpuKind::Software ? FactorReads::Direct : FactorReads::Shared;
}

}  // namespace meshreel

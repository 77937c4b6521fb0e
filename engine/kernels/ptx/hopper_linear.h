// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/gpu/ptx_kernel.h"
#include "engine/kernels/ptx/ptx_linear.h"

namespace meshreel {

/// Rows and outputs of a tile.
inline constexpr std::uint32_t hopperLinearRows = 128;
inline constexpr std::uint32_t hopperLinearOuts = 256;
/// Bytes of a row that a step multiplies: rows of x and of the weight are as wide as a multiple of it, and
/// begin at multiples of 16.
inline constexpr std::uint32_t hopperLinearStepBytes = 128;

/// What ptxLinear() computes, for cards of compute capability 9.0 alone: LinearConstants in, ⌈outs / 256⌉ ·
/// ⌈rows / 128⌉ tiles. A grid of fewer blocks computes them all, each block one after the other; bias, gate
/// and outScales begin at multiples of 16 bytes (LinearFlag::fourAtOnce).
///
/// Twelve warps: four of them copy, and eight multiply, 64 rows by 256 outputs each four (wgmma), with 232
/// registers a thread, of which the first four give up theirs (setmaxnreg). Four stages of 48 KiB are on
/// their way by cp.async, at work or being freed, and each has mbarriers. Bias, gate and scales of a tile's
/// outputs come by bulk copies while it is multiplied.
PtxKernel hopperLinear(PtxFactors factors);

}  // namespace meshreel

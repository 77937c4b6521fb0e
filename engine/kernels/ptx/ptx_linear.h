// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/gpu/ptx_kernel.h"

namespace meshreel {

/// What a linear kernel of PTX multiplies.
enum class PtxFactors : std::uint8_t {
    Bf16,  ///< sums in f32
    Int8,  ///< sums in int32, exact, then scaled in f32
};

/// Rows and outputs of a block.
inline constexpr std::uint32_t ptxLinearBlock = 128;
/// Bytes of a row that a step multiplies: rows of x and of the weight are as wide as a multiple of it, and
/// begin at multiples of 16.
inline constexpr std::uint32_t ptxLinearStepBytes = 64;
/// Outputs are a multiple of it, and rows of y, bias, gate and outScales begin at multiples of 16 bytes
/// (LinearFlag::fourAtOnce).
inline constexpr std::uint32_t ptxLinearOuts = 4;

/// y = [y +] gate · activation(x · weightᵀ + bias): LinearConstants in, a grid of ⌈outs / 128⌉ by ⌈rows /
/// 128⌉ blocks. x and weight are both of these factors; y is f32 or bf16.
///
/// Four warps multiply 64 by 64 each. Three stages of 16 KiB are on their way by cp.async or at work; a stage
/// is 128 rows of both factors, 64 bytes of each. Sums go through shared memory once more, so that y is
/// written in whole sectors.
PtxKernel ptxLinear(PtxFactors factors);

}  // namespace meshreel

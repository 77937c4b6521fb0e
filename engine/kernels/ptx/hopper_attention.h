// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "engine/gpu/ptx_kernel.h"

namespace meshreel {

/// A kernel of attention for cards of compute capability 9.0 alone.
struct HopperAttentionSize {
    std::uint32_t head = 128;  ///< numbers of a head
    std::uint32_t keys = 128;  ///< of a step

    bool operator==(const HopperAttentionSize&) const = default;
};

/// Queries of a block.
inline constexpr std::uint32_t hopperAttentionQueries = 128;

/// The kernels that there are. A longer step has more products for each softmax, and a thread fewer registers
/// to spare: a card says which is faster.
inline constexpr std::array<HopperAttentionSize, 8> hopperAttentionSizes{
    {{32, 128}, {32, 160}, {64, 128}, {64, 160}, {96, 128}, {96, 160}, {128, 128}, {128, 160}}};

/// What ptxAttention() computes, with the same constants and a grid of ⌈queries / 128⌉ by heads.
///
/// Twelve warps: four of them copy queries, keys and values by cp.async into a ring of two steps, and eight
/// multiply, 64 queries each four (wgmma). Scores of a step are computed while the weights of the step before
/// multiply values, and become weights while that goes on. Weights stay in registers.
///
/// Throws Error{Internal} for another size.
PtxKernel hopperAttention(const HopperAttentionSize& size);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "engine/gpu/ptx_kernel.h"

namespace meshreel {

/// A kernel of attention.
struct PtxAttentionSize {
    std::uint32_t head = 128;     ///< numbers of a head
    std::uint32_t queries = 128;  ///< of a block; 16 a warp

    bool operator==(const PtxAttentionSize&) const = default;
};

/// The kernels that there are: heads of 64, 96 and 128 numbers are Wan's and of models like it, those of 32
/// the embedded models'. Blocks of 128 queries read keys and values half as often; of those of 64 a
/// processor has two at least, which do not wait for each other. A card says which is faster.
inline constexpr std::array<PtxAttentionSize, 8> ptxAttentionSizes{
    {{32, 64}, {32, 128}, {64, 64}, {64, 128}, {96, 64}, {96, 128}, {128, 64}, {128, 128}}};

/// Keys of a step.
inline constexpr std::uint32_t ptxAttentionKeys = 64;

/// Softmax attention of heads of bf16, `head` numbers wide: AttentionConstants in, a grid of ⌈queries / 128⌉
/// by heads. It returns a partial, or finishes rows. Rows that are read begin at multiples of 16 bytes, two
/// numbers of those that are written at multiples of their size; scores are scaled
/// by a positive number and have no bias. Weights are rounded to bf16, and a partial's maximum is within
/// attentionSlack of the largest score.
///
/// A warp has 16 queries, whose fragments stay in registers beside the outputs: 32 queries a warp would need
/// 256 registers for queries, scores and outputs alone. Keys are double-buffered and values single, in 48 KiB
/// at most: values come while scores are computed, the next keys until the next step.
///
/// Throws Error{Internal} for another size.
PtxKernel ptxAttention(const PtxAttentionSize& size);

}  // namespace meshreel

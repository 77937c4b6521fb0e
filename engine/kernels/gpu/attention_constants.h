// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/gpu/gpu.h"

namespace meshreel {

/// What every kernel of attention is given. Matches attention_scalar.comp and, without the bias,
/// attention.glsl. Strides are in numbers.
struct AttentionConstants {
    GpuAddress q, k, v, keyMask, output, maximum, sum;
    std::uint32_t firstQuery, queries, keys, headDim, firstHead, qStride, kStride, vStride;
    float scale;          ///< times log2(e)
    std::uint32_t flags;  ///< of AttentionFlag
    std::uint32_t yStride;
    float lastKey;  ///< log2 of how many keys the last one stands for
    GpuAddress bias;
    std::uint32_t biasStride;
    std::uint32_t unused = 0;
};
static_assert(sizeof(AttentionConstants) <= 128);

/// Bytes of AttentionConstants at which addresses lie: GpuShader::addresses.
inline constexpr std::array<std::uint16_t, 8> attentionAddresses{
    offsetof(AttentionConstants, q),      offsetof(AttentionConstants, k),
    offsetof(AttentionConstants, v),      offsetof(AttentionConstants, keyMask),
    offsetof(AttentionConstants, output), offsetof(AttentionConstants, maximum),
    offsetof(AttentionConstants, sum),    offsetof(AttentionConstants, bias)};

/// Bits of AttentionConstants::flags.
struct AttentionFlag {
    static constexpr std::uint32_t narrowQueries = 1;  ///< of bf16, not f32
    static constexpr std::uint32_t narrowKeys = 2;
    static constexpr std::uint32_t narrowValues = 4;
    static constexpr std::uint32_t maskedKeys = 8;     ///< there is a word for each key: 0 hides it
    static constexpr std::uint32_t finishesRows = 16;  ///< output is rows, not a partial
    static constexpr std::uint32_t narrowRows = 32;    ///< these rows are of bf16
    static constexpr std::uint32_t biasedScores = 64;
};

/// A maximum stays until a score is above it by more: weights are then 64 at most.
inline constexpr float attentionSlack = 6.0F;
/// Below every score: no key so far.
inline constexpr float attentionNone = -3.0e38F;

}  // namespace meshreel

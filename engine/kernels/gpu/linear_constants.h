// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/gpu/gpu.h"

namespace meshreel {

/// What every kernel of linear layers is given: y = [y +] gate · activation(x · weightᵀ + bias). Matches
/// linear_epilogue.glsl. Strides are in numbers.
struct LinearConstants {
    GpuAddress x, weight, bias, gate, y;
    std::uint32_t rows, outs, ins, xStride, weightStride, yStride;
    std::uint32_t activation;         ///< a LinearActivation
    std::uint32_t flags;              ///< of LinearFlag
    GpuAddress rowScales, outScales;  ///< of int8 factors, f32
};
static_assert(sizeof(LinearConstants) <= 128);

/// Bytes of LinearConstants at which addresses lie: GpuShader::addresses.
inline constexpr std::array<std::uint16_t, 7> linearAddresses{
    offsetof(LinearConstants, x),        offsetof(LinearConstants, weight),
    offsetof(LinearConstants, bias),     offsetof(LinearConstants, gate),
    offsetof(LinearConstants, y),        offsetof(LinearConstants, rowScales),
    offsetof(LinearConstants, outScales)};

/// Bits of LinearConstants::flags.
struct LinearFlag {
    static constexpr std::uint32_t narrowRowsOfX = 1;  ///< x is bf16, not f32; also of what rounds rows
    static constexpr std::uint32_t narrowWeight = 2;
    static constexpr std::uint32_t narrowY = 4;
    static constexpr std::uint32_t withBias = 8;
    static constexpr std::uint32_t withGate = 16;
    static constexpr std::uint32_t addToY = 32;
    static constexpr std::uint32_t fourAtOnce =
        64;  ///< four of y, bias, gate and outScales lie at multiples of 16 bytes
};

}  // namespace meshreel

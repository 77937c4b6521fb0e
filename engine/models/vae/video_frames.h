// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// A colour in [-1, 1] as clip(v / 2 + 0.5, 0, 1) * 255, truncated. NaN becomes 0: it fails the first
/// comparison.
inline std::uint8_t toByte(float value) {
    const float unit = value / 2.0F + 0.5F;
    const float clipped = unit > 0.0F ? (unit < 1.0F ? unit : 1.0F) : 0.0F;
    return static_cast<std::uint8_t>(clipped * 255.0F);
}

/// Frames lie along this axis of u8 [batch, time, height, width, channel].
inline constexpr std::size_t timeAxisOfFrames = 1;

/// Decoder output to frames: `decoded` [batch, 3, time, height, width], f32 in [-1, 1], becomes u8
/// [batch, time, height, width, channel] by toByte().
Tensor toFrames(const Execution& execution, const Tensor& decoded);

/// The same of one sample's features (see wan_vae_chunk.h) [T, H, W, 3·patch²], which become u8
/// [1, T, H·patch, W·patch, 3] on the host. A GPU makes the bytes of features in its memory.
Tensor toFrames(const Execution& execution, const Tensor& features, std::int64_t patch);

}  // namespace meshreel

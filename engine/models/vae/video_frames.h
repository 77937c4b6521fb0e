// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/kernels/pixels/frame_bytes.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Frames lie along this axis of u8 [batch, time, height, width, channel].
inline constexpr std::size_t timeAxisOfFrames = 1;

/// Decoder output to frames: `decoded` [batch, 3, time, height, width], f32 in [-1, 1], becomes u8
/// [batch, time, height, width, channel] by toByte().
Tensor toFrames(const Execution& execution, const Tensor& decoded);

/// Converts one sample's features (see wan_vae_chunk.h) [T, H, W, 3·patch²] to u8 [1, T, H·patch, W·patch, 3]
/// on the host, by frameBytes().
Tensor toFrames(const Execution& execution, const Tensor& features, std::int64_t patch);

}  // namespace meshreel

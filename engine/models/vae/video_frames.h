// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Frames lie along this axis of u8 [batch, time, height, width, channel].
inline constexpr std::size_t timeAxisOfFrames = 1;

/// Decoder output to frames: `decoded` [batch, 3, time, height, width], f32 in [-1, 1], becomes u8
/// [batch, time, height, width, channel] as clip(v / 2 + 0.5, 0, 1) * 255, truncated. NaN becomes 0.
Tensor toFrames(const Execution& execution, const Tensor& decoded);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Returns a colour in [-1, 1] as clip(v / 2 + 0.5, 0, 1) * 255, truncated. NaN becomes 0: it fails the first
/// comparison.
inline std::uint8_t toByte(float value) {
    const float unit = value / 2.0F + 0.5F;
    const float clipped = unit > 0.0F ? (unit < 1.0F ? unit : 1.0F) : 0.0F;
    return static_cast<std::uint8_t>(clipped * 255.0F);
}

/// Returns the bytes of frames, u8 [frames, height · patch, width · patch, colours] on the host, by toByte(),
/// from features f32 [frames, height, width, colours · patch²] in any memory: a feature is a square of patch
/// × patch pixels, of which column x and row y of colour c are channel (c · patch + x) · patch + y. On the
/// host the workers share the lines; from a GPU only the bytes are copied. Throws Error{Internal} when the
/// shape does not fit.
Tensor frameBytes(const Execution& execution, const Tensor& features, std::int64_t patch);

}  // namespace meshreel

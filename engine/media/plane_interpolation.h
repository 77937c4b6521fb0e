// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/tensor/tensor.h"

namespace meshreel {

enum class Interpolation : std::uint8_t { Bilinear, Bicubic };

/// Planes f32 [..., height, width] in another size as torch's F.interpolate(align_corners=False,
/// antialias=False): between the nearest pixels, whatever the step (bicubic with a = -0.75). Throws
/// Error{Input} for sizes below 1.
Tensor interpolatePlanes(const Tensor& planes, std::int64_t height, std::int64_t width,
                         Interpolation interpolation);

}  // namespace meshreel

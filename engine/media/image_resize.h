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

// Images are u8 [height, width, channels], channels last.

/// Pillow's filters with these names, which widen with the step when an image becomes smaller.
enum class Resampling : std::uint8_t { Bilinear, Bicubic, Lanczos };

/// `image` in another size: columns first, then rows, with coefficients of 22 fractional bits and bytes in
/// between, which gives the bytes of Pillow's Image.resize. Throws Error{Input} for sizes below 1 or too
/// large to hold.
Tensor resizeImage(const Tensor& image, std::int64_t height, std::int64_t width, Resampling filter);

/// Returns a part of an image. Everything outside is black.
Tensor cropImage(const Tensor& image, std::int64_t top, std::int64_t left, std::int64_t height,
                 std::int64_t width);

/// Returns the middle part of this size, the odd pixel below and right of it.
Tensor cropToCentre(const Tensor& image, std::int64_t height, std::int64_t width);

/// Returns the middle of the image, resized to be just large enough to cover height × width, as Wan 2.2's
/// TI2V-5B takes its first frame.
Tensor resizeToCover(const Tensor& image, std::int64_t height, std::int64_t width, Resampling filter);

}  // namespace meshreel

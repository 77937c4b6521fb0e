// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// How a picture must be turned to stand upright, as EXIF numbers it.
enum class Orientation : std::uint8_t {
    Upright = 1,
    MirroredAcross,  ///< left and right are swapped
    HalfTurn,
    MirroredDown,  ///< top and bottom are swapped
    Transposed,    ///< rows are columns
    QuarterTurn,   ///< clockwise
    Transversed,   ///< rows are columns, both from their ends
    ThreeQuarterTurn,
};

/// The orientation of a video's display matrix, as containers store it (rows a b u, c d v, x y w); Upright
/// for what is no multiple of a quarter turn.
Orientation orientationOfMatrix(const std::array<std::int32_t, 9>& matrix);

/// u8 [height, width, 3] as it should be seen.
Tensor upright(const Tensor& image, Orientation orientation);

/// What the EXIF data of a JPEG, PNG, WebP or TIFF file say; Upright where there are none, or none that make
/// sense.
Orientation exifOrientation(std::string_view file);

}  // namespace meshreel

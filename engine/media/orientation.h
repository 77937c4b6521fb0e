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

/// Returns the orientation of a video's display matrix, as containers store it (rows a b u, c d v, x y w);
/// Upright unless it is a multiple of a quarter turn.
Orientation orientationOfMatrix(const std::array<std::int32_t, 9>& matrix);

/// u8 [height, width, 3] as it should be seen.
Tensor upright(const Tensor& image, Orientation orientation);

/// Returns the orientation in the EXIF data of a JPEG, PNG, WebP or TIFF file; Upright without EXIF data, or
/// when they make no sense.
Orientation exifOrientation(std::string_view file);

}  // namespace meshreel

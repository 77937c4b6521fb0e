// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace meshreel {

/// What becomes of a pixel's alpha, wherever pictures are read: PNG, TIFF, WebP, GIF, APNG and videos with
/// alpha.
enum class AlphaUse : std::uint8_t {
    OnWhite,  ///< the picture is laid on white
    AsGrey,   ///< the alpha alone: opaque is white, transparent is black
    Dropped,  ///< the colours as they are stored, also where nobody sees them
};

/// Pixels [pixels, 4] of straight alpha as [pixels, 3]. Returns whether one of them is not opaque.
bool readAlpha(std::span<const std::uint8_t> rgba, AlphaUse use, std::span<std::uint8_t> rgb);

/// Makes pixels [pixels, 4] straight whose colours are multiplied with their alpha.
void unmultiplyAlpha(std::span<std::uint8_t> rgba);

/// Whether all that is visible in a picture, animation, video or folder of frames has one colour, while its
/// alpha varies: so that a mask's shape is in its alpha. Reads as far as needed to tell. Throws as
/// openFrameSource() and read().
bool hasShapeInAlpha(const std::filesystem::path& media);

}  // namespace meshreel

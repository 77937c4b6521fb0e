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
    Dropped,  ///< the stored colours, also where they are fully transparent
};

/// Pixels [pixels, 4] of straight alpha as [pixels, 3]. Returns whether one of them is not opaque.
bool readAlpha(std::span<const std::uint8_t> rgba, AlphaUse use, std::span<std::uint8_t> rgb);

/// Makes pixels [pixels, 4] straight whose colours are multiplied with their alpha.
void unmultiplyAlpha(std::span<std::uint8_t> rgba);

/// Returns whether everything visible in a picture, animation, video or folder of frames has one colour while
/// its alpha varies: then a mask's shape is in its alpha. Reads only as far as needed. Throws as
/// openFrameSource() and read() do.
bool hasShapeInAlpha(const std::filesystem::path& media);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace meshreel {

/// What a TIFF file says of its alpha.
enum class TiffAlpha {
    Straight,       ///< or there is none
    Premultiplied,  ///< the colours are multiplied with it ("associated")
};

/// Prepares a TIFF file in memory for libavcodec, which refuses whole files because of tags that it does not
/// know: removes from the first directory every tag that does not describe how pixels are stored. `file` is
/// for messages. Throws Error{Input} when libavcodec would read other pixels than the file holds: samples
/// that are not whole numbers ≥ 0, and a channel besides the colours that is not declared as alpha.
TiffAlpha keepTagsOfPixels(std::span<std::byte> tiff, const std::filesystem::path& file);

}  // namespace meshreel

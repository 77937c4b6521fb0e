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

/// Prepares a TIFF file in memory for libavcodec, which refuses whole files for tags that it does not know:
/// takes out of the first directory every tag that does not say how pixels are stored. `file` is for
/// messages. Throws Error{Input} where libavcodec would read other pixels than the file holds: samples that
/// are no whole numbers from 0 on, and a channel besides the colours that is not said to be alpha.
TiffAlpha keepTagsOfPixels(std::span<std::byte> tiff, const std::filesystem::path& file);

}  // namespace meshreel

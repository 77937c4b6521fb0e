// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "engine/media/video_reader.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Channels of a pixel, wherever frames and pictures are held.
constexpr int rgbChannels = 3;

/// `image` u8 [height, width, 3] as the bytes of a PNG file.
std::string encodePng(const Tensor& image);

/// encodePng, written atomically. Errors as writeFileAtomically.
void writePng(const std::filesystem::path& file, const Tensor& image);

/// Throws Error{Input} unless `file` is a regular file that is not empty.
void requireImageFile(const std::filesystem::path& file);

/// Returns what readImage() would read; throws as it does.
VideoInfo probeImage(const std::filesystem::path& file);

/// Returns a PNG, JPEG, BMP, TIFF or WebP file, or the first frame of a video, as u8 [height, width, 3]:
/// turned as its EXIF data say, laid on white where it is not opaque (AlphaUse). Error{Input} with a sentence
/// for anything else.
Tensor readImage(const std::filesystem::path& file);

}  // namespace meshreel

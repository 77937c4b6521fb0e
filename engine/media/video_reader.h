// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Tags as ITU-T H.273 numbers them, spelled as libavutil does ("bt709"); "unknown" when the file does not
/// say.
struct ColourTags {
    std::string matrix;
    std::string primaries;
    std::string transfer;
    std::string range;  ///< "tv" (limited) or "pc" (full)
};

struct VideoInfo {
    int width = 0;
    int height = 0;
    std::int64_t frames = 0;
    double fps = 0.0;         ///< 0 when not known (a still image, a folder of frames)
    std::string codec;        ///< "h264", "vp9", "gif", "webp", "png"
    std::string pixelFormat;  ///< as stored, "yuv420p"
    ColourTags colour;
    std::map<std::string, std::string> metadata;  ///< of the container, keys in lower case
};

/// Reads `media`: a video or image file, an animated WebP, or a folder of numbered PNG frames.
/// These throw Error{Input} with a sentence for what is missing, not a video, or broken.
VideoInfo probeVideo(const std::filesystem::path& media);

/// Every frame, u8 [time, height, width, 3], converted with the matrix and range of the file's tags
/// (untagged: BT.709 from 720 lines up, BT.601 below, limited range), turned as the file says. A file that
/// ends early is an error, not a shorter video.
Tensor readVideo(const std::filesystem::path& media);

/// The project stored in the media's metadata, else in projectBeside(media).
std::string readProjectFromMedia(const std::filesystem::path& media);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/sentence.h"
#include "engine/media/video_writer.h"

namespace meshreel {

/// A video that is one part of a longer one.
struct VideoPart {
    std::filesystem::path video;  ///< a file or a folder of frames
    std::int64_t dropped = 0;     ///< its first frames that are left out
};

struct JoinedVideo {
    WrittenVideo video;
    std::int64_t frames = 0;
    Sentence whyEncoded;  ///< why its pictures were encoded once more; empty: they were copied as they are
};

/// Writes the pictures of the parts, at least one, in one video, without sound, to withVideoExtension(file,
/// options.format). The encoded pictures are copied where that gives the same video: nothing is dropped, and
/// all parts are files of that format with one codec, one size and one rate; else all are decoded, and
/// encoded as `options` says, at the size of the first part. Throws as VideoFile and readFrames() do.
JoinedVideo joinVideos(std::span<const VideoPart> parts, const std::filesystem::path& file,
                       const VideoOptions& options);

}  // namespace meshreel

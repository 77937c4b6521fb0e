// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/sentence.h"
#include "engine/media/video_writer.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Frames in which one clip passes over into the next, where nobody says how many: as many as a latent frame
/// has.
inline constexpr std::int64_t usualBlend = 4;

/// A video that is one part of a longer one.
struct VideoPart {
    std::filesystem::path video;  ///< a file or a folder of frames
    std::int64_t dropped = 0;     ///< its first frames, which show what the part before ends with
    std::int64_t blended = 0;     ///< the last of those, in which the part before passes over into this one
};

/// Returns a frame that `after` has a part of, as the frame at `index` of `blended` ones has it: they are in
/// even steps between the frames around them. Both u8, of one shape.
Tensor blendedFrame(const Tensor& before, const Tensor& after, std::int64_t index, std::int64_t blended);

struct JoinedVideo {
    WrittenVideo video;
    std::int64_t frames = 0;
    Sentence whyEncoded;  ///< why its pictures were encoded once more; empty: they were copied as they are
};

/// Writes the pictures of the parts, at least one, in one video, with the sound of `options`, to
/// withVideoExtension(file, options.format). The encoded pictures are copied where that gives the same video:
/// nothing is dropped, and all parts are files of that format with one codec, one size and one rate; else all
/// are decoded, and encoded as `options` says, at the size of the first part. Throws as VideoFile and
/// readFrames() do.
JoinedVideo joinVideos(std::span<const VideoPart> parts, const std::filesystem::path& file,
                       const VideoOptions& options);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "engine/media/libav.h"
#include "engine/media/video_writer.h"

namespace meshreel {

/// The rate as a fraction: 23.976 and its kin become n*1000/1001, everything else is taken as written.
/// Throws Error{Project} for a rate that is not between 1/10 and 1000 frames a second.
AVRational exactRate(double fps);

/// Write one medium at `file` (not atomically). `frames` u8 [time, height, width, 3].
void encodeTaggedVideo(const std::filesystem::path& file, const Tensor& frames, VideoFormat format,
                       const VideoOptions& options);  // MP4, WebM
void encodeGif(const std::filesystem::path& file, const Tensor& frames, const VideoOptions& options);
void encodeWebP(const std::filesystem::path& file, const Tensor& frames, const VideoOptions& options);
/// `folder` is created.
void encodePngFolder(const std::filesystem::path& folder, const Tensor& frames);

}  // namespace meshreel

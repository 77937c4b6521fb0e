// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/media/frame_source.h"
#include "engine/media/image_resize.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

enum class FrameFit : std::uint8_t {
    Stretch,  ///< the whole frame, whatever becomes of its form
    Cover,    ///< the middle of the frame, in its form
};

/// What a task takes of a video.
struct FrameSelection {
    double fps = 0.0;          ///< frames a second, see isSampled(); 0: the file's own frames
    std::int64_t frames = -1;  ///< the first ones, at most; -1: all
    std::int64_t height = 0;   ///< 0, with width 0: as the file has them
    std::int64_t width = 0;
    FrameFit fit = FrameFit::Stretch;
    Resampling filter = Resampling::Lanczos;
};

/// Whether frames are picked by their times, rather than one after the other: the medium's rate differs by
/// more than 1 % from `fps`, or varies. A picture and a folder of frames have the rate asked for.
bool isSampled(const VideoInfo& info, double fps);

/// How many frames of the rate `fps` a medium gives that is sampled.
std::int64_t sampledFrames(double seconds, double fps);

/// Frames of a video, an animation or a folder of images, u8 [time, height, width, 3]. Where they are
/// sampled, each is the frame whose time is nearest, of two the earlier one. Of the file a few frames are
/// held at a time, and it is read no further than needed. Throws Error{Input} as readVideo does, and for a
/// file without frames.
Tensor readFrames(const std::filesystem::path& media, const FrameSelection& selection);
/// The same of a source that nothing was read from; `media` is for messages.
Tensor readFrames(FrameSource& source, const std::filesystem::path& media, const FrameSelection& selection);

}  // namespace meshreel

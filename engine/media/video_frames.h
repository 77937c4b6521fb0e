// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/media/image_resize.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

enum class FrameFit : std::uint8_t {
    Stretch,  ///< the whole frame, whatever becomes of its form
    Cover,    ///< the middle of the frame, in its form
};

/// What a task takes of a video.
struct FrameSelection {
    double fps = 0.0;          ///< frames a second, whatever the file has; 0: the file's own frames
    std::int64_t frames = -1;  ///< the first ones, at most; -1: all
    std::int64_t height = 0;   ///< 0, with width 0: as the file has them
    std::int64_t width = 0;
    FrameFit fit = FrameFit::Stretch;
    Resampling filter = Resampling::Lanczos;
};

/// Frames of a video, an animation or a folder of images, u8 [time, height, width, 3]. With another rate,
/// each is the frame that is on show at its time. Of the file one frame is held at a time, and it is read no
/// further than needed; a folder, which has no times, has the rate asked for. Throws Error{Input} as
/// readVideo does, and for a file without frames.
Tensor readFrames(const std::filesystem::path& media, const FrameSelection& selection);

}  // namespace meshreel

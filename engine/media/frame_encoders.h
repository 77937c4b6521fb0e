// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "engine/media/libav.h"
#include "engine/media/video_writer.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Returns the rate as a fraction: 23.976 and its kin become n*1000/1001, everything else is taken as
/// written. Throws Error{Project} for a rate that is not between 1/10 and 1000 frames a second.
AVRational exactRate(double fps);

/// Writes one medium, not atomically. Without finish() its file is worthless.
class FrameEncoder {
  public:
    virtual ~FrameEncoder() = default;
    FrameEncoder(const FrameEncoder&) = delete;
    FrameEncoder& operator=(const FrameEncoder&) = delete;

    /// The next frames, u8 [time, height, width, 3]. GIF keeps them until finish(), sharing their memory.
    virtual void add(const Tensor& frames) = 0;
    virtual void finish() = 0;

  protected:
    FrameEncoder() = default;
};

/// Returns an encoder for frames of the size of `frames` [time, height, width, 3] that writes to `place`, for
/// PNG an existing folder. Throws Error{Project} when the format cannot hold such frames, Error{Input} when
/// the place cannot be written to.
std::unique_ptr<FrameEncoder> openEncoder(const std::filesystem::path& place, VideoFormat format,
                                          const Shape& frames, const VideoOptions& options);

}  // namespace meshreel

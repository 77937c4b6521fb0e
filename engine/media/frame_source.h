// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "engine/media/video_reader.h"

namespace meshreel {

/// Frames of one medium, first to last.
class FrameSource {
  public:
    FrameSource() = default;
    virtual ~FrameSource() = default;
    FrameSource(const FrameSource&) = delete;
    FrameSource& operator=(const FrameSource&) = delete;

    [[nodiscard]] const VideoInfo& info() const { return m_info; }

    /// Writes the next frame, [height, width, 3]; false after the last. Throws Error{Input} for a damaged
    /// frame.
    virtual bool read(std::span<std::uint8_t> rgb) = 0;

    /// read() for who needs only the count and the times.
    virtual bool skip();

    /// When the frame read last is shown, from the beginning; 0 for media without times (info().fps is 0).
    [[nodiscard]] double seconds() const { return m_seconds; }

  protected:
    VideoInfo m_info;
    double m_seconds = 0.0;
};

/// Whether some frame is more than half a frame away from its place at the mean rate. `times` ascend, in any
/// unit.
bool isVariableRate(std::span<const double> times);

/// Throws Error{Input} unless `media` is a regular file that is not empty, or a folder: nothing is opened
/// that reading could wait for.
void requireMedium(const std::filesystem::path& media);

/// Picks the source by what lies at `media`: a folder of PNG frames, an animated WebP, or anything libav
/// knows, behind requireMedium().
std::unique_ptr<FrameSource> openFrameSource(const std::filesystem::path& media);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/frame_source.h"
#include "engine/media/libav.h"

namespace meshreel {

/// An animated WebP, which libavformat 5.1 does not read: takes the container apart (RIFF chunks VP8X, ANIM,
/// ANMF of developers.google.com/speed/webp/docs/riff_container), lets libavcodec decode each frame's
/// picture, and composes the frames on the canvas.
class WebPSource : public FrameSource {
  public:
    /// Whether the file starts as an animated WebP does.
    static bool recognises(const std::filesystem::path& file);

    explicit WebPSource(const std::filesystem::path& file);

    bool read(std::span<std::uint8_t> rgb) override;

  private:
    /// One ANMF chunk.
    struct Frame {
        int x = 0;
        int y = 0;
        int width = 0;
        int height = 0;
        int durationMs = 0;
        bool blend = false;        ///< over the canvas by alpha; otherwise replaces it
        bool dispose = false;      ///< the rectangle is cleared after showing
        std::string_view picture;  ///< its ALPH, VP8, VP8L chunks
    };

    Frame parseFrame(std::string_view chunk) const;
    [[nodiscard]] FramePtr decode(const Frame& frame) const;
    void compose(const Frame& frame, const AVFrame& picture);
    void clear(const Frame& frame);
    [[noreturn]] void throwDamaged(const Sentence& reason) const;

    std::filesystem::path m_file;
    std::string m_bytes;
    std::vector<Frame> m_frames;
    std::vector<std::uint8_t> m_canvas;  // RGBA
    std::size_t m_next = 0;
    std::int64_t m_shownMs = 0;  // by the frames read
};

}  // namespace meshreel

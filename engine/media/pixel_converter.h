// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/media/libav.h"

namespace meshreel {

/// How stored samples mean colour, as the file's tags say it.
struct Colourimetry {
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
    AVChromaLocation chroma = AVCHROMA_LOC_UNSPECIFIED;

    friend bool operator==(const Colourimetry&, const Colourimetry&) = default;
};

/// Between packed RGB24 and one other pixel format at the same size, through swscale with matrix, range and
/// chroma position set to exactly what `colour` says (unspecified: BT.709 from 720 lines up, BT.601 below;
/// limited range for YUV, full for gray and the yuvj formats; chroma beside the left luma sample). Not thread
/// safe.
class PixelConverter {
  public:
    enum class Direction { ToRgb, FromRgb };

    PixelConverter(Direction direction, int width, int height, AVPixelFormat format,
                   const Colourimetry& colour);

    /// `rgb` [height, width, 3] to a frame of the other format. The frame stays valid until the next call.
    AVFrame& fromRgb(std::span<const std::uint8_t> rgb);

    /// A frame of the other format to `rgb` [height, width, 3].
    void toRgb(const AVFrame& frame, std::span<std::uint8_t> rgb);

    [[nodiscard]] bool fits(const AVFrame& frame) const;

  private:
    void convert(const AVFrame& from, AVFrame& to);

    int m_width;
    int m_height;
    AVPixelFormat m_format;
    Colourimetry m_colour;
    ScalerPtr m_scaler;
    FramePtr
        m_rgb;  // swscale reads and writes past tight rows, so RGB passes through an aligned, padded frame
    FramePtr m_other;
};

/// What a decoded frame says of itself.
Colourimetry colourimetryOf(const AVFrame& frame);

}  // namespace meshreel

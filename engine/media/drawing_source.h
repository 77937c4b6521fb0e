// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/media/frame_source.h"
#include "engine/media/mask_drawing.h"

namespace meshreel {

/// A drawing of a mask as the video that it stands for: white on black. One that does not move is a picture.
class DrawingSource : public FrameSource {
  public:
    /// Throws Error{Input} as readMaskDrawing() does, for a drawing without shapes, and for
    /// one of which some frame would take minutes.
    explicit DrawingSource(const std::filesystem::path& file);

    bool read(std::span<std::uint8_t> rgb) override;
    bool skip() override;

  private:
    bool begin();

    MaskDrawing m_drawing;
    std::int64_t m_next = 0;
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/media/frame_source.h"
#include "engine/media/orientation.h"

namespace meshreel {

/// The frames of another source, turned as they should be seen.
class UprightSource : public FrameSource {
  public:
    UprightSource(std::unique_ptr<FrameSource> source, Orientation orientation);

    bool read(std::span<std::uint8_t> rgb) override;
    bool skip() override;

  private:
    std::unique_ptr<FrameSource> m_source;
    Orientation m_orientation;
    Tensor m_stored;  // one frame
};

}  // namespace meshreel

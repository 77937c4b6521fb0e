// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "engine/studies/evaluation/clip.h"

namespace meshreel {

/// A plain background, whose brightness may change evenly from the top of the picture to its foot.
class PlainBackground {
  public:
    /// From the corners of all frames.
    explicit PlainBackground(const ClipPixels& clip);

    [[nodiscard]] Colour at(std::int64_t y) const;

    /// Nearest of backgroundColours().
    [[nodiscard]] std::string_view name() const;

  private:
    Colour m_top;
    Colour m_foot;
    double m_height;
};

}  // namespace meshreel

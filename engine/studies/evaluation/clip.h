// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// RGB in levels of 0 to 255.
using Colour = std::array<double, 3>;

/// The pixels of a video.
class ClipPixels {
  public:
    /// `frames` u8 [time, height, width, 3] of at least two frames of 16x16 pixels; Error{Internal}
    /// otherwise.
    explicit ClipPixels(Tensor frames);

    [[nodiscard]] std::int64_t frames() const { return m_frames.extent(0); }
    [[nodiscard]] std::int64_t height() const { return m_frames.extent(1); }
    [[nodiscard]] std::int64_t width() const { return m_frames.extent(2); }
    [[nodiscard]] std::int64_t pixelsOfFrame() const { return height() * width(); }

    [[nodiscard]] bool has(std::int64_t y, std::int64_t x) const {
        return y >= 0 && y < height() && x >= 0 && x < width();
    }

    [[nodiscard]] Colour at(std::int64_t frame, std::int64_t y, std::int64_t x) const {
        const auto first = static_cast<std::size_t>(((frame * height() + y) * width() + x) * 3);
        const auto data = m_frames.data<std::uint8_t>();
        return {double(data[first]), double(data[first + 1]), double(data[first + 2])};
    }

  private:
    Tensor m_frames;
};

/// Of the channel that differs most.
double largestDifference(const Colour& a, const Colour& b);

double euclideanDistance(const Colour& a, const Colour& b);

/// Channel by channel; black without pixels.
Colour medianColour(const std::vector<Colour>& pixels);

/// Of an even number of values the upper of the middle two; 0 without values.
double upperMedianOf(std::vector<double> values);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
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

/// Returns the difference of the channel that differs most.
double largestDifference(const Colour& a, const Colour& b);

double euclideanDistance(const Colour& a, const Colour& b);

/// Returns the median channel by channel; black without pixels.
Colour medianColour(const std::vector<Colour>& pixels);

/// Returns the median; of an even number of values the upper of the middle two; 0 without values.
double computeUpperMedian(std::vector<double> values);

/// The words of the embedded model's simple scenes, with their values, as its recipe
/// (tools/train-tiny-wan/tinywan/scenes/tables.py) draws them.
struct NamedColour {
    std::string_view name;
    Colour value;
};

std::span<const NamedColour> objectColours();
std::span<const NamedColour> backgroundColours();

/// ball, square, triangle, star, ring
std::span<const std::string_view> shapeNames();

/// right, left, up, down
std::span<const std::string_view> directionNames();

/// bouncing, spinning, growing, shrinking, still
std::span<const std::string_view> otherMotionNames();

bool isDirection(std::string_view motion);

/// A plain background, whose brightness may change evenly from the top of the picture to its foot.
class PlainBackground {
  public:
    /// Measures it at the corners of all frames.
    explicit PlainBackground(const ClipPixels& clip);

    [[nodiscard]] Colour at(std::int64_t y) const;

    /// Returns the nearest of backgroundColours().
    [[nodiscard]] std::string_view name() const;

  private:
    Colour m_top;
    Colour m_foot;
    double m_height;
};

/// Where the subject is in one frame.
struct SubjectPlace {
    double area = 0.0;  ///< pixels
    double x = 0.0;     ///< centre, in widths of the picture
    double y = 0.0;     ///< in heights of the picture
};

/// What is in front of the background of a clip.
class Subject {
  public:
    Subject(const ClipPixels& clip, const PlainBackground& background);

    /// False when hardly anything, or nearly everything, differs from the background.
    [[nodiscard]] bool present() const { return m_present; }

    [[nodiscard]] bool covers(std::int64_t frame, std::int64_t y, std::int64_t x) const {
        return m_mask[static_cast<std::size_t>((frame * m_height + y) * m_width + x)] != 0;
    }

    /// Returns how much it differs from the background where it does most, in levels.
    [[nodiscard]] double contrast() const { return m_contrast; }

    /// Returns the places, one a frame.
    [[nodiscard]] const std::vector<SubjectPlace>& places() const { return m_places; }

  private:
    [[nodiscard]] SubjectPlace placeIn(std::int64_t frame) const;

    std::int64_t m_height;
    std::int64_t m_width;
    std::vector<std::uint8_t> m_mask;  // [time, height, width]
    double m_contrast = 0.0;
    std::vector<SubjectPlace> m_places;
    bool m_present = false;
};

}  // namespace meshreel

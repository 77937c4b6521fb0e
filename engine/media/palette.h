// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace meshreel {

struct Rgb {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;

    friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// GIF allows 256 entries; one is left for "unchanged" pixels.
inline constexpr std::size_t maxPaletteColours = 255;

/// Returns at most maxPaletteColours colours for the pixels (packed triples) of all parts of a clip together,
/// by median cut (Heckbert 1982) on a histogram of 6 bits per channel: the box with the largest squared
/// spread is cut at its mean. A clip with no more histogram cells than colours gets the cells' exact means.
std::vector<Rgb> makePalette(const std::vector<std::span<const std::uint8_t>>& parts);

/// Maps pixels to palette entries with a light ordered dither, whose pattern is fixed from frame to frame.
class PaletteMapper {
  public:
    explicit PaletteMapper(std::vector<Rgb> palette);

    /// One frame: `rgb` [height, width, 3] to `indices`, rows `stride` bytes apart.
    void map(std::span<const std::uint8_t> rgb, int width, std::uint8_t* indices, std::ptrdiff_t stride);

    [[nodiscard]] const std::vector<Rgb>& palette() const { return m_palette; }

  private:
    std::uint8_t nearest(int red, int green, int blue);

    std::vector<Rgb> m_palette;
    std::vector<std::int16_t> m_nearest;  // per histogram cell, -1 until asked for
};

}  // namespace meshreel

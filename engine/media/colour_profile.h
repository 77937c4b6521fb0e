// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace meshreel {

/// The colours of a picture that are not sRGB's, as an ICC profile of three curves and a matrix describes
/// them (ICC.1:2022): Display P3 of phones, Adobe RGB of cameras.
class ColourProfile {
  public:
    /// Nothing for a profile of sRGB, of another kind (tables, grey, CMYK) or that makes no sense: its
    /// numbers are taken as they are.
    static std::optional<ColourProfile> read(std::span<const std::uint8_t> icc);

    /// Makes sRGB of `rgb` [pixels, 3]; what sRGB cannot show is cut off, each colour by itself.
    void toSrgb(std::span<std::uint8_t> rgb) const;

  private:
    static constexpr std::size_t levels = 256;

    std::array<std::array<float, levels>, 3> m_linear{};  ///< by colour and stored value
    std::array<std::array<float, 3>, 3> m_toSrgb{};       ///< of linear light
};

}  // namespace meshreel

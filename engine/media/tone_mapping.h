// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace meshreel {

/// The transfer curves of high dynamic range, BT.2100.
enum class HdrTransfer : std::uint8_t { Hlg, Pq };

/// Makes BT.709 of pictures with high dynamic range, as ffmpeg's `zscale=t=linear:npl=100, zscale=p=bt709,
/// tonemap=hable:desat=0, zscale=t=bt709` does: light of 100 cd/m² is 1, a curve (Hable's) takes the
/// brightest of a pixel's colours below 1, and the display's gamma is 2.4.
class ToneMapper {
  public:
    /// `peak` in cd/m²: what the curve takes to 1.
    ToneMapper(HdrTransfer transfer, double peak);

    /// `wide` and `rgb` [pixels, 3]; `wide` is R'G'B' of BT.2020 as 16 bits, full range.
    void map(std::span<const std::uint16_t> wide, std::span<std::uint8_t> rgb) const;

  private:
    HdrTransfer m_transfer;
    float m_peak;  ///< in units of 100 cd/m²
    float m_curveAtPeak;
    std::vector<float> m_linear;  ///< for each code: light (PQ), or the scene's light (HLG)
};

}  // namespace meshreel

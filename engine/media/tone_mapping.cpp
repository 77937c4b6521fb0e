// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/tone_mapping.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace meshreel {
namespace {

constexpr double referenceLight = 100.0;  // cd/m² of 1
constexpr double hlgPeak = 1000.0;        // cd/m² of the display that HLG's system gamma of 1.2 is for
constexpr std::size_t codes = 65536;

/// Light in cd/m², SMPTE ST 2084.
double pqLight(double code) {
    constexpr double m1 = 2610.0 / 16384;
    constexpr double m2 = 2523.0 / 4096 * 128;
    constexpr double c1 = 3424.0 / 4096;
    constexpr double c2 = 2413.0 / 4096 * 32;
    constexpr double c3 = 2392.0 / 4096 * 32;
    constexpr double most = 10000.0;
    const double power = std::pow(code, 1 / m2);
    return most * std::pow(std::max(power - c1, 0.0) / (c2 - c3 * power), 1 / m1);
}

/// The scene's light in [0, 1], the inverse of ARIB STD-B67's curve.
double hlgSceneLight(double code) {
    constexpr double a = 0.17883277;
    constexpr double b = 0.28466892;
    constexpr double c = 0.55991073;
    return code <= 0.5 ? code * code / 3 : (std::exp((code - c) / a) + b) / 12;
}

/// Hable's filmic curve.
float hable(float x) {
    constexpr float a = 0.15F;
    constexpr float b = 0.50F;
    constexpr float c = 0.10F;
    constexpr float d = 0.20F;
    constexpr float e = 0.02F;
    constexpr float f = 0.30F;
    return (x * (x * a + b * c) + d * e) / (x * (x * a + b) + d * f) - e / f;
}

/// From BT.2020's primaries to BT.709's, BT.2087.
constexpr std::array<std::array<float, 3>, 3> toBt709{
    {{1.6605F, -0.5876F, -0.0728F}, {-0.1246F, 1.1329F, -0.0083F}, {-0.0182F, -0.1006F, 1.1187F}}};

std::uint8_t displayCode(float light) {
    constexpr float gamma = 2.4F;
    constexpr float most = 255.0F;
    return static_cast<std::uint8_t>(std::lround(most * std::pow(std::clamp(light, 0.0F, 1.0F), 1 / gamma)));
}

}  // namespace

ToneMapper::ToneMapper(HdrTransfer transfer, double peak)
    : m_transfer(transfer),
      m_peak(static_cast<float>(std::max(peak, referenceLight) / referenceLight)),
      m_curveAtPeak(hable(m_peak)),
      m_linear(codes) {
    for (std::size_t code = 0; code < codes; ++code) {
        const double value = static_cast<double>(code) / (codes - 1);
        m_linear[code] = static_cast<float>(transfer == HdrTransfer::Pq ? pqLight(value) / referenceLight
                                                                        : hlgSceneLight(value));
    }
}

void ToneMapper::map(std::span<const std::uint16_t> wide, std::span<std::uint8_t> rgb) const {
    constexpr std::array<float, 3> luminance{0.2627F, 0.6780F, 0.0593F};  // for BT.2020
    constexpr float systemGamma = 1.2F;
    for (std::size_t pixel = 0; pixel + 2 < wide.size(); pixel += 3) {
        std::array<float, 3> light{m_linear[wide[pixel]], m_linear[wide[pixel + 1]],
                                   m_linear[wide[pixel + 2]]};
        if (m_transfer == HdrTransfer::Hlg) {
            const float scene = light[0] * luminance[0] + light[1] * luminance[1] + light[2] * luminance[2];
            const float system =
                scene > 0 ? std::pow(scene, systemGamma - 1) * static_cast<float>(hlgPeak / referenceLight)
                          : 0;
            for (float& value : light)
                value *= system;
        }
        std::array<float, 3> narrow{};
        for (std::size_t to = 0; to < 3; ++to)
            for (std::size_t from = 0; from < 3; ++from)
                narrow.at(to) += toBt709.at(to).at(from) * light.at(from);
        const float brightest = std::max({narrow[0], narrow[1], narrow[2]});
        const float factor = brightest > 0 ? hable(brightest) / m_curveAtPeak / brightest : 0;
        for (std::size_t colour = 0; colour < 3; ++colour)
            rgb[pixel + colour] = displayCode(narrow.at(colour) * factor);
    }
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/colour_profile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace meshreel {
namespace {

using Bytes = std::span<const std::uint8_t>;
using Matrix = std::array<std::array<double, 3>, 3>;

constexpr std::size_t primaries = 3;

/// From XYZ by D50, in which profiles count, to linear sRGB: the inverse of the colorants of sRGB's profile.
constexpr Matrix fromXyz{
    {{3.13386, -1.61687, -0.49061}, {-0.97877, 1.91614, 0.03345}, {0.07194, -0.22898, 1.40524}}};

std::uint32_t bigEndian(Bytes bytes, std::size_t at, std::size_t count) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < count; ++i)
        number = number << 8U | bytes[at + i];
    return number;
}

/// s15Fixed16Number.
double fixed(Bytes bytes, std::size_t at) {
    constexpr double one = 65536.0;
    return static_cast<double>(static_cast<std::int32_t>(bigEndian(bytes, at, 4))) / one;
}

bool says(Bytes bytes, std::size_t at, std::string_view word) {
    return at + word.size() <= bytes.size() &&
           std::equal(
               word.begin(), word.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
               [](char letter, std::uint8_t byte) { return static_cast<std::uint8_t>(letter) == byte; });
}

/// The content of a tag; empty when the profile lacks it.
Bytes findTag(Bytes icc, std::string_view name) {
    constexpr std::size_t tableAt = 128;
    constexpr std::size_t entryBytes = 12;
    constexpr std::size_t mostTags = 256;
    if (icc.size() < tableAt + 4)
        return {};
    const std::size_t count = std::min<std::size_t>(bigEndian(icc, tableAt, 4), mostTags);
    for (std::size_t entry = 0; entry < count; ++entry) {
        const std::size_t at = tableAt + 4 + entry * entryBytes;
        if (at + entryBytes > icc.size())
            return {};
        const std::size_t begin = bigEndian(icc, at + 4, 4);
        const std::size_t size = bigEndian(icc, at + 8, 4);
        if (says(icc, at, name))
            return begin <= icc.size() && size <= icc.size() - begin ? icc.subspan(begin, size) : Bytes();
    }
    return {};
}

/// parametricCurveType: g, then a to f as far as the kind has them.
std::optional<std::vector<double>> parametricCurve(Bytes tag, std::size_t points) {
    constexpr std::array<std::size_t, 5> counts{1, 3, 4, 5, 7};
    constexpr std::size_t numbersAt = 12;
    const std::size_t kind = tag.size() < numbersAt ? counts.size() : bigEndian(tag, 8, 2);
    if (kind >= counts.size() || tag.size() < numbersAt + 4 * counts.at(kind))
        return std::nullopt;
    std::array<double, 7> p{1, 1, 0, 0, 0, 0, 0};
    for (std::size_t i = 0; i < counts.at(kind); ++i)
        p.at(i) = fixed(tag, numbersAt + 4 * i);
    const auto [g, a, b, c, d, e, f] = p;
    std::vector<double> curve;
    for (std::size_t i = 0; i < points; ++i) {
        const double x = static_cast<double>(i) / static_cast<double>(points - 1);
        const double power = std::pow(std::max(a * x + b, 0.0), g);
        switch (kind) {
            case 0:
            case 1:
                curve.push_back(kind == 0 || a * x + b >= 0 ? power : 0.0);
                break;
            case 2:
                curve.push_back(a * x + b >= 0 ? power + c : c);
                break;
            case 3:
                curve.push_back(x >= d ? power : c * x);
                break;
            default:
                curve.push_back(x >= d ? power + e : c * x + f);
                break;
        }
    }
    return curve;
}

/// curveType: a gamma, or points at equal distances.
std::optional<std::vector<double>> sampledCurve(Bytes tag, std::size_t points) {
    constexpr std::size_t numbersAt = 12;
    constexpr double gammaOne = 256.0;
    constexpr double most = 65535.0;
    if (tag.size() < numbersAt)
        return std::nullopt;
    const std::size_t count = bigEndian(tag, 8, 4);
    if (count > (tag.size() - numbersAt) / 2)
        return std::nullopt;
    std::vector<double> curve;
    for (std::size_t i = 0; i < points; ++i) {
        const double x = static_cast<double>(i) / static_cast<double>(points - 1);
        if (count < 2) {
            curve.push_back(count == 0 ? x : std::pow(x, bigEndian(tag, numbersAt, 2) / gammaOne));
            continue;
        }
        const double place = x * static_cast<double>(count - 1);
        const std::size_t before = std::min(static_cast<std::size_t>(place), count - 2);
        const double left = bigEndian(tag, numbersAt + 2 * before, 2);
        const double right = bigEndian(tag, numbersAt + 2 * before + 2, 2);
        curve.push_back((left + (right - left) * (place - static_cast<double>(before))) / most);
    }
    return curve;
}

double srgbLight(double code) {
    return code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4);
}

}  // namespace

std::optional<ColourProfile> ColourProfile::read(Bytes icc) {
    constexpr std::size_t spaceAt = 16;
    constexpr std::size_t connectionAt = 20;
    constexpr std::size_t xyzBytes = 20;
    constexpr double same = 0.01;
    if (!says(icc, spaceAt, "RGB ") || !says(icc, connectionAt, "XYZ "))
        return std::nullopt;
    ColourProfile profile;
    double difference = 0.0;
    for (std::size_t colour = 0; colour < primaries; ++colour) {
        constexpr std::array<std::string_view, primaries> colorants{"rXYZ", "gXYZ", "bXYZ"};
        constexpr std::array<std::string_view, primaries> curves{"rTRC", "gTRC", "bTRC"};
        const Bytes colorant = findTag(icc, colorants.at(colour));
        const Bytes tag = findTag(icc, curves.at(colour));
        if (colorant.size() < xyzBytes || !says(colorant, 0, "XYZ "))
            return std::nullopt;
        const auto curve = says(tag, 0, "para")   ? parametricCurve(tag, levels)
                           : says(tag, 0, "curv") ? sampledCurve(tag, levels)
                                                  : std::nullopt;
        if (!curve)
            return std::nullopt;
        for (std::size_t level = 0; level < levels; ++level) {
            profile.m_linear.at(colour).at(level) = static_cast<float>((*curve)[level]);
            difference = std::max(
                difference, std::abs((*curve)[level] - srgbLight(static_cast<double>(level) / (levels - 1))));
        }
        for (std::size_t to = 0; to < primaries; ++to) {
            double sum = 0.0;
            for (std::size_t axis = 0; axis < primaries; ++axis)
                sum += fromXyz.at(to).at(axis) * fixed(colorant, 8 + 4 * axis);
            profile.m_toSrgb.at(to).at(colour) = static_cast<float>(sum);
            difference = std::max(difference, std::abs(sum - (to == colour ? 1.0 : 0.0)));
        }
    }
    return std::isfinite(difference) && difference > same ? std::optional(profile) : std::nullopt;
}

void ColourProfile::toSrgb(std::span<std::uint8_t> rgb) const {
    constexpr std::size_t steps = 4096;
    static const std::array<std::uint8_t, steps> codes = [] {
        std::array<std::uint8_t, steps> table{};
        for (std::size_t i = 0; i < steps; ++i) {
            const double light = static_cast<double>(i) / (steps - 1);
            const double code = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
            table.at(i) = static_cast<std::uint8_t>(std::lround(255 * code));
        }
        return table;
    }();
    for (std::size_t pixel = 0; pixel + primaries <= rgb.size(); pixel += primaries) {
        std::array<float, primaries> light{};
        for (std::size_t colour = 0; colour < primaries; ++colour)
            light.at(colour) = m_linear.at(colour)[rgb[pixel + colour]];
        for (std::size_t to = 0; to < primaries; ++to) {
            const auto& row = m_toSrgb.at(to);
            const float sum = row[0] * light[0] + row[1] * light[1] + row[2] * light[2];
            rgb[pixel + to] = codes[static_cast<std::size_t>(
                std::lround(std::clamp(sum, 0.0F, 1.0F) * static_cast<float>(steps - 1)))];
        }
    }
}

}  // namespace meshreel

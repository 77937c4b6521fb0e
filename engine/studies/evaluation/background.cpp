// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/background.h"

#include <algorithm>

#include "engine/studies/evaluation/scene_vocabulary.h"

namespace meshreel {
namespace {

constexpr std::int64_t cornersOfASide = 16;  // a corner is this part of the height

std::int64_t cornerSize(const ClipPixels& clip) {
    return std::max<std::int64_t>(2, clip.height() / cornersOfASide);
}

/// Of both corners that begin at row `firstRow`.
Colour cornerColour(const ClipPixels& clip, std::int64_t firstRow) {
    const std::int64_t size = cornerSize(clip);
    std::vector<Colour> pixels;
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame)
        for (std::int64_t y = firstRow; y < firstRow + size; ++y)
            for (std::int64_t x = 0; x < size; ++x) {
                pixels.push_back(clip.at(frame, y, x));
                pixels.push_back(clip.at(frame, y, clip.width() - 1 - x));
            }
    return medianColour(pixels);
}

Colour between(const Colour& a, const Colour& b, double share) {
    Colour mixed{};
    for (std::size_t c = 0; c < mixed.size(); ++c)
        mixed[c] = a[c] + (b[c] - a[c]) * share;
    return mixed;
}

}  // namespace

PlainBackground::PlainBackground(const ClipPixels& clip)
    : m_top(cornerColour(clip, 0)),
      m_foot(cornerColour(clip, clip.height() - cornerSize(clip))),
      m_height(static_cast<double>(clip.height())) {}

Colour PlainBackground::at(std::int64_t y) const {
    return between(m_top, m_foot, static_cast<double>(y) / m_height);
}

std::string_view PlainBackground::name() const {
    const Colour seen = between(m_top, m_foot, 0.5);
    return std::ranges::min_element(
               backgroundColours(), {},
               [&](const NamedColour& row) { return euclideanDistance(seen, row.value); })
        ->name;
}

}  // namespace meshreel

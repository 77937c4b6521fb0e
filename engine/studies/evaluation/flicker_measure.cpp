// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/flicker_measure.h"

#include <algorithm>

namespace meshreel {
namespace {

constexpr std::int64_t distanceToSubject = 3;  // pixels; the halo of an edge is no background

/// [height, width]: 1 where the subject never comes near.
std::vector<char> quietPixels(const ClipPixels& clip, const Subject& subject) {
    std::vector<char> quiet(static_cast<std::size_t>(clip.pixelsOfFrame()), 1);
    const auto mark = [&](std::int64_t y, std::int64_t x) {
        for (std::int64_t near = std::max<std::int64_t>(0, y - distanceToSubject);
             near <= std::min(clip.height() - 1, y + distanceToSubject); ++near) {
            const auto row = quiet.begin() + near * clip.width();
            std::fill(row + std::max<std::int64_t>(0, x - distanceToSubject),
                      row + std::min(clip.width(), x + distanceToSubject + 1), char{0});
        }
    };
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame)
        for (std::int64_t y = 0; y < clip.height(); ++y)
            for (std::int64_t x = 0; x < clip.width(); ++x)
                if (subject.covers(frame, y, x))
                    mark(y, x);
    return quiet;
}

double meanDifference(const Colour& a, const Colour& b) {
    double sum = 0.0;
    for (std::size_t c = 0; c < a.size(); ++c)
        sum += std::max(a[c], b[c]) - std::min(a[c], b[c]);
    return sum / static_cast<double>(a.size());
}

}  // namespace

double backgroundFlicker(const ClipPixels& clip, const Subject& subject) {
    const std::vector<char> quiet = quietPixels(clip, subject);
    double sum = 0.0;
    double pixels = 0.0;
    for (std::int64_t frame = 1; frame < clip.frames(); ++frame)
        for (std::int64_t y = 0; y < clip.height(); ++y)
            for (std::int64_t x = 0; x < clip.width(); ++x)
                if (quiet[static_cast<std::size_t>(y * clip.width() + x)] != 0) {
                    sum += meanDifference(clip.at(frame - 1, y, x), clip.at(frame, y, x));
                    pixels += 1.0;
                }
    return sum / std::max(pixels, 1.0);
}

}  // namespace meshreel

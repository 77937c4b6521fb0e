// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/colour_measure.h"

#include <algorithm>

#include "engine/studies/evaluation/scene_vocabulary.h"

namespace meshreel {
namespace {

constexpr double darkestShade = 0.6;
constexpr double lightestShade = 1.15;
constexpr std::size_t enoughPixels = 30;

bool isInside(const ClipPixels& clip, const Subject& subject, std::int64_t frame, std::int64_t y,
              std::int64_t x) {
    for (std::int64_t dy = -1; dy <= 1; ++dy)
        for (std::int64_t dx = -1; dx <= 1; ++dx)
            if (!clip.has(y + dy, x + dx) || !subject.covers(frame, y + dy, x + dx))
                return false;
    return true;
}

template <typename Wanted>
std::vector<Colour> pixelsWhere(const ClipPixels& clip, const Wanted& wanted) {
    std::vector<Colour> pixels;
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame)
        for (std::int64_t y = 0; y < clip.height(); ++y)
            for (std::int64_t x = 0; x < clip.width(); ++x)
                if (wanted(frame, y, x))
                    pixels.push_back(clip.at(frame, y, x));
    return pixels;
}

double shadedDistance(const Colour& seen, const Colour& named) {
    double dot = 0.0;
    double norm = 0.0;
    for (std::size_t c = 0; c < seen.size(); ++c) {
        dot += seen[c] * named[c];
        norm += named[c] * named[c];
    }
    const double shade = std::clamp(dot / norm, darkestShade, lightestShade);
    return euclideanDistance(seen, {named[0] * shade, named[1] * shade, named[2] * shade});
}

}  // namespace

std::string_view colourOf(const ClipPixels& clip, const Subject& subject) {
    std::vector<Colour> pixels = pixelsWhere(clip, [&](std::int64_t frame, std::int64_t y, std::int64_t x) {
        return isInside(clip, subject, frame, y, x);
    });
    if (pixels.size() < enoughPixels)
        pixels = pixelsWhere(clip, [&](std::int64_t frame, std::int64_t y, std::int64_t x) {
            return subject.covers(frame, y, x);
        });
    const Colour seen = medianColour(pixels);
    return std::ranges::min_element(objectColours(), {},
                                    [&](const NamedColour& row) { return shadedDistance(seen, row.value); })
        ->name;
}

}  // namespace meshreel

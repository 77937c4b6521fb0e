// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/edge_measure.h"

#include <algorithm>
#include <array>

namespace meshreel {
namespace {

constexpr std::int64_t reach = 3;             // pixels looked at on each side of an edge
constexpr double leastEdgeDifference = 22.0;  // levels across an edge
constexpr double throughThinParts = 0.8;  // less than this of its steepest step: the far side is background

struct Step {
    std::int64_t y;
    std::int64_t x;
};
constexpr std::array<Step, 2> axes{{{0, 1}, {1, 0}}};

/// The edge between (y, x) and the next pixel along `axis`; 0 when it is too near the border, too faint,
/// or of a part thinner than it.
double widthAt(const ClipPixels& clip, std::int64_t frame, std::int64_t y, std::int64_t x, const Step& axis) {
    const auto place = [&](std::int64_t i) { return Step{y + i * axis.y, x + i * axis.x}; };
    const Step first = place(1 - reach);
    const Step last = place(reach);
    if (!clip.has(first.y, first.x) || !clip.has(last.y, last.x))
        return 0.0;
    double steepest = 0.0;
    Colour before = clip.at(frame, first.y, first.x);
    for (std::int64_t i = 2 - reach; i <= reach; ++i) {
        const Step here = place(i);
        const Colour colour = clip.at(frame, here.y, here.x);
        steepest = std::max(steepest, largestDifference(before, colour));
        before = colour;
    }
    const double across = largestDifference(clip.at(frame, first.y, first.x), before);
    const bool thin = across < throughThinParts * steepest;
    return across < leastEdgeDifference || thin ? 0.0 : std::max(1.0, across / steepest);
}

}  // namespace

double edgeWidth(const ClipPixels& clip, const Subject& subject) {
    std::vector<double> widths;
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame)
        for (std::int64_t y = 0; y + 1 < clip.height(); ++y)
            for (std::int64_t x = 0; x + 1 < clip.width(); ++x)
                for (const Step& axis : axes) {
                    if (subject.covers(frame, y, x) == subject.covers(frame, y + axis.y, x + axis.x))
                        continue;
                    if (const double width = widthAt(clip, frame, y, x, axis); width > 0.0)
                        widths.push_back(width);
                }
    return upperMedianOf(std::move(widths));
}

}  // namespace meshreel

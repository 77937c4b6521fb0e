// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/motion_measure.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace meshreel {
namespace {

constexpr std::size_t endFrames = 2;  // whose mean is where a motion begins or ends
constexpr double growth = 1.8;        // of the area
constexpr double shrinkage = 0.55;
constexpr double leastTravel = 0.15;  // of the picture
constexpr double leastTurn = 0.05;    // of the picture's height, for a change of direction to count
// Of the contrast. Drawn clips that the embedded autoencoder has held: still ones at most 0.09, all but one
// of 24 that spin at least 0.11 (0.17 before).
constexpr double leastChangeOfLooks = 0.1;

SubjectPlace meanOf(std::span<const SubjectPlace> places) {
    SubjectPlace mean;
    const auto count = static_cast<double>(places.size());
    for (const SubjectPlace& place : places) {
        mean.area += place.area / count;
        mean.x += place.x / count;
        mean.y += place.y / count;
    }
    return mean;
}

/// Whether the height changes its direction, by more than leastTurn on both sides of the change.
bool turnsBack(std::span<const SubjectPlace> places) {
    double extreme = places.front().y;  // the farthest point of the present direction
    int direction = 0;
    for (const SubjectPlace& place : places) {
        const double way = place.y - extreme;
        if (direction == 0 && std::abs(way) > leastTurn)
            direction = way > 0 ? 1 : -1;
        if (direction != 0 && way * direction < -leastTurn)
            return true;
        if (direction != 0 && way * direction > 0)
            extreme = place.y;
    }
    return false;
}

/// Frame `first` against frame `frame`, both seen from the subject's centre: the mean difference of the
/// pixels that it covers in either.
double changeOfLooks(const ClipPixels& clip, const Subject& subject, std::int64_t first, std::int64_t frame) {
    const SubjectPlace& then = subject.places()[static_cast<std::size_t>(first)];
    const SubjectPlace& now = subject.places()[static_cast<std::size_t>(frame)];
    const auto right = std::llround((now.x - then.x) * static_cast<double>(clip.width()));
    const auto down = std::llround((now.y - then.y) * static_cast<double>(clip.height()));
    double sum = 0.0;
    double pixels = 0.0;
    for (std::int64_t y = 0; y < clip.height(); ++y)
        for (std::int64_t x = 0; x < clip.width(); ++x) {
            if (!clip.has(y + down, x + right))
                continue;
            if (!subject.covers(first, y, x) && !subject.covers(frame, y + down, x + right))
                continue;
            sum += largestDifference(clip.at(first, y, x), clip.at(frame, y + down, x + right));
            pixels += 1.0;
        }
    return sum / std::max(pixels, 1.0) / std::max(subject.contrast(), 1.0);
}

/// From the second frame on: an autoencoder holds the first one alone, and it looks sharper.
double meanChangeOfLooks(const ClipPixels& clip, const Subject& subject) {
    const std::int64_t first = clip.frames() > 2 ? 1 : 0;
    double sum = 0.0;
    for (std::int64_t frame = first + 1; frame < clip.frames(); ++frame)
        sum += changeOfLooks(clip, subject, first, frame);
    return sum / static_cast<double>(clip.frames() - 1 - first);
}

}  // namespace

std::string_view motionOf(const ClipPixels& clip, const Subject& subject) {
    const std::span<const SubjectPlace> places = subject.places();
    const SubjectPlace begin = meanOf(places.first(endFrames));
    const SubjectPlace end = meanOf(places.last(endFrames));
    const double ratio = end.area / std::max(begin.area, 1.0);
    if (ratio > growth)
        return "growing";
    if (ratio < shrinkage)
        return "shrinking";
    if (turnsBack(places))
        return "bouncing";
    const double right = end.x - begin.x;
    const double down = end.y - begin.y;
    if (std::max(std::abs(right), std::abs(down)) > leastTravel) {
        if (std::abs(right) > std::abs(down))
            return right > 0 ? "right" : "left";
        return down > 0 ? "down" : "up";
    }
    return meanChangeOfLooks(clip, subject) > leastChangeOfLooks ? "spinning" : "still";
}

}  // namespace meshreel

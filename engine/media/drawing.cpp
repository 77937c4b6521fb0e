// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/drawing.h"

#include <array>
#include <cmath>

namespace meshreel {
namespace {

constexpr std::array easingRows{EasingRow{Easing::Linear, "linear"}, EasingRow{Easing::In, "in"},
                                EasingRow{Easing::Out, "out"}, EasingRow{Easing::InOut, "in-out"},
                                EasingRow{Easing::Hold, "hold"}};

constexpr bool easingsAreInOrder() {
    for (std::size_t row = 0; row < easingRows.size(); ++row)
        if (static_cast<std::size_t>(easingRows[row].easing) != row)
            return false;
    return true;
}
static_assert(easingsAreInOrder());

}  // namespace

std::span<const EasingRow> easings() {
    return easingRows;
}

double eased(Easing easing, double part) {
    constexpr double half = 0.5;
    const double rest = 1 - part;
    switch (easing) {
        case Easing::Linear:
            break;
        case Easing::In:
            return part * part;
        case Easing::Out:
            return 1 - rest * rest;
        case Easing::InOut:
            return part < half ? 2 * part * part : 1 - 2 * rest * rest;
        case Easing::Hold:
            return part < 1 ? 0 : 1;
    }
    return part;
}

DrawnBounds boundsOf(std::span<const DrawnPoint> points) {
    DrawnBounds bounds{points.front().x, points.front().y, points.front().x, points.front().y};
    for (const DrawnPoint& point : points) {
        bounds.left = std::min(bounds.left, point.x);
        bounds.top = std::min(bounds.top, point.y);
        bounds.right = std::max(bounds.right, point.x);
        bounds.bottom = std::max(bounds.bottom, point.y);
    }
    return bounds;
}

double distanceToWay(DrawnPoint from, DrawnPoint to, DrawnPoint place) {
    const double x = to.x - from.x;
    const double y = to.y - from.y;
    const double length = x * x + y * y;
    const double along =
        length > 0 ? std::clamp(((place.x - from.x) * x + (place.y - from.y) * y) / length, 0.0, 1.0) : 0.0;
    const double across = place.x - from.x - along * x;
    const double down = place.y - from.y - along * y;
    return std::sqrt(across * across + down * down);
}

std::int64_t frameOnCanvas(std::int64_t frame, const DrawingCanvas& from, const DrawingCanvas& to) {
    return std::llround(static_cast<double>(frame) / from.fps * to.fps);
}

}  // namespace meshreel

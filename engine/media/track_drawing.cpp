// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/track_drawing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace meshreel {
namespace {

DrawnPoint placeOf(const TrackNode& node) {
    return {node.x, node.y};
}

/// The point as far behind `middle` as `from` is before it.
DrawnPoint mirrored(DrawnPoint from, DrawnPoint middle) {
    return {2 * middle.x - from.x, 2 * middle.y - from.y};
}

/// One coordinate between `b` and `c`, whose neighbours are `a` and `d`.
double onSpline(double a, double b, double c, double d, double part) {
    constexpr double half = 0.5;
    const double square = part * part;
    return half * (2 * b + (c - a) * part + (2 * a - 5 * b + 4 * c - d) * square +
                   (3 * b - a - 3 * c + d) * square * part);
}

/// The frame itself where a time misses it for its last bits: a point that jumps there has jumped.
double snapped(double time) {
    constexpr double sameFrame = 1e-6;
    const double frame = std::round(time);
    return std::abs(time - frame) < sameFrame ? frame : time;
}

/// Which points are kept: the two ends of a stretch, and the farthest between them as long as it is too far.
/// `distance(first, last, at)` is how far a point is from where it would be without it.
template <typename Distance>
std::vector<std::size_t> keptPoints(std::size_t count, double tolerance, const Distance& distance) {
    std::vector<std::size_t> kept{0};
    if (count > 1)
        kept.push_back(count - 1);
    std::vector<std::pair<std::size_t, std::size_t>> stretches{{0, count - 1}};
    while (!stretches.empty()) {
        const auto [first, last] = stretches.back();
        stretches.pop_back();
        std::size_t farthest = first;
        double most = tolerance;
        for (std::size_t at = first + 1; at < last; ++at)
            if (const double far = distance(first, last, at); far > most) {
                most = far;
                farthest = at;
            }
        if (farthest == first)
            continue;
        kept.push_back(farthest);
        stretches.emplace_back(first, farthest);
        stretches.emplace_back(farthest, last);
    }
    std::ranges::sort(kept);
    return kept;
}

}  // namespace

DrawnPoint placeAt(const DrawnTrack& track, double frame) {
    const BetweenKeys between = betweenKeys(track.nodes, frame);
    const DrawnPoint from = placeOf(track.nodes[between.before]);
    const DrawnPoint to = placeOf(track.nodes[between.behind]);
    if (!track.smooth || between.before == between.behind)
        return {from.x + (to.x - from.x) * between.part, from.y + (to.y - from.y) * between.part};
    const DrawnPoint before =
        between.before > 0 ? placeOf(track.nodes[between.before - 1]) : mirrored(to, from);
    const DrawnPoint behind = between.behind + 1 < track.nodes.size()
                                  ? placeOf(track.nodes[between.behind + 1])
                                  : mirrored(from, to);
    return {onSpline(before.x, from.x, to.x, behind.x, between.part),
            onSpline(before.y, from.y, to.y, behind.y, between.part)};
}

std::vector<DrawnPoint> sampledPlaces(const DrawnTrack& track, const SpreadTimes& times) {
    const auto end = static_cast<double>(track.nodes.back().frame);
    std::vector<DrawnPoint> places;
    for (std::size_t place = 0; place < times.count; ++place) {
        const double time = snapped(times.at(place));
        if (track.leaves && time > end)
            break;
        places.push_back(placeAt(track, time));
    }
    return places;
}

DrawnTrack trackAlong(std::span<const DrawnPoint> corners, const DrawingCanvas& canvas, bool smooth) {
    std::vector<double> lengths{0};
    for (std::size_t corner = 1; corner < corners.size(); ++corner)
        lengths.push_back(lengths.back() + std::hypot(corners[corner].x - corners[corner - 1].x,
                                                      corners[corner].y - corners[corner - 1].y));
    DrawnTrack track{.smooth = smooth, .leaves = false, .nodes = {}};
    for (std::size_t corner = 0; corner < corners.size(); ++corner) {
        const double part = lengths.back() > 0 ? lengths[corner] / lengths.back() : 0.0;
        putKey(track.nodes, TrackNode{.frame = std::llround(part * static_cast<double>(canvas.frames - 1)),
                                      .x = corners[corner].x,
                                      .y = corners[corner].y,
                                      .easing = Easing::Linear});
    }
    return track;
}

DrawnTrack trackThrough(std::span<const DrawnPoint> places, const SpreadTimes& times, double tolerance) {
    const auto awayFrom = [&places](std::size_t first, std::size_t last, std::size_t at) {
        const double part = static_cast<double>(at - first) / static_cast<double>(last - first);
        return std::hypot(places[first].x + (places[last].x - places[first].x) * part - places[at].x,
                          places[first].y + (places[last].y - places[first].y) * part - places[at].y);
    };
    DrawnTrack track{.smooth = false, .leaves = places.size() < times.count, .nodes = {}};
    for (const std::size_t at : keptPoints(places.size(), tolerance, awayFrom))
        putKey(track.nodes, TrackNode{.frame = std::llround(times.at(at)),
                                      .x = places[at].x,
                                      .y = places[at].y,
                                      .easing = Easing::Linear});
    return track;
}

std::vector<DrawnPoint> thinnedWay(std::span<const DrawnPoint> way, double tolerance) {
    std::vector<DrawnPoint> thinned;
    for (const std::size_t at :
         keptPoints(way.size(), tolerance, [&way](std::size_t first, std::size_t last, std::size_t between) {
             return distanceToWay(way[first], way[last], way[between]);
         }))
        thinned.push_back(way[at]);
    return thinned;
}

TrackDrawing fittedTo(TrackDrawing drawing, const DrawingCanvas& canvas) {
    const DrawingCanvas from = std::exchange(drawing.canvas, canvas);
    const double across = static_cast<double>(canvas.width) / static_cast<double>(from.width);
    const double down = static_cast<double>(canvas.height) / static_cast<double>(from.height);
    for (DrawnTrack& track : drawing.tracks) {
        std::vector<TrackNode> nodes;
        for (TrackNode node : track.nodes) {
            node.frame = frameOnCanvas(node.frame, from, canvas);
            node.x *= across;
            node.y *= down;
            putKey(nodes, node);
        }
        track.nodes = std::move(nodes);
    }
    return drawing;
}

}  // namespace meshreel

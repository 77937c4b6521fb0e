// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/media/drawing.h"

namespace meshreel {

/// Tracks of a file, at most: a grid of 64 x 64 points.
inline constexpr std::size_t mostTracks = 4096;

/// A place that a track passes at a frame.
struct TrackNode {
    std::int64_t frame = 0;
    double x = 0;
    double y = 0;
    Easing easing = Easing::Linear;  ///< of the way to the next one

    friend bool operator==(const TrackNode&, const TrackNode&) = default;
};

/// The way of a point of the first frame.
struct DrawnTrack {
    bool smooth = false;  ///< a curve through the nodes, not lines between them
    bool leaves = false;  ///< out of sight behind the last node; otherwise the point stays there
    std::vector<TrackNode> nodes = {};  ///< its keyframes: see betweenKeys()

    friend bool operator==(const DrawnTrack&, const DrawnTrack&) = default;
};

struct TrackDrawing {
    DrawingCanvas canvas = {};
    std::vector<DrawnTrack> tracks = {};

    friend bool operator==(const TrackDrawing&, const TrackDrawing&) = default;
};

/// Returns where a track is at a frame: before its first node at it, behind the last one there. A curve is
/// the uniform Catmull–Rom spline (E. Catmull, R. Rom: A class of local interpolating splines, 1974),
/// continued at both ends by the mirrored neighbour, so that two nodes give a line.
DrawnPoint placeAt(const DrawnTrack& track, double frame);

/// Times in frames of a clip, spread evenly from the first to the last. They may lie between frames.
struct SpreadTimes {
    double first = 0;
    double last = 0;
    std::size_t count = 0;

    [[nodiscard]] double at(std::size_t place) const {
        return count > 1
                   ? first + (last - first) * static_cast<double>(place) / static_cast<double>(count - 1)
                   : first;
    }
};

/// Returns the track's places at these times. Fewer where it leaves the picture, and none where it has left
/// before the first.
std::vector<DrawnPoint> sampledPlaces(const DrawnTrack& track, const SpreadTimes& times);

/// Returns a track that is drawn by hand: nodes at the corners of a way, at frames such that a point goes
/// along it at one speed from the first frame to the last. Corners that fall on one frame give one node.
DrawnTrack trackAlong(std::span<const DrawnPoint> corners, const DrawingCanvas& canvas, bool smooth);

/// Returns the track of which places at these times are known, as lines with as few nodes as keep every place
/// within `tolerance` pixels, besides rounding to whole frames. Fewer places than times leave the picture.
DrawnTrack trackThrough(std::span<const DrawnPoint> places, const SpreadTimes& times, double tolerance);

/// Returns those points of a way that keep every other within `tolerance` of the line between its neighbours
/// (Douglas and Peucker, 1973): the first, the last, and what is between them.
std::vector<DrawnPoint> thinnedWay(std::span<const DrawnPoint> way, double tolerance);

/// Returns the drawing for another clip: scaled to its pixels, nodes at their times.
TrackDrawing fittedTo(TrackDrawing drawing, const DrawingCanvas& canvas);

}  // namespace meshreel

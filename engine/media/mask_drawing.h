// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/media/drawing.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Shapes of a mask, at most.
inline constexpr std::size_t mostShapes = 1'000;
/// How large a pose makes a shape at most, times its own size; at least it is 1 / largestScale.
inline constexpr double largestScale = 10'000;

enum class MaskShapeKind : std::uint8_t {
    Box,      ///< two opposite corners
    Ellipse,  ///< two opposite corners of the box around it
    Polygon,  ///< three corners or more; what an odd number of its edges lies around is inside
    Stroke,   ///< the way of a round brush, one point or more
};

struct MaskShapeRow {
    MaskShapeKind kind;
    std::string_view name;  ///< as files spell it
    std::size_t fewest;     ///< points that it is made of
    std::size_t most;       ///< 0: as many as there are
};

/// Returns the rows in the order of MaskShapeKind.
std::span<const MaskShapeRow> maskShapes();
const MaskShapeRow& rowOf(MaskShapeKind kind);

/// Where a shape is at a frame, and how large.
struct MaskPose {
    std::int64_t frame = 0;
    double x = 0;  ///< pixels that its centre is moved by
    double y = 0;
    double width = 1;  ///< times its own width, about its centre; above 0
    double height = 1;
    double strength = 1;             ///< what its inside is: 1 is white
    Easing easing = Easing::Linear;  ///< of the way to the next one

    friend bool operator==(const MaskPose&, const MaskPose&) = default;
};

struct MaskShape {
    MaskShapeKind kind = MaskShapeKind::Box;
    std::vector<DrawnPoint> points = {};  ///< as its kind says
    double radius = 0;                    ///< of a stroke's brush, in pixels
    double softness = 0;  ///< pixels that its edge takes from white to black, half of them inside
    bool cuts = false;    ///< takes away from the shapes below it
    std::vector<MaskPose> poses = {};  ///< its keyframes: see betweenKeys()

    friend bool operator==(const MaskShape&, const MaskShape&) = default;
};

/// Shapes that are white on black, each over those before it.
struct MaskDrawing {
    DrawingCanvas canvas = {};
    bool inverted = false;  ///< black on white
    std::vector<MaskShape> shapes = {};

    /// Returns whether a shape is elsewhere, or another, at some frame: otherwise all frames are the same.
    [[nodiscard]] bool moves() const;

    friend bool operator==(const MaskDrawing&, const MaskDrawing&) = default;
};

/// Returns where a shape is at a frame; before its first keyframe as at it, behind the last one likewise. The
/// easing is that of the keyframe before.
MaskPose poseAt(const MaskShape& shape, double frame);

/// Returns the shape's points as a pose puts them.
std::vector<DrawnPoint> placedPoints(const MaskShape& shape, const MaskPose& pose);
/// Returns the brush of a stroke: by the mean of both scales, so that it stays round.
double placedRadius(const MaskShape& shape, const MaskPose& pose);

/// Returns the pose at `pose.frame` in which the shape's points fill `bounds`; where it has no width or no
/// height of its own, that scale stays. Scales stay within largestScale.
MaskPose poseWithin(const MaskShape& shape, MaskPose pose, const DrawnBounds& bounds);

/// Returns the scale, or the nearest that a pose may have.
double withinScales(double scale);

/// Returns whether a place is in a shape at a pose, or no more than `reach` pixels beside it.
bool touches(const MaskShape& shape, const MaskPose& pose, DrawnPoint place, double reach);

/// Returns a frame of the mask, u8 [height, width]: 255 is white. A pixel has what of it is covered: at a
/// distance d from the outline, inside below 0, it is 1/2 - d / max(softness, 1), from 0 to 1. Throws
/// Error{Input} for shapes of so many large strokes that a frame would take minutes.
Tensor renderMask(const MaskDrawing& drawing, std::int64_t frame);

/// Throws Error{Input} at `where` for a drawing of which renderMask() may refuse some frame. Looks at how
/// large keyframes make the shapes, and not at each frame: between keyframes a shape is never larger.
void requireRenderable(const MaskDrawing& drawing, const std::string& where);

/// Returns the drawing for another clip: scaled to its pixels, keyframes at their times.
MaskDrawing fittedTo(MaskDrawing drawing, const DrawingCanvas& canvas);

}  // namespace meshreel

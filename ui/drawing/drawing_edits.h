// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "engine/media/drawing.h"
#include "engine/media/drawing_file.h"
#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"

namespace meshreel {

/// What is drawn: a mask, whose items are shapes, or tracks.
using Drawing = std::variant<MaskDrawing, TrackDrawing>;

/// Where a change of an item holds.
enum class EditScope : std::uint8_t {
    Frame,  ///< at the frame that is shown: it gets a keyframe
    Clip,   ///< at all of its keyframes
};

DrawingKind kindOfDrawing(const Drawing& drawing);
const DrawingCanvas& canvasOf(const Drawing& drawing);
int itemCount(const Drawing& drawing);

/// Returns the drawing for another clip.
Drawing fittedTo(Drawing drawing, const DrawingCanvas& canvas);

/// Returns the frames of an item's keyframes, in their order.
std::vector<std::int64_t> keyframesOf(const Drawing& drawing, int item);

/// Returns the easing of the keyframe at a frame; nothing where there is none.
std::optional<Easing> easingAt(const Drawing& drawing, int item, std::int64_t frame);

void setEasing(Drawing& drawing, int item, std::int64_t frame, Easing easing);
/// Keeps where the item is at that frame.
void addKeyframe(Drawing& drawing, int item, std::int64_t frame);
/// The last keyframe of an item stays.
void removeKeyframe(Drawing& drawing, int item, std::int64_t frame);
void moveKeyframe(Drawing& drawing, int item, std::int64_t from, std::int64_t to);

void moveItem(Drawing& drawing, int item, std::int64_t frame, DrawnPoint by, EditScope scope);
void removeItem(Drawing& drawing, int item);
/// Puts a copy above it, a little beside.
void duplicateItem(Drawing& drawing, int item);
void swapItems(Drawing& drawing, int one, int other);

/// Moves and scales a shape so that its points fill `bounds` at a frame.
void fillBounds(MaskShape& shape, std::int64_t frame, const DrawnBounds& bounds, EditScope scope);
void setStrength(MaskShape& shape, std::int64_t frame, double strength, EditScope scope);

/// Puts a track's point at a place.
void setPlace(DrawnTrack& track, std::int64_t frame, DrawnPoint place, EditScope scope);

/// Returns the hundredth of a pixel that is nearest: files stay short.
double roundedPixel(double value);
DrawnPoint roundedPoint(DrawnPoint point);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

#include "engine/measure/evaluation/scene_clip.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Nearest of objectColours() to what the subject looks like away from its edge, when shading may have
/// darkened or lightened it.
std::string_view colourOf(const ClipPixels& clip, const Subject& subject);

/// How wide the subject's edge is, in pixels: the difference across it over its steepest step from one pixel
/// to the next; the median of all edges crossed along rows and columns. A drawn clip has 1 to 2, 0 means
/// that no edge was found.
double edgeWidth(const ClipPixels& clip, const Subject& subject);

/// Mean difference of the background from one frame to the next, in levels of 255, over the pixels that the
/// subject stays away from in all frames. 0 when there are none, and in a drawn clip.
double backgroundFlicker(const ClipPixels& clip, const Subject& subject);

/// What the subject does, one of directionNames() and otherMotionNames(): its area grows or shrinks, its
/// centre turns back in height (bouncing) or moves on (a direction), or it stays in its place, changing its
/// looks (spinning) or not (still).
std::string_view motionOf(const ClipPixels& clip, const Subject& subject);

/// The subject's shape, one of shapeNames(), from the angular moments of its mask about its centre,
/// |sum r^2 e^(ik angle)| / sum r^2: they do not change when it turns, moves or grows. A triangle has k = 3,
/// a square k = 4, a star k = 5, a ball none, and the nearest of these four is taken; a ring is hollow.
/// Frames vote by the area they show.
std::string_view shapeOf(const ClipPixels& clip, const Subject& subject);

/// What a clip of one shape on a plain background shows. Of the subject only when there is one.
struct ClipFindings {
    std::string_view background;                ///< of backgroundColours()
    bool present = false;                       ///< there is a subject
    std::string_view colour;                    ///< of objectColours()
    std::string_view shape;                     ///< of shapeNames()
    std::string_view motion;                    ///< of directionNames() and otherMotionNames()
    double edgeWidth = 0.0;                     ///< pixels
    double flicker = 0.0;                       ///< levels of 255
    std::optional<double> firstFrameKept = {};  ///< dB; of a video made of a picture
};

/// All but firstFrameKept. `frames` u8 [time, height, width, 3]; as ClipPixels.
ClipFindings findingsOf(const Tensor& frames);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// What a clip of one shape on a plain background shows; colour, shape, motion and edges only if there is a
/// subject.
struct ClipFindings {
    std::string_view background;                ///< one of backgroundColours()
    bool present = false;                       ///< there is a subject
    std::string_view colour;                    ///< one of objectColours()
    std::string_view shape;                     ///< one of shapeNames()
    std::string_view motion;                    ///< one of directionNames() and otherMotionNames()
    double edgeWidth = 0.0;                     ///< pixels
    double flicker = 0.0;                       ///< levels of 255
    std::optional<double> firstFrameKept = {};  ///< dB; of a video made of a picture
    /// The largest difference of frames where clips were joined, in medians of all neighbouring frames; of a
    /// video of several clips.
    std::optional<double> seam = {};
};

/// Measures everything but firstFrameKept. `frames` u8 [time, height, width, 3], as for ClipPixels.
ClipFindings measureClip(const Tensor& frames);

}  // namespace meshreel

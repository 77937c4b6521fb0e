// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "engine/tensor/tensor.h"

namespace meshreel::testing {

/// A clip whose truth is known; names as in scene_clip.h. Lengths in heights of the picture.
struct DrawnScene {
    std::string_view shape = "ball";
    std::string_view colour = "red";
    std::string_view background = "black";
    std::string_view motion = "right";
    double radius = 0.18;
    double tilt = 0.0;    ///< radians
    double phase = 0.25;  ///< where bouncing begins, and how far off the middle a subject goes
    double bend = 0.0;    ///< how far the outline is from what was asked for, in radii; `phase` says where
    std::int64_t width = 64;
    std::int64_t height = 64;
    std::int64_t frames = 17;
};

/// u8 [time, height, width, 3]: shaded and anti-aliased, on a background a little lighter at the top.
Tensor drawClip(const DrawnScene& scene);

/// Every frame averaged over squares of 2 * reach + 1 pixels.
Tensor blurred(const Tensor& clip, std::int64_t reach);

}  // namespace meshreel::testing

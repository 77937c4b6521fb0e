// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel::testing {

/// What a clip of one shape on a plain background shows, as the embedded model's card measures it.
struct ClipContent {
    std::string background;  ///< nearest of the trained backgrounds
    std::string colour;      ///< nearest of the trained colours, shading allowed; empty without an object
    double shareOfPicture = 0.0;  ///< mean area of the object
    double right = 0.0;  ///< centroid displacement, last two frames less first two, in picture widths
    double down = 0.0;   ///< the same in picture heights
};

/// `clip` u8 [time, height, width, 3].
ClipContent describeClip(const Tensor& clip);

}  // namespace meshreel::testing

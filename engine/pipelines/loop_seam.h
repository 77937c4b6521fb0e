// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// How a clip that is played in a loop goes from its last frame to its first: mean absolute differences of
/// frames, in levels of 255.
struct LoopSeam {
    double seam = 0;        ///< from the last frame to the first
    double neighbours = 0;  ///< median of all neighbouring frames
};

/// frames u8 [T, H, W, 3], T at least 2.
LoopSeam measureLoopSeam(const Tensor& frames);

/// How a clip goes on from the one before: mean absolute differences of frames, in levels of 255.
struct ClipSeam {
    double joint = 0;       ///< from the last frame of the clip before to the first new one
    double neighbours = 0;  ///< median of all neighbouring frames of the new clip
};

/// `before` u8 [H, W, 3] is the last frame of the clip before, frames u8 [T, H, W, 3] are the new clip, whose
/// first `shared` ones, fewer than T, are frames of the clip before.
ClipSeam measureClipSeam(const Tensor& before, const Tensor& frames, std::int64_t shared);

}  // namespace meshreel

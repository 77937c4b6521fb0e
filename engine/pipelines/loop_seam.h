// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

}  // namespace meshreel

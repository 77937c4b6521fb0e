// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// What two frames, one after the other, are to each other.
enum class FramePair : std::uint8_t {
    Moving,  ///< something moves from one to the other: frames between them can be made
    Equal,   ///< nearly the same: the first one stands for all between
    Cut,     ///< of two scenes: the first one is shown until the second begins
};

/// Compares two frames u8 [height, width, 3] of one size by the structural similarity of both at 32×32
/// pixels: above 0.996 they are nearly equal, below 0.2 a cut is between them. Source: inference_video.py of
/// Practical-RIFE.
FramePair compareFramePair(const Tensor& first, const Tensor& second);

}  // namespace meshreel

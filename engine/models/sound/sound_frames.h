// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Hidden states that an S2V model was trained to hear, a second.
inline constexpr double heardStatesPerSecond = 30;

/// Returns the states of one layer, f32 [count, width], `rate` of them a second, at heardStatesPerSecond:
/// interpolated linearly from the first to the last (linear_interpolation of Wan-Video/Wan2.2,
/// wan/modules/s2v/audio_encoder.py).
Tensor heardStates(const Tensor& states, double rate);

/// Returns which of `count` heard states goes with each of so many frames, of `fps` a second: the nearest one
/// (halves to the even one), before the sound's beginning the first, behind its end none: -1. The sound
/// begins at frame `lead` (get_sample_indices).
std::vector<std::int64_t> statesOfFrames(std::int64_t count, double fps, std::int64_t frames,
                                         std::int64_t lead = 0);

/// Puts what is heard in each frame of a layer's heardStates(), by statesOfFrames(), into `sound`, f32 [1,
/// layers, width, frames]; silence is zeros.
void putHeard(const Tensor& heard, std::span<const std::int64_t> places, std::int64_t layer, Tensor& sound);

}  // namespace meshreel

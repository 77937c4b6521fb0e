// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/sound/sound_config.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Returns where the tokens of each of motionPackings are, for latents [batch, channels, frames, rows,
/// columns]: before the video's first frame, which is at `firstFrame`, the coarse ones at places spread over
/// the whole picture. Rows and columns that fill no patch are left out (rope_precompute of
/// wan/modules/s2v/s2v_utils.py).
std::array<TokenPlaces, motionPackings.size()> motionPlaces(const Shape& latents,
                                                            std::int64_t firstFrame = 0);

/// Returns the tokens of all packings of latents of such rows and columns.
std::int64_t motionTokens(std::int64_t rows, std::int64_t columns);

/// Returns f32 [batch, channels, motionLatentFrames, rows, columns] of motion f32 [batch, channels, frames,
/// rows, columns]: its last frames, behind frames of zeros where there are fewer.
Tensor wholeMotion(const Tensor& motion);

/// Returns f32 [batch, tokens.size(), channels · patch]: what of wholeMotion() is under these tokens of a
/// packing, counted from its first.
Tensor cutMotion(const Execution& execution, const Tensor& motion, const MotionPacking& packing,
                 ShardRange tokens);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Told after each chunk of an encode or decode: chunks done, chunks in all (over batch and tiles). On a mesh
/// a chunk counts when all devices are done with it, and samples that groups share count once.
using VaeProgress = std::function<void(int done, int total)>;

/// Told what a chunk of the first sample has become, before the chunk counts as done: f32 [1, C, T, H, W], as
/// it will be in the result, of which it begins at frame `first`.
using VaeChunkResult = std::function<void(std::int64_t first, const Tensor& result)>;

/// What a device tells while the mesh works on a video; each may be empty.
struct VaeEvents {
    VaeProgress progress = {};
    VaeChunkResult chunk = {};  ///< where the result is joined
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sampling/step_caches.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Classifier-free guidance: uncond + scale * (cond - uncond), element-wise in f32. Both tensors are f32 and
/// of one shape.
Tensor guide(const Tensor& cond, const Tensor& uncond, double scale);

/// The negative half that FasterCache makes up: cond + the difference of the halves when both were last
/// known, its spatial frequencies weighed. All f32 [videos, C, F, H, W]; low are the frequencies below a
/// quarter of the range along both axes.
Tensor madeUpUncond(const Tensor& cond, const Tensor& lastCond, const Tensor& lastUncond,
                    const CfgCacheWeights& weights);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sampling/caches/cache_schedule.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The negative half that FasterCache makes up: cond + the difference of the halves when both were last
/// known, its spatial frequencies weighed. All f32 [videos, C, F, H, W]; low are the frequencies below a
/// quarter of the range along both axes.
Tensor madeUpUncond(const Tensor& cond, const Tensor& lastCond, const Tensor& lastUncond,
                    const CfgCacheWeights& weights);

}  // namespace meshreel

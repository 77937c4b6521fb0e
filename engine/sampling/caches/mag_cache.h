// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/sampling/caches/cache_schedule.h"

namespace meshreel {

/// When MagCache leaves the blocks out (MaxDiffusion's rules).
struct MagCacheSettings {
    std::vector<double> ratios;  ///< a curve: of each step the prompt's ratio, then the negative prompt's
    double threshold = 0;        ///< the sum of |1 - product of ratios| of the steps left out stays below it
    int mostInARow = 2;
    double retention = 0.2;  ///< part of each expert's steps, at their beginning, that is computed in full
};

/// A curve [2 · steps] of one with another number of steps: of each half the nearest one, ties to even.
std::vector<double> resampledRatios(std::span<const double> ratios, int steps);

/// Left out are a step's blocks: what they added the last time is added again. Depends on nothing but the
/// curve, so that a plan knows it. `ratios` has 2 · loop.steps or is resampled to that.
CacheSchedule magCacheSchedule(const CachedLoop& loop, const MagCacheSettings& settings);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/timing/step_work.h"

namespace meshreel {

/// A denoising loop as the schedules of step caches see it.
struct CachedLoop {
    int steps = 0;
    int experts = 1;
    int highSteps = 0;  ///< of the first of two experts; they come before the others
    bool tall = false;  ///< of a video of 720 rows or more

    /// The first step of the second of two experts; `steps` when it has none.
    [[nodiscard]] int boundary() const { return experts == 2 ? highSteps : steps; }
};

/// What each step computes at least: for a cache that looks at the latents first, what it comes down to when
/// nothing has changed much. All that is taken over comes from the steps of the same expert.
using CacheSchedule = std::vector<StepWork>;

/// The negative half is made up in four of five steps of the middle of the loop, as MaxDiffusion schedules
/// FasterCache's variant; of two experts in the second's steps only.
CacheSchedule cfgCacheSchedule(const CachedLoop& loop);

/// How far below and above its limit frequency the difference of the halves is weighed.
struct CfgCacheWeights {
    double low = 1;
    double high = 1;
};
CfgCacheWeights cfgCacheWeights(const CachedLoop& loop, int step);

/// Steps between the first 30 % and the last 10 % may take the whole prediction over.
CacheSchedule senCacheSchedule(const CachedLoop& loop);

/// The first step of each expert is computed in full, every other one may end behind the first block.
CacheSchedule firstBlockSchedule(const CachedLoop& loop);

}  // namespace meshreel

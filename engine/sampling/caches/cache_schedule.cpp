// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/caches/cache_schedule.h"

#include <algorithm>
#include <cstddef>

namespace meshreel {
namespace {

// MaxDiffusion's constants.
constexpr int cfgInterval = 5;
constexpr double cfgTallEnd = 0.9;
constexpr double cfgEmphasis = 1.2;
constexpr double senFirst = 0.3;
constexpr double senLast = 0.9;

int partOf(int steps, double part) {
    return static_cast<int>(static_cast<double>(steps) * part);
}

CacheSchedule everyStep(const CachedLoop& loop) {
    return CacheSchedule(static_cast<std::size_t>(loop.steps), StepWork::Everything);
}

/// The step behind the last one that the CFG cache may shorten.
int cfgEnd(const CachedLoop& loop) {
    if (loop.tall)
        return partOf(loop.steps, cfgTallEnd);
    return loop.steps - (loop.experts == 2 ? 1 : 2);
}

}  // namespace

CacheSchedule cfgCacheSchedule(const CachedLoop& loop) {
    CacheSchedule schedule = everyStep(loop);
    const int start = loop.steps / 3;
    const int firstOfExpert = loop.experts == 2 ? loop.boundary() : 0;
    for (int step = start; step < cfgEnd(loop); ++step)
        if (step > firstOfExpert && (step - start) % cfgInterval != 0)
            schedule[static_cast<std::size_t>(step)] = StepWork::PromptOnly;
    return schedule;
}

CfgCacheWeights cfgCacheWeights(const CachedLoop& loop, int step) {
    const int late = loop.experts == 2 ? loop.boundary() : loop.steps / 2;
    return step < late ? CfgCacheWeights{.low = cfgEmphasis, .high = 1}
                       : CfgCacheWeights{.low = 1, .high = cfgEmphasis};
}

CacheSchedule senCacheSchedule(const CachedLoop& loop) {
    CacheSchedule schedule = everyStep(loop);
    const int first = std::max(1, partOf(loop.steps, senFirst));
    for (int step = first; step < partOf(loop.steps, senLast); ++step)
        if (step != loop.boundary())
            schedule[static_cast<std::size_t>(step)] = StepWork::Nothing;
    return schedule;
}

CacheSchedule firstBlockSchedule(const CachedLoop& loop) {
    CacheSchedule schedule = everyStep(loop);
    for (int step = 1; step < loop.steps; ++step)
        if (step != loop.boundary())
            schedule[static_cast<std::size_t>(step)] = StepWork::FirstBlock;
    return schedule;
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/project/project.h"
#include "engine/sampling/easy_cache.h"
#include "engine/sampling/step_caches.h"
#include "engine/timing/step_record.h"

namespace meshreel {

/// Which steps of a run are shortened, and how.
struct StepCachePlan {
    StepCacheKind kind = StepCacheKind::None;
    CachedLoop loop = {};
    CacheSchedule schedule = {};  ///< for every step; empty without a cache
    double threshold = 0;         ///< SenCache's score, TeaCache's or EasyCache's sum, or the first block's
                                  ///< change
    EasyCacheSettings easy = {};
    int mostInARow = 0;              ///< SenCache: predictions taken over from one
    bool measuresMagRatios = false;  ///< computes every step and measures a curve for MagCache
    std::vector<double> curve = {};  ///< MagCache: what was given or published, before it fits the steps;
                                     ///< TeaCache: the polynomial
    Sentence warning = {};           ///< about the curve, or empty
    std::string curveSource = {};    ///< "published for ...", "mag_ratios_base", or a file

    [[nodiscard]] StepWork workOf(int step) const;
    /// Returns the steps that the schedule may shorten.
    [[nodiscard]] int shortenedAtMost() const;
    /// Returns whether the schedule only says which steps may be shortened.
    [[nodiscard]] bool decidesLater() const;
    /// Returns whether a device keeps what blocks add to its tokens.
    [[nodiscard]] bool keepsBlocks() const;
};

/// Plans a run without problems; `droppedSteps` were left out before the first one.
StepCachePlan planStepCache(const Project& project, const ModelFacts& model, const CachedLoop& loop,
                            int droppedSteps);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/project/project.h"
#include "engine/project/project_problem.h"
#include "engine/sampling/caches/step_cache_kind.h"

namespace meshreel {

/// The step caches that the project switches on.
std::vector<const StepCacheRow*> chosenStepCaches(const Project& project);

/// What is wrong whatever the model: several at once, no guidance, curves that are none.
std::vector<ProjectProblem> stepCacheProblems(const Project& project);

/// Of a cache that needs guidance, on a model; `twoExperts`: each of the two scales counts. Nothing where
/// stepCacheProblems() has told it already.
std::vector<ProjectProblem> guidanceProblems(const Project& project, const StepCacheRow& row,
                                             bool twoExperts);

/// Why numbers are no MagCache curve; empty for one.
Sentence faultOfMagRatios(std::span<const double> ratios);

}  // namespace meshreel

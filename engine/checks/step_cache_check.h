// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/project/project.h"
#include "engine/sampling/step_caches.h"

namespace meshreel {

/// The cache that the project asks for; none when it asks for several.
StepCacheKind chooseStepCache(const Project& project);

/// Returns what speaks against the project's cache on this model.
std::vector<Problem> stepCacheProblems(const Project& project, const ModelFacts& model);

}  // namespace meshreel

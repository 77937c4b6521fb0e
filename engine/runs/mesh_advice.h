// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/planning/run_plan.h"
#include "engine/project/project_problem.h"
#include "engine/runs/past_runs.h"

namespace meshreel {

/// A warning where one device is predicted to be clearly faster than the several of `plan`, which was made
/// from `asked` with `options` and predicted by `basis`; with the change of one key that takes one device,
/// where there is such a key. Nothing where one device cannot run it. Plans anew, and reads what that reads.
std::optional<ProjectProblem> slowMeshWarning(const Project& asked, const PlanOptions& options,
                                              const RunPlan& plan, const Prediction& prediction,
                                              const PredictionBasis& basis);

}  // namespace meshreel

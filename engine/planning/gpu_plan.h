// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"

namespace meshreel {

/// What keeps a project from a GPU that it names by number, each at the key to blame: a mesh of several
/// devices, and what the GPU's kernels do not compute yet. A GPU is never left out in silence: with `auto`,
/// these are the reasons why the CPU computes, and no problems.
std::vector<Problem> gpuProblems(const Project& project, const ModelFacts& model, std::optional<int> ranks);

/// Decides which GPU computes the plan's transformer and VAE: `gpu`, or with `auto` why none does. Asks the
/// drivers of this system unless `drivers` says what they answered. The plan has its project, model and
/// ranks. Throws as chooseGpu() does.
void planGpu(RunPlan& plan, const std::optional<std::vector<GpuDriver>>& drivers);

/// Keeps as many layers in the GPU's memory as it has room for, and the VAE on the CPU where it does not fit,
/// which the plan says. Throws Error{Resources} with numbers and what to do when there is no room for the
/// rest; a plan for `auto` goes back to the CPU instead and says so. `replan`
/// is as for fitIntoMemory().
void fitIntoGpu(RunPlan& plan, const std::function<void(RunPlan& plan)>& replan);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "engine/project/project.h"

namespace meshreel {

/// Returns the part of the noise levels' range from which on the first of two experts works; nothing for one.
std::optional<double> boundaryRatio(const RunTask& task);

/// Returns the plan's project with what the plan decided in place of the values that left it to the plan
/// (automaticValue()): 0.875 for a boundary_ratio of 0. A key stays as it is where nothing was to be decided,
/// as a threshold of a cache that is off.
Project appliedProject(const RunPlan& plan);

}  // namespace meshreel

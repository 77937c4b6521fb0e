// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

#include "engine/planning/run_plan.h"

namespace meshreel {

/// Plans a run again after its project, precision or layers in memory were changed.
using Replan = std::function<void(RunPlan& plan)>;

/// Makes the plan stay within `available` bytes and the project's memory_budget: both of two experts stay in
/// memory where that holds them, and where there is a budget that does not hold all layers of a transformer,
/// as many stay as it does. Throws Error{Resources} with the numbers otherwise; its problem "memory-short"
/// has the nearest settings as fixes, each of which was tried and fits.
void fitIntoMemory(RunPlan& plan, std::uint64_t available, const Replan& replan);

/// The same without looking for other settings: false where the plan does not fit, which then takes as little
/// as it can.
bool tryFitIntoMemory(RunPlan& plan, std::uint64_t available, const Replan& replan);

}  // namespace meshreel

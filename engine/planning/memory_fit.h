// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/sentence.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "engine/project/project.h"

namespace meshreel {

/// Stays within the system's memory and the project's memory_budget: both of two experts stay in memory where
/// that holds them, and where there is a budget that does not hold all layers of a transformer, as many stay
/// as it does. Throws Error{Resources} with the numbers otherwise; its problem "memory-short" has the nearest
/// settings as fixes, each of which was tried and fits.
Placed fitIntoMemory(const RunTask& task, const Placed& placed);

/// The same without looking for other settings: what does not fit takes as little as it can.
Placed keepWhatFits(const RunTask& task, const Placed& placed);

/// The keys whose values differ, as `after` has them.
KeyChanges changesBetween(const Project& before, const Project& after);

/// The same video in less memory than the project takes: other number types, layers that are read for each
/// use (where the project has no memory_budget, one of `available` bytes), and both; what changes the least
/// first. Whether it then fits is for a plan to say.
std::vector<Project> leanerProjects(const Project& project, std::uint64_t available);

/// Bytes of weights that a step reads from the disk at the most: those of streamed layers, and pages of the
/// checkpoint that are used in place, in every pass. 0 where memory has room to keep them in the system's
/// file cache beside what the step holds.
std::uint64_t diskBytesPerStep(const RunPlan& plan);

/// The stage of a run that needs the most, as people call it.
Sentence hungriestStage(const MemoryEstimate& memory);

}  // namespace meshreel

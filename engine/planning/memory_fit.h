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

/// Stays within the system's memory and the project's memory_budget: keeps both of two experts if they fit,
/// and with a budget too small for all layers of a transformer, as many as fit. Otherwise throws
/// Error{Resources} with the numbers; its problem "memory-short" has the nearest settings as fixes, each of
/// which was tried and fits.
Placed fitIntoMemory(const RunTask& task, const Placed& placed);

/// Places the task without searching for other settings: what does not fit takes as little as it can.
Placed keepWhatFits(const RunTask& task, const Placed& placed);

/// Returns the keys whose values differ, as `after` has them.
KeyChanges changesBetween(const Project& before, const Project& after);

/// Returns projects for the same video in less memory: other number types, layers that are read for each use
/// (with a memory_budget of `available` bytes if the project has none), and both; the smallest change first.
/// Only a plan can show whether one fits.
std::vector<Project> leanerProjects(const Project& project, std::uint64_t available);

/// Returns the bytes of weights that a step reads from the disk at the most: those of streamed layers, and
/// pages of the checkpoint that are used in place, in every pass. 0 where memory has room to keep them in the
/// system's file cache beside what the step holds.
std::uint64_t diskBytesPerStep(const RunPlan& plan);

/// Returns the stage of a run that needs the most, as people call it.
Sentence hungriestStage(const MemoryEstimate& memory);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/timing/run_record.h"

namespace meshreel {

/// Whether the steps of both runs compute the same of the same: videos of one size, model, conditions,
/// guidance and number.
bool haveSameTask(const RunRecord& a, const RunRecord& b);

/// Whether they do so in the same way, too, so that attention, mesh and block sizes alone make one faster.
bool haveSameWork(const RunRecord& a, const RunRecord& b);

/// The runs whose seconds per step can be held against each other: those with a step, but none with cold
/// steps only beside another of the same work that has others.
std::vector<const RunRecord*> timedRuns(std::span<const RunRecord> runs);

/// Of each run those settings of task and means that it does not have as the first has: "guidance_scale off,
/// weights_dtype bfloat16". Empty for the first, and where the work is the same.
std::vector<std::string> differingWork(std::span<const RunRecord* const> runs);

}  // namespace meshreel

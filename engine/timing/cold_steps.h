// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/timing/step_record.h"

namespace meshreel {

/// Of each step whether it met cold caches: the first, the first behind a switch to another expert, and the
/// first behind each continuation of the run. `resumedFrom`: the steps that those began with, counted from 0.
std::vector<bool> coldSteps(std::span<const StepRecord> steps, std::span<const int> resumedFrom = {});

/// Mean of the steps that are not cold; of all when all are, nothing without steps.
std::optional<double> warmStepSeconds(std::span<const StepRecord> steps,
                                      std::span<const int> resumedFrom = {});

}  // namespace meshreel

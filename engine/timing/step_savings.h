// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/timing/step_record.h"

namespace meshreel {

/// What a step cache spared a run.
struct StepSavings {
    std::vector<int> shortened;  ///< steps that were not computed in full, counted from 0
    double seconds = 0;          ///< against the mean full step of the same expert, the run's first left out
};

/// Without a full step to compare with, an expert's shortened steps count 0 seconds.
StepSavings savingsOf(std::span<const StepRecord> records);

/// "  Steps shortened: 18 of 40, about 123.4 s saved" with a newline; empty when none was.
std::string formatSavings(const StepSavings& savings, std::size_t steps);

}  // namespace meshreel

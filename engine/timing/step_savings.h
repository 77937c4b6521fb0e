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
    double seconds = 0;          ///< against the mean full step of the same expert, cold ones left out
};

/// Without a full step to compare with, an expert's shortened steps count 0 seconds. `resumedFrom` as of
/// coldSteps().
StepSavings savingsOf(std::span<const StepRecord> records, std::span<const int> resumedFrom = {});

/// "  Steps shortened: 18 of 40, about 123.4 s saved" with a newline; empty when none was.
std::string formatSavings(const StepSavings& savings, std::size_t steps);

}  // namespace meshreel

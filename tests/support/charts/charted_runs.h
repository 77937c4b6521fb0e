// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/runs/records/chart_kind.h"
#include "engine/runs/records/run_record.h"

namespace meshreel::testing {

/// Of the runs here.
inline constexpr int stepCount = 12;

std::vector<StepRecord> someSteps();

/// A finished run of two devices.
RunRecord someRun(int devices);

/// Runs that give a chart of this kind.
std::vector<RunRecord> runsOf(ChartKind kind);

}  // namespace meshreel::testing

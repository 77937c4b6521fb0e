// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// Seconds of every step, a line a run; steps that met cold caches are marked. Throws
/// Error{Project} when no run has a step.
ChartSheet runStepsSheet(const std::vector<RunRecord>& runs);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/runs/records/run_record.h"
#include "engine/timing/step_record.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// Returns a chart of how each device spent its steps, one after the other: a lane a device, filled by the
/// shares of computing, exchange and waiting; for a GPU, also of its idle time. Its numbers are those of
/// devices.csv.
ChartSheet deviceLaneSheet(const std::vector<StepDeviceTimes>& steps);

/// Returns whether laneSheet() has something to show of the run.
bool hasLanes(const RunRecord& run);

/// Returns the lanes of the first run. Runs that did not record them are drawn from their trace, a lane a
/// thread, filled by the shares of attention, of its exchange and waiting, and of the rest. Throws
/// Error{Project} when there is no trace of steps either.
ChartSheet laneSheet(const std::vector<RunRecord>& runs);

}  // namespace meshreel

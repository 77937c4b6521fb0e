// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// Speed against the number of devices: a line for each attention mode and size, relative to the slowest run
/// on the fewest devices of that size, beside the line of perfect scaling. Throws Error{Project} when no run
/// has a step.
ChartSheet scalingSheet(const std::vector<RunRecord>& runs);

}  // namespace meshreel

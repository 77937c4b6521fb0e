// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/timing/run_record.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// What each device did while the first run denoised: a lane a device, filled by the share of attention,
/// other computing and exchange. Throws Error{Project} when it left no trace of its steps.
ChartSheet laneSheet(const std::vector<RunRecord>& runs);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// What each phase of the runs held in memory at most, beside its plan. Throws Error{Project} when no
/// run recorded its memory.
ChartSheet memorySheet(const std::vector<RunRecord>& runs);

}  // namespace meshreel

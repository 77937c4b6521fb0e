// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// Returns the seconds of load, compile, conditioning, denoising and decoding, stacked in a bar a run with
/// their sum at its end. Throws Error{Project} when no run is finished.
ChartSheet stageSheet(const std::vector<RunRecord>& runs);
/// Returns the sheet without load and compile.
ChartSheet inferenceSheet(const std::vector<RunRecord>& runs);

/// Returns what each phase of the runs held in memory at most, beside its plan. Throws Error{Project} when no
/// run recorded its memory.
ChartSheet memorySheet(const std::vector<RunRecord>& runs);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/runs/records/chart_kind.h"
#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// Returns the chart of `kind` over runs. Throws Error{Project} when these runs do not give such a chart: no
/// runs, none that got as far as the chart shows, or several where it shows one.
ChartSheet runChart(ChartKind kind, const std::vector<RunRecord>& runs);

/// Returns the chart of stages without loading and compiling. Throws as runChart() does.
ChartSheet inferenceChart(const std::vector<RunRecord>& runs);

}  // namespace meshreel

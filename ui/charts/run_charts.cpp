// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/run_charts.h"

#include <array>

#include "engine/base/error.h"
#include "ui/charts/lane_chart.h"
#include "ui/charts/run_steps_chart.h"
#include "ui/charts/scaling_chart.h"
#include "ui/charts/stage_chart.h"

namespace meshreel {

ChartSheet runChart(ChartKind kind, const std::vector<RunRecord>& runs) {
    using SheetOf = ChartSheet (*)(const std::vector<RunRecord>& runs);
    static constexpr std::array<SheetOf, 4> sheets{runStepsSheet, stageSheet, scalingSheet, laneSheet};
    if (runs.empty())
        throw Error(ErrorKind::Project, "A chart of runs needs a run", {}, "Name one or more run folders");
    return sheets.at(static_cast<std::size_t>(kind))(runs);
}

}  // namespace meshreel

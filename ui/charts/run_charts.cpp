// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/run_charts.h"

#include <QChart>
#include <QLegend>
#include <QLegendMarker>
#include <QStringList>
#include <array>
#include <memory>
#include <string>

#include "engine/base/error.h"
#include "engine/runs/records/run_record.h"
#include "ui/charts/fitted_legend.h"
#include "ui/charts/lane_chart.h"
#include "ui/charts/memory_chart.h"
#include "ui/charts/run_steps_chart.h"
#include "ui/charts/scaling_chart.h"
#include "ui/charts/stage_chart.h"
#include "ui/charts/tile_chart.h"

namespace meshreel {

namespace {

/// The entries of the legend, which it shortens where they have no room, and the whole names of the runs,
/// which are cut down to where they differ.
QString legendHelp(const QLegend& legend, const std::vector<RunRecord>& runs) {
    QStringList lines;
    const QList<QLegendMarker*> entries = legend.markers();
    for (const QLegendMarker* entry : entries)
        lines += wholeLabel(*entry);
    for (const RunRecord& run : runs)
        lines += QString::fromStdString(run.name);
    lines.removeDuplicates();
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

ChartSheet runChart(ChartKind kind, const std::vector<RunRecord>& runs) {
    using SheetOf = ChartSheet (*)(const std::vector<RunRecord>& runs);
    static constexpr std::array<SheetOf, 6> sheets{runStepsSheet, stageSheet, scalingSheet,
                                                   tileSheet,     laneSheet,  memorySheet};
    if (runs.empty())
        throw Error(ErrorKind::Project, sentence("A chart of runs needs a run"), {},
                    sentence("Name one or more run folders"));
    const auto index = static_cast<std::size_t>(kind);
    const ChartKindRow& row = chartKinds()[index];
    if (row.oneRun && runs.size() > 1)
        throw Error(ErrorKind::Project, sentence("A chart of {} shows one run", row.name), runs[1].name,
                    sentence("Name one run folder"));
    ChartSheet sheet = sheets.at(index)(runs);
    sheet.draw = [draw = sheets.at(index)(withShortNames(runs)).draw, runs] {
        std::unique_ptr<QChart> chart = draw();
        chart->legend()->setToolTip(legendHelp(*chart->legend(), runs));
        new FittedLegend(*chart);  // the chart's child
        return chart;
    };
    return sheet;
}

}  // namespace meshreel

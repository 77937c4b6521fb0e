// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_sheet.h"

#include "ui/charts/step_numbers.h"

namespace meshreel {

ChartSheet stepSheet(const std::vector<StepRecord>& records, StepMetric metric,
                     const std::vector<int>& resumedFrom) {
    DataTable numbers{
        .columns = {"step", "timestep", "sigma", "seconds", "min", "max", "mean", "expert", "work"},
        .rows = {}};
    for (const StepRecord& step : records)
        numbers.rows.push_back({std::int64_t{step.step + firstShownStep}, step.timestep, step.sigma,
                                step.seconds, step.latentMin, step.latentMax, step.latentMean,
                                std::int64_t{step.expert}, std::string(nameOf(step.work))});
    const auto draw = [records, metric, resumedFrom]() -> std::unique_ptr<QChart> {
        auto chart = std::make_unique<StepChart>();
        chart->setRecords(records, 0, resumedFrom);
        chart->setMetric(metric);
        return chart;
    };
    return {.draw = draw, .numbers = std::move(numbers)};
}

}  // namespace meshreel

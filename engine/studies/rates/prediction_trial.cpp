// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/prediction_trial.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/planning/prediction/rate_fit.h"
#include "engine/studies/rates/forward_work.h"
#include "engine/studies/rates/scratch_run.h"
#include "engine/studies/sweep_cell.h"

namespace meshreel {
namespace {

double median(std::vector<double> values) {
    return quantile(std::move(values), 1.0 / 2);
}

PredictionTrial tryRuns(const SweepCell& cell, int repeats, const MachineRates& rates,
                        const StopToken& stop) {
    std::vector<double> steps;
    std::vector<double> totals;
    RunWork work;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const ScratchRun run = runInScratch(cell.project, stop);
        work = run.work;
        steps.push_back(run.stepSeconds);
        totals.push_back(run.total());
    }
    const Prediction prediction = predictRun(work, rates);
    return {.cell = cell.name(),
            .step = {prediction.step, median(std::move(steps))},
            .total = {prediction.total, median(std::move(totals))}};
}

/// One unguided step of a run whose transformer is the cell's.
RunWork passOf(const ResolvedCell& cell) {
    RunWork work{
        .steps = 1, .devices = cell.mesh.layout.devices(), .workersPerDevice = cell.mesh.workersPerDevice};
    work[RunStage::Denoising] = forwardWork(cell.workload, cell.mesh, cell.attention);
    return work;
}

PredictionTrial tryPasses(const SweepFile& sweep, const SweepCell& cell, const MachineRates& rates,
                          const StopToken& stop) {
    const ResolvedCell resolved = resolveCell(sweep, cell);
    const std::vector<double> seconds = timeCell(sweep, resolved, stop);
    return {.cell = cell.name(),
            .step = {predictRun(passOf(resolved), rates).step, median(seconds)},
            .total = {}};
}

PredictionTrial tryCell(const SweepFile& sweep, const SweepCell& cell, const MachineRates& rates,
                        const StopToken& stop) {
    try {
        if (cell.batch != 1)
            throw Error(ErrorKind::Project, "a run makes one video", "batch", "Leave the batch out");
        return sweep.architecture.empty() ? tryRuns(cell, sweep.repeats, rates, stop)
                                          : tryPasses(sweep, cell, rates, stop);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Project && error.kind() != ErrorKind::Resources)
            throw;
        return {.cell = cell.name(), .step = {}, .total = {}, .refusal = error.what()};
    }
}

void addCells(std::vector<DataCell>& row, const PredictedAndMeasured& trial) {
    constexpr double percent = 100;
    if (trial.measured == 0) {
        row.insert(row.end(), 6, DataCell());
        return;
    }
    row.insert(row.end(), {trial.predicted.seconds, trial.predicted.low, trial.predicted.high, trial.measured,
                           percent * trial.error(), std::string(trial.covered() ? "yes" : "no")});
}

}  // namespace

std::vector<PredictionTrial> tryPredictions(const SweepFile& sweep, const MachineRates& rates,
                                            const StopToken& stop, const OnPredictionTrial& onTrial) {
    const std::vector<SweepCell> cells = sweepCells(sweep);
    std::vector<PredictionTrial> trials;
    for (const SweepCell& cell : cells) {
        throwIfStopped(stop);
        trials.push_back(tryCell(sweep, cell, rates, stop));
        if (onTrial)
            onTrial(trials.back(), trials.size(), cells.size());
    }
    return trials;
}

DataTable predictionTable(std::span<const PredictionTrial> trials) {
    DataTable table{.columns = {"cell", "step_s", "low_s", "high_s", "measured_step_s", "step_error_percent",
                                "step_covered", "total_s", "total_low_s", "total_high_s", "measured_total_s",
                                "total_error_percent", "total_covered", "detail"},
                    .rows = {}};
    for (const PredictionTrial& trial : trials) {
        std::vector<DataCell> row{trial.cell};
        addCells(row, trial.step);
        addCells(row, trial.total);
        row.emplace_back(trial.refusal);
        table.rows.push_back(std::move(row));
    }
    return table;
}

PredictionQuality qualityOf(std::span<const PredictedAndMeasured> trials) {
    std::vector<double> errors;
    std::size_t covered = 0;
    for (const PredictedAndMeasured& trial : trials) {
        if (trial.measured == 0)
            continue;
        errors.push_back(std::abs(trial.error()));
        covered += trial.covered() ? 1 : 0;
    }
    if (errors.empty())
        return {};
    const auto count = static_cast<double>(errors.size());
    return {.count = errors.size(),
            .medianError = median(errors),
            .worstError = std::ranges::max(errors),
            .covered = static_cast<double>(covered) / count};
}

}  // namespace meshreel

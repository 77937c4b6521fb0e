// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/prediction_trial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/units.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/run_work.h"
#include "engine/measure/scratch_run.h"
#include "engine/measure/sweep.h"
#include "engine/measure/timed_forward.h"

namespace meshreel {
namespace {

/// One unguided step of a run whose transformer is the cell's.
RunWork measuredPass(const ResolvedCell& cell) {
    RunWork work{
        .steps = 1, .devices = cell.mesh.layout.devices(), .workersPerDevice = cell.mesh.workersPerDevice};
    work[RunStage::Denoising] = forwardWork(cell.workload, cell.mesh, cell.attentions);
    return work;
}

void addCells(std::vector<DataCell>& row, const PredictedAndMeasured& byRates,
              const PredictedAndMeasured& byPastRuns) {
    if (byRates.measured == 0) {
        row.insert(row.end(), 7, DataCell());
        return;
    }
    const PredictedSeconds& predicted = byRates.predicted;
    row.insert(row.end(),
               {predicted.seconds, predicted.low, predicted.high, byRates.measured, percent * byRates.error(),
                std::string(byRates.covered() ? "yes" : "no"), percent * byPastRuns.error()});
}

}  // namespace

/// One cell, run again and again.
class CellSamples {
  public:
    explicit CellSamples(const SweepCell& cell) : m_cell(cell) {}

    /// Once more, unless it was refused.
    void repeat(const SweepFile& sweep, const StopToken& stop) {
        if (!m_refusal.empty())
            return;
        try {
            if (m_cell.batch != 1)
                throw Error(ErrorKind::Project, sentence("a run makes one video"), "batch",
                            sentence("Leave the batch out"));
            if (sweep.architecture.empty())
                run(stop);
            else
                pass(sweep, stop);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Project && error.kind() != ErrorKind::Resources)
                throw;
            m_refusal = error.what();
        }
    }

    [[nodiscard]] std::string name() const { return m_cell.name(); }
    [[nodiscard]] const std::string& refusal() const { return m_refusal; }

    [[nodiscard]] const RunWork& work() const { return m_work; }
    [[nodiscard]] bool hasRun() const { return !m_steps.empty(); }
    [[nodiscard]] bool sharesStrategy(const CellSamples& other) const {
        return m_cell.strategy == other.m_cell.strategy;
    }

    /// Returns its medians, as a past run to learn predictions from.
    [[nodiscard]] PastRun asPastRun() const {
        PastRun run{.work = m_work, .seconds = {}};
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage)
            if (!m_stages.at(stage).empty())
                run.seconds.at(stage) = computeMedian(m_stages.at(stage));
        run.seconds[static_cast<std::size_t>(RunStage::Denoising)] = computeMedian(m_steps) * m_work.steps;
        return run;
    }

    [[nodiscard]] PredictedTimes compare(const MachineRates& rates, std::span<const PastRun> past) const {
        const Prediction prediction = predictRun(m_work, rates, past);
        PredictedTimes times{.step = {prediction.step, computeMedian(m_steps)}, .total = {}};
        if (!m_totals.empty())
            times.total = {prediction.total, computeMedian(m_totals)};
        return times;
    }

  private:
    void run(const StopToken& stop) {
        const ScratchRun run = runInScratch(m_cell.project, stop);
        m_work = run.work;
        m_steps.push_back(run.stepSeconds);
        m_totals.push_back(run.total());
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage)
            m_stages.at(stage).push_back(run.stages.at(stage));
    }

    void pass(const SweepFile& sweep, const StopToken& stop) {
        const ResolvedCell resolved = resolveCell(sweep, m_cell);
        m_work = measuredPass(resolved);
        m_steps.push_back(timeCell(resolved, stop));
    }

    const SweepCell& m_cell;
    RunWork m_work;
    std::vector<double> m_steps;
    std::vector<double> m_totals;
    std::array<std::vector<double>, runStages.size()> m_stages;
    std::string m_refusal;
};

PredictionMeasurement::PredictionMeasurement(const SweepFile& sweep)
    : m_sweep(sweep),
      m_cells(sweepCells(sweep)),
      m_trials(m_cells.begin(), m_cells.end()),
      m_order(m_cells.size()) {
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
}

PredictionMeasurement::~PredictionMeasurement() = default;

void PredictionMeasurement::round(const StopToken& stop, const OnPredictionSample& onSample) {
    std::ranges::shuffle(m_order, m_random);
    for (const std::size_t index : m_order) {
        throwIfStopped(stop);
        CellSamples& trial = m_trials[index];
        trial.repeat(m_sweep, stop);
        if (onSample)
            onSample(trial.name(), trial.refusal());
    }
}

std::vector<PredictionSample> PredictionMeasurement::results(const PredictionBasis& basis) const {
    std::vector<PredictionSample> results;
    for (const CellSamples& trial : m_trials) {
        PredictionSample& result = results.emplace_back();
        result.cell = trial.name();
        result.refusal = trial.refusal();
        if (!trial.hasRun())
            continue;
        const std::optional<MachineRates> rates = ratesFor(trial.work(), basis);
        if (!rates) {
            result.refusal = sentence("the rates of its GPU are not measured, or not all of them").text();
            continue;
        }
        result.byRates = trial.compare(*rates, {});
        result.byPastRuns = trial.compare(*rates, runsOfOtherStrategies(trial));
    }
    return results;
}

std::vector<PastRun> PredictionMeasurement::runsOfOtherStrategies(const CellSamples& trial) const {
    std::vector<PastRun> past;
    for (const CellSamples& other : m_trials)
        if (other.hasRun() && !other.sharesStrategy(trial))
            past.push_back(other.asPastRun());
    return past;
}

DataTable predictionTable(std::span<const PredictionSample> trials) {
    DataTable table{.columns = {"cell", "step_s", "low_s", "high_s", "measured_step_s", "step_error_percent",
                                "step_covered", "step_error_with_runs_percent", "total_s", "total_low_s",
                                "total_high_s", "measured_total_s", "total_error_percent", "total_covered",
                                "total_error_with_runs_percent", "detail"},
                    .rows = {}};
    for (const PredictionSample& trial : trials) {
        std::vector<DataCell> row{trial.cell};
        addCells(row, trial.byRates.step, trial.byPastRuns.step);
        addCells(row, trial.byRates.total, trial.byPastRuns.total);
        row.emplace_back(trial.refusal);
        table.rows.push_back(std::move(row));
    }
    return table;
}

PredictionQuality judgePredictions(std::span<const PredictedAndMeasured> trials) {
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
            .medianError = computeMedian(errors),
            .worstError = std::ranges::max(errors),
            .covered = static_cast<double>(covered) / count};
}

}  // namespace meshreel

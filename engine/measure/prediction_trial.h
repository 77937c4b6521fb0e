// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/estimates/prediction.h"
#include "engine/planning/forecast.h"
#include "engine/project/sweep_file.h"
#include "engine/runs/records/data_table.h"

namespace meshreel {

/// A prediction beside what came out.
struct PredictedAndMeasured {
    PredictedSeconds predicted;
    double measured = 0;

    /// predicted / measured − 1.
    [[nodiscard]] double error() const { return predicted.seconds / measured - 1; }
    [[nodiscard]] bool covered() const { return predicted.low <= measured && measured <= predicted.high; }
};

/// A run's times; the total is 0 where only passes were timed.
struct PredictedTimes {
    PredictedAndMeasured step;
    PredictedAndMeasured total;
};

/// One cell of a sweep whose times were predicted without it.
struct PredictionSample {
    std::string cell;
    PredictedTimes byRates = {};     ///< alone, as on a machine on which nothing ran yet
    PredictedTimes byPastRuns = {};  ///< also from the cells of the other strategies, as if those had run
                                     ///< before
    std::string refusal = {};        ///< not empty: the cell cannot run, and this says why
};

/// Receives each cell that ran once more, or was refused.
using OnPredictionSample = std::function<void(const std::string& cell, const std::string& refusal)>;

class CellSamples;

/// Compares what cells of a sweep take with what is predicted of them. Cells take turns, each round in
/// another order, so that a machine that is slower for some seconds is so for all alike. What this machine's
/// users ran is left out.
class PredictionMeasurement {
  public:
    /// Takes a sweep that outlives this.
    explicit PredictionMeasurement(const SweepFile& sweep);
    ~PredictionMeasurement();
    PredictionMeasurement(const PredictionMeasurement&) = delete;
    PredictionMeasurement& operator=(const PredictionMeasurement&) = delete;

    [[nodiscard]] std::size_t cells() const { return m_cells.size(); }

    /// Runs every cell whole in scratch folders, without caches; of a sweep with `arch`, forward passes of
    /// random weights. Cells have one video; others are refused. Throws Error{Cancelled}, and what the engine
    /// throws.
    void round(const StopToken& stop, const OnPredictionSample& onSample = {});

    /// Returns the medians of the rounds, for the steps after the first and for all seconds, beside the
    /// predictions by the rates of `basis`, whose past runs are left out. Refuses a cell on a GPU without
    /// rates.
    [[nodiscard]] std::vector<PredictionSample> results(const PredictionBasis& basis) const;

  private:
    [[nodiscard]] std::vector<PastRun> runsOfOtherStrategies(const CellSamples& trial) const;

    const SweepFile& m_sweep;
    std::vector<SweepCell> m_cells;
    std::vector<CellSamples> m_trials;  // one for each of m_cells
    std::vector<std::size_t> m_order;
    std::mt19937 m_random;
};

/// Returns a row a cell: predicted by rates, the range, measured, error in percent, whether the range covers
/// it, and the error with past runs.
DataTable predictionTable(std::span<const PredictionSample> trials);

struct PredictionQuality {
    std::size_t count = 0;
    double medianError = 0;  ///< median of the errors' absolute values
    double worstError = 0;
    double covered = 0;  ///< share of the cells
};

PredictionQuality judgePredictions(std::span<const PredictedAndMeasured> trials);

}  // namespace meshreel

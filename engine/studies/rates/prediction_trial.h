// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/planning/prediction/prediction.h"
#include "engine/project/sweep_file.h"
#include "engine/timing/data_table.h"

namespace meshreel {

/// A prediction beside what came out.
struct PredictedAndMeasured {
    PredictedSeconds predicted;
    double measured = 0;

    /// predicted / measured − 1.
    [[nodiscard]] double error() const { return predicted.seconds / measured - 1; }
    [[nodiscard]] bool covered() const { return predicted.low <= measured && measured <= predicted.high; }
};

/// One cell of a sweep whose time was predicted before it ran.
struct PredictionTrial {
    std::string cell;
    PredictedAndMeasured step;
    PredictedAndMeasured total;  ///< both 0 where only passes were timed
    std::string refusal = {};    ///< not empty: the cell cannot run, and this says why
};

using OnPredictionTrial =
    std::function<void(const PredictionTrial& trial, std::size_t done, std::size_t total)>;

/// Runs every cell whole in scratch folders, without caches, as often as the sweep repeats, and compares the
/// medians of its steps behind the first and of all its seconds with the prediction. Of a sweep with `arch`,
/// forward passes of random weights run instead. Cells have one video; others are refused. Past runs are left
/// out: the rates alone predict. Throws Error{Cancelled}, and what the engine throws.
std::vector<PredictionTrial> tryPredictions(const SweepFile& sweep, const MachineRates& rates,
                                            const StopToken& stop, const OnPredictionTrial& onTrial = {});

/// A row a cell: predicted, its range, measured, error in percent, and whether the range covers it.
DataTable predictionTable(std::span<const PredictionTrial> trials);

struct PredictionQuality {
    std::size_t count = 0;
    double medianError = 0;  ///< of the errors' sizes
    double worstError = 0;
    double covered = 0;  ///< share of the cells
};

PredictionQuality qualityOf(std::span<const PredictedAndMeasured> trials);

}  // namespace meshreel

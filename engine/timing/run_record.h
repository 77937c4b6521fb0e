// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/timing/cold_steps.h"
#include "engine/timing/data_table.h"
#include "engine/timing/device_time.h"
#include "engine/timing/run_settings.h"
#include "engine/timing/step_record.h"
#include "engine/timing/tile_times.h"
#include "engine/timing/timing_summary.h"
#include "engine/timing/trace_reader.h"

namespace meshreel {

/// What a phase of a run held, in bytes.
struct PhaseMemoryRecord {
    std::string phase;  ///< "Denoise"
    std::uint64_t planned = 0;
    std::uint64_t held = 0;         ///< at most
    std::uint64_t mappedFiles = 0;  ///< pages of files beside it, at most
};

/// What a run tells of its time: what charts and comparisons read.
struct RunRecord {
    std::string name;       ///< of the folder
    std::string attention;  ///< the mode asked for
    std::int64_t width = 0, height = 0, frames = 0;
    int devices = 1;
    int workersPerDevice = 1;
    int ulysses = 1;  ///< devices that trade tokens for heads
    int ring = 1;     ///< such groups on the context axis
    std::int64_t blockQ = 0, blockKv = 0;
    std::vector<StepRecord> steps;
    std::optional<TimingSummary> timings;           ///< of a finished run
    std::vector<TracedSpan> trace;                  ///< empty when the run left none
    std::vector<StepDeviceTimes> deviceTimes = {};  ///< empty when the run did not record them
    std::vector<PhaseMemoryRecord> memory = {};     ///< of a finished run, in the order of its phases
    std::vector<TileTime> tiles = {};               ///< of a tile search, which has nothing else but `name`
    bool pasted = false;  ///< from elsewhere: nothing but `name` and either `timings` or `tiles` is known
    std::vector<int> resumedFrom = {};  ///< the steps that continuations began with, counted from 0
    RunSettings settings = {};

    [[nodiscard]] std::vector<bool> coldSteps() const { return meshreel::coldSteps(steps, resumedFrom); }
    [[nodiscard]] std::optional<double> warmStepSeconds() const {
        return meshreel::warmStepSeconds(steps, resumedFrom);
    }
};

/// A run for each timing summary in a text, named by its title, or by `name` ("name (2)" and so on) where it
/// has none. Throws Error{Input} where there is none, and as parseTimingSummaries(); both name `name`.
std::vector<RunRecord> pastedRuns(std::string_view text, const std::string& name);

/// A row a run: what it ran on, its stages, its seconds per step and its speed against the first run: of runs
/// of one size and task by those seconds, and beside a pasted run by the whole of denoising, or of inference
/// where one of the two lacks the rows of the trace.
DataTable comparisonTable(std::span<const RunRecord> runs);

}  // namespace meshreel

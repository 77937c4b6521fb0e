// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "engine/estimates/machine_rates.h"
#include "engine/estimates/run_work.h"

namespace meshreel {

/// Seconds; four of five measured ones are expected from `low` to `high`.
struct PredictedSeconds {
    double seconds = 0;
    double low = 0;
    double high = 0;

    PredictedSeconds& operator+=(const PredictedSeconds& other);
    friend PredictedSeconds operator+(PredictedSeconds a, const PredictedSeconds& b) { return a += b; }
};

/// A finished run on this machine, as far as predictions learn from it.
struct PastRun {
    RunWork work;
    std::array<std::optional<double>, runStages.size()> seconds;  ///< nothing when a cache spared the stage
    bool hasShortSteps = false;  ///< a step cache spared parts of steps, which `work` has in full
};

/// Returns what finished runs alone show about this machine's CPU, when it was not measured: enough for runs
/// like them, but not for others. Returns nothing when none of them ran on the CPU.
std::optional<MachineRates> ratesOfRuns(const MachineIdentity& machine, std::span<const PastRun> past);

struct Prediction {
    PredictedSeconds step;  ///< after the first
    PredictedSeconds firstStep;
    std::array<PredictedSeconds, runStages.size()> stages;
    PredictedSeconds total;
    std::size_t pastRuns = 0;  ///< that were alike enough to count
    bool byRunsAlone = false;  ///< the machine was not measured: ratesOfRuns()

    [[nodiscard]] const PredictedSeconds& of(RunStage stage) const {
        return stages[static_cast<std::size_t>(stage)];
    }
};

/// Predicts a run from the rates, corrected by how past runs on the same GPUs, or on none, came out: those
/// that are alike in size, in work and in arrangement count most. Work of GPUs needs ratesWithGpus().
/// Measures nothing and reads no file. Throws nothing.
Prediction predictRun(const RunWork& work, const MachineRates& rates, std::span<const PastRun> past = {});

/// "12.3 s (11.0 to 13.8)", "5:10 min (4:40 to 5:50)".
std::string toText(const PredictedSeconds& seconds);

/// Lines of the plan: seconds a step, of each stage and in all.
std::string describePrediction(const Prediction& prediction);

/// {"step": {"seconds", "low", "high"}, "first_step", "preparing", …, "total", "past_runs"}.
nlohmann::ordered_json predictionJson(const Prediction& prediction);

}  // namespace meshreel

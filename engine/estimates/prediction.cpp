// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/prediction.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include "engine/estimates/machine_rates.h"
#include "engine/estimates/work.h"

namespace meshreel {
namespace {

/// A stage of a run as the rates see it.
struct StageView {
    double seconds = 0;
    std::array<double, workClasses> shares = {};  // of the seconds, by class
    Arrangement arrangement;
};

StageView viewOf(const RunWork& work, RunStage stage, const MachineRates& rates) {
    StageView view{.seconds = rates.secondsOf(work[stage], work.arrangement()),
                   .arrangement = work.arrangement()};
    std::ranges::transform(work[stage].amounts, rates.secondsPerUnit, view.shares.begin(),
                           std::multiplies<>());
    const double sum = std::accumulate(view.shares.begin(), view.shares.end(), 0.0);
    for (double& share : view.shares)
        share = sum > 0 ? share / sum : 0;
    return view;
}

/// 1 for the same, near 0 for what has little in common. A size four times as large, a half of the time spent
/// on other things and another arrangement make the same difference.
double likeness(const StageView& a, const StageView& b) {
    const double size = std::abs(std::log(a.seconds / b.seconds)) / std::log(4.0);
    double other = 0;
    for (std::size_t kind = 0; kind < workClasses; ++kind)
        other += std::abs(a.shares.at(kind) - b.shares.at(kind));  // 2 when nothing is in common
    const double arranged = a.arrangement == b.arrangement ? 0 : 1;
    return std::exp(-2 * (size + other + arranged));
}

/// How far past runs of a stage came out from what the rates say, weighted by likeness.
struct Correction {
    double logFactor = 0;
    double spread = 0;  // that four of five further ones should stay under
    double weight = 0;  // of the past relative to the rates, 0 to 1
};

/// Past runs, weighted by their similarity.
struct WeightedRuns {
    double weights = 0;
    double squaredWeights = 0;
    double sum = 0;  // of their differences from the rates, in logarithms
    double squares = 0;

    void add(double difference, double weight) {
        weights += weight;
        squaredWeights += weight * weight;
        sum += weight * difference;
        squares += weight * difference * difference;
    }

    [[nodiscard]] double deviation() const {
        const double mean = sum / weights;
        return std::sqrt(std::max(0.0, squares / weights - mean * mean));
    }

    /// So many runs of equal weight would say as much (Kish).
    [[nodiscard]] double count() const { return weights * weights / squaredWeights; }
};

/// What four of five further runs stay under. The mean of a few is as far off as the machine's speed happened
/// to be.
double spreadOfRuns(const WeightedRuns& runs, const MachineRates& rates) {
    const double count = runs.count();
    const double covers = studentQuantile(std::max(1.0, count - 1)) * std::sqrt(1 + 1 / count);
    return std::max(leastSpread,
                    std::hypot(covers * runs.deviation(), rates.roundSpread / std::sqrt(runs.weights)));
}

Correction computeCorrection(const StageView& view, RunStage stage, const MachineRates& rates,
                             std::span<const PastRun> past) {
    constexpr double ratesWeight = 0.25;  // beside a run of the same settings, which has 1
    WeightedRuns runs;
    for (const PastRun& run : past) {
        const std::optional<double> measured = run.seconds[static_cast<std::size_t>(stage)];
        const StageView was = viewOf(run.work, stage, rates);
        if (!measured || *measured <= 0 || was.seconds <= 0)
            continue;
        runs.add(std::log(*measured / was.seconds), likeness(view, was));
    }
    if (runs.weights == 0)
        return {};
    const double all = runs.weights + ratesWeight;
    return {.logFactor = runs.sum / all, .spread = spreadOfRuns(runs, rates), .weight = runs.weights / all};
}

PredictedSeconds around(double seconds, double spread) {
    return {.seconds = seconds, .low = seconds * std::exp(-spread), .high = seconds * std::exp(spread)};
}

PredictedSeconds predictStage(const RunWork& work, RunStage stage, const MachineRates& rates,
                              std::span<const PastRun> past) {
    const StageView view = viewOf(work, stage, rates);
    if (view.seconds <= 0)
        return {};
    const Correction correction = computeCorrection(view, stage, rates, past);
    const double spread = std::lerp(rates.spread, correction.spread, correction.weight);
    return around(view.seconds * std::exp(correction.logFactor), spread);
}

std::size_t countAlike(const RunWork& work, const MachineRates& rates, std::span<const PastRun> past) {
    constexpr double alike = 0.25;
    const StageView view = viewOf(work, RunStage::Denoising, rates);
    return static_cast<std::size_t>(std::ranges::count_if(past, [&](const PastRun& run) {
        const StageView was = viewOf(run.work, RunStage::Denoising, rates);
        return run.seconds[static_cast<std::size_t>(RunStage::Denoising)] && was.seconds > 0 &&
               view.seconds > 0 && likeness(view, was) >= alike;
    }));
}

PredictedSeconds scaled(const PredictedSeconds& seconds, double factor) {
    return {.seconds = seconds.seconds * factor, .low = seconds.low * factor, .high = seconds.high * factor};
}

std::string secondsLine(std::string_view label, const PredictedSeconds& seconds) {
    constexpr int labelWidth = 16;
    return fmt::format("{:<{}}{}\n", label, labelWidth, toText(seconds));
}

nlohmann::ordered_json secondsJson(const PredictedSeconds& seconds) {
    return {{"seconds", seconds.seconds}, {"low", seconds.low}, {"high", seconds.high}};
}

struct TimeUnit {
    double seconds;
    std::string_view name;
};

/// "12.3" of seconds, "5:10" of the larger units.
std::string amountText(double seconds, const TimeUnit& unit) {
    constexpr std::int64_t parts = 60;
    if (unit.seconds < parts)
        return fmt::format("{:.3g}", seconds / unit.seconds);
    const auto whole = static_cast<std::int64_t>(std::llround(seconds * parts / unit.seconds));
    return fmt::format("{}:{:02}", whole / parts, whole % parts);
}

}  // namespace

PredictedSeconds& PredictedSeconds::operator+=(const PredictedSeconds& other) {
    seconds += other.seconds;
    low += other.low;
    high += other.high;
    return *this;
}

std::optional<MachineRates> ratesOfRuns(const MachineIdentity& machine, std::span<const PastRun> past) {
    std::vector<RateSample> samples;
    for (const PastRun& run : past) {
        if (!run.work.gpus.empty())
            continue;
        for (const RunStage stage : runStages) {
            const std::optional<double> seconds = run.seconds[static_cast<std::size_t>(stage)];
            const bool isShort = stage == RunStage::Denoising && run.hasShortSteps;
            if (seconds && *seconds > 0 && !isShort && run.work[stage] != Work())
                samples.push_back({.name = std::string(nameOf(stage)),
                                   .work = run.work[stage],
                                   .arrangement = run.work.arrangement(),
                                   .seconds = *seconds});
        }
    }
    return samples.empty() ? std::nullopt : std::optional(looseRates(machine, std::move(samples)));
}

Prediction predictRun(const RunWork& work, const MachineRates& rates, std::span<const PastRun> all) {
    std::vector<PastRun> past;  // other GPUs have other rates
    std::ranges::copy_if(all, std::back_inserter(past),
                         [&](const PastRun& run) { return run.work.gpus == work.gpus; });
    Prediction prediction;
    for (const RunStage stage : runStages)
        prediction.stages[static_cast<std::size_t>(stage)] = predictStage(work, stage, rates, past);
    PredictedSeconds& denoising = prediction.stages[static_cast<std::size_t>(RunStage::Denoising)];
    if (work.steps > 0) {
        prediction.step = scaled(denoising, 1.0 / work.steps);
        prediction.firstStep = scaled(prediction.step, rates.firstStep);
        denoising += scaled(prediction.step, rates.firstStep - 1);
    }
    denoising += around(rates.secondsOf(work.aroundSteps, work.arrangement()), rates.spread);
    prediction.total =
        std::accumulate(prediction.stages.begin(), prediction.stages.end(), PredictedSeconds{});
    prediction.pastRuns = countAlike(work, rates, past);
    return prediction;
}

std::string toText(const PredictedSeconds& seconds) {
    constexpr TimeUnit second{1, "s"};
    constexpr TimeUnit minute{60, "min"};
    constexpr TimeUnit hour{3600, "h"};
    constexpr double units = 2;  // from which on the larger one is used
    const TimeUnit& unit = seconds.seconds >= units * hour.seconds     ? hour
                           : seconds.seconds >= units * minute.seconds ? minute
                                                                       : second;
    return fmt::format("{} {} ({} to {})", amountText(seconds.seconds, unit), unit.name,
                       amountText(seconds.low, unit), amountText(seconds.high, unit));
}

namespace {

std::string runsText(std::size_t runs) {
    return runs == 1 ? "a run" : fmt::format("{} runs", runs);
}

}  // namespace

std::string describePrediction(const Prediction& prediction) {
    std::string text = secondsLine("Time:", prediction.total);
    text += secondsLine("  a step", prediction.step);
    for (const RunStage stage : runStages)
        text += secondsLine(fmt::format("  {}", nameOf(stage)), prediction.of(stage));
    return text +
           fmt::format("{:<16}{}\n", "",
                       prediction.byRunsAlone
                           ? fmt::format("by {} like this one; meshreel rates --measure makes it known "
                                         "for others",
                                         runsText(prediction.pastRuns))
                       : prediction.pastRuns == 0
                           ? std::string("by this machine's rates; no run like this one has been done")
                           : fmt::format("by this machine's rates and {} like this one",
                                         runsText(prediction.pastRuns)));
}

nlohmann::ordered_json predictionJson(const Prediction& prediction) {
    nlohmann::ordered_json json{{"step", secondsJson(prediction.step)},
                                {"first_step", secondsJson(prediction.firstStep)}};
    for (const RunStage stage : runStages)
        json[std::string(nameOf(stage))] = secondsJson(prediction.of(stage));
    json["total"] = secondsJson(prediction.total);
    json["past_runs"] = prediction.pastRuns;
    return json;
}

}  // namespace meshreel

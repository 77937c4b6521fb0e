// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/prediction_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

MachineRates someRates() {
    MachineRates rates{.machine = MachineIdentity::ofThis()};
    rates.secondsPerUnit.fill(1e-9);
    rates.spread = 0.5;
    return rates;
}

TEST(PredictionSample, RunsEveryCellAndComparesStepsAndTotals) {
    const SweepFile sweep = readSweep(
        "version: 1\n"
        "name: trial\n"
        "repeats: 1\n"
        "base: {width: 32, height: 32, num_frames: 5, num_inference_steps: 2, prompt: a red ball, workers: "
        "1}\n"
        "strategies:\n"
        "  - {name: plain, attention: flash}\n"
        "  - {name: hybrid, attention: ulysses_ring, devices: 2}\n",
        "trial.yaml");
    PredictionMeasurement rounds(sweep);
    std::vector<std::string> told;
    for (int round = 0; round < 2; ++round)
        rounds.round({}, [&](const std::string& cell, const std::string& refusal) {
            told.push_back(cell + (refusal.empty() ? "" : " refused"));
        });
    EXPECT_THAT(told, UnorderedElementsAre("plain, batch 1", "hybrid, batch 1 refused", "plain, batch 1",
                                           "hybrid, batch 1 refused"));
    const std::vector<PredictionSample> trials = rounds.results({.rates = someRates(), .past = {}});
    ASSERT_EQ(trials.size(), 2U);
    EXPECT_GT(trials[0].byRates.step.measured, 0);
    EXPECT_GT(trials[0].byRates.step.predicted.seconds, 0);
    EXPECT_GT(trials[0].byRates.total.measured, trials[0].byRates.step.measured);
    EXPECT_EQ(trials[0].byPastRuns.step.predicted.seconds, trials[0].byRates.step.predicted.seconds)
        << "no other strategy ran";
    EXPECT_THAT(trials[1].refusal, HasSubstr("ulysses_shards"));
    const DataTable table = predictionTable(trials);
    for (const auto& row : table.rows)
        EXPECT_EQ(row.size(), table.columns.size());
}

TEST(PredictionSample, RunsOfOtherStrategiesCorrectRatesThatAreWrong) {
    const SweepFile sweep = readSweep(
        "version: 1\n"
        "name: trial\n"
        "repeats: 1\n"
        "base: {width: 32, height: 32, num_frames: 5, num_inference_steps: 2, prompt: a red ball, workers: "
        "1, attention: flash}\n"
        "strategies:\n"
        "  - {name: plain}\n"
        "  - {name: taller, height: 48}\n",
        "trial.yaml");
    PredictionMeasurement rounds(sweep);
    rounds.round({});
    MachineRates slow = someRates();
    slow.secondsPerUnit.fill(1e-6);
    for (const PredictionSample& trial : rounds.results({.rates = slow, .past = {}})) {
        EXPECT_GT(trial.byRates.step.error(), 10) << trial.cell;
        EXPECT_LT(trial.byPastRuns.step.error(), trial.byRates.step.error() / 2) << trial.cell;
        EXPECT_EQ(trial.byPastRuns.step.measured, trial.byRates.step.measured) << trial.cell;
    }
}

TEST(PredictionSample, OfAnArchitectureOnlyPassesRun) {
    const SweepFile sweep = readSweep(
        "version: 1\n"
        "name: trial\n"
        "repeats: 1\n"
        "base: {width: 32, height: 32, num_frames: 5, devices: 2, workers: 1}\n"
        "strategies:\n"
        "  - {name: ring, attention: tokamax_ring}\n"
        "vary: {batch: [1, 2]}\n",
        "trial.yaml");
    SweepFile passes = sweep;
    passes.architecture = "wan2.1-t2v-1.3b";
    passes.layers = 1;
    PredictionMeasurement rounds(passes);
    rounds.round({});
    const std::vector<PredictionSample> trials = rounds.results({.rates = someRates(), .past = {}});
    ASSERT_EQ(trials.size(), 2U);
    EXPECT_GT(trials[0].byRates.step.measured, 0);
    EXPECT_EQ(trials[0].byRates.total.measured, 0);
    EXPECT_EQ(trials[0].refusal, "");
    EXPECT_NE(trials[1].refusal, "") << "a run makes one video";
}

TEST(PredictionQuality, CountsErrorsAndWhatTheRangeCovers) {
    const PredictedSeconds ten{.seconds = 10, .low = 9, .high = 12};
    const std::vector<PredictedAndMeasured> trials{{ten, 10}, {ten, 12}, {ten, 8}, {ten, 20}, {{}, 0}};
    EXPECT_DOUBLE_EQ(trials[2].error(), 0.25);
    const PredictionQuality quality = judgePredictions(trials);
    EXPECT_EQ(quality.count, 4U) << "one was not measured";
    EXPECT_DOUBLE_EQ(quality.covered, 0.5);
    EXPECT_DOUBLE_EQ(quality.worstError, 0.5);
    EXPECT_DOUBLE_EQ(quality.medianError, (1.0 / 6 + 1.0 / 4) / 2);
    EXPECT_EQ(judgePredictions({}).count, 0U);
}

}  // namespace
}  // namespace meshreel

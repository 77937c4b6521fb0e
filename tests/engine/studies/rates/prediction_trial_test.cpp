// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/prediction_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/studies/rates/rate_samples.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

MachineRates someRates() {
    MachineRates rates{.machine = MachineIdentity::ofThis()};
    rates.secondsPerUnit.fill(1e-9);
    rates.spread = 0.5;
    return rates;
}

TEST(PredictionTrial, RunsEveryCellAndComparesStepsAndTotals) {
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
    std::size_t told = 0;
    const std::vector<PredictionTrial> trials = tryPredictions(
        sweep, someRates(), {}, [&](const PredictionTrial&, std::size_t done, std::size_t total) {
            EXPECT_EQ(done, ++told);
            EXPECT_EQ(total, 2U);
        });
    ASSERT_EQ(trials.size(), 2U);
    EXPECT_GT(trials[0].step.measured, 0);
    EXPECT_GT(trials[0].step.predicted.seconds, 0);
    EXPECT_GT(trials[0].total.measured, trials[0].step.measured);
    EXPECT_THAT(trials[1].refusal, HasSubstr("ulysses_shards"));
    const DataTable table = predictionTable(trials);
    for (const auto& row : table.rows)
        EXPECT_EQ(row.size(), table.columns.size());
}

TEST(PredictionTrial, OfAnArchitectureOnlyPassesRun) {
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
    const std::vector<PredictionTrial> trials = tryPredictions(passes, someRates(), {});
    ASSERT_EQ(trials.size(), 2U);
    EXPECT_GT(trials[0].step.measured, 0);
    EXPECT_EQ(trials[0].total.measured, 0);
    EXPECT_THAT(trials[1].refusal, HasSubstr("one video"));
}

TEST(PredictionQuality, CountsErrorsAndWhatTheRangeCovers) {
    const PredictedSeconds ten{.seconds = 10, .low = 9, .high = 12};
    const std::vector<PredictedAndMeasured> trials{{ten, 10}, {ten, 12}, {ten, 8}, {ten, 20}, {{}, 0}};
    EXPECT_DOUBLE_EQ(trials[2].error(), 0.25);
    const PredictionQuality quality = qualityOf(trials);
    EXPECT_EQ(quality.count, 4U) << "one was not measured";
    EXPECT_DOUBLE_EQ(quality.covered, 0.5);
    EXPECT_DOUBLE_EQ(quality.worstError, 0.5);
    EXPECT_DOUBLE_EQ(quality.medianError, 0.25);
    EXPECT_EQ(qualityOf({}).count, 0U);
}

TEST(RateSamples, WarmUpThenTheMedianOfThree) {
    std::vector<std::string> told;
    RateSamples samples({}, [&](const RateSample& sample) { told.push_back(sample.name); });
    std::vector<double> seconds{0.5, 0.1, 0.3, 0.2, 9};
    std::size_t pass = 0;
    samples.time({.name = "quick"}, true, [&] { return seconds.at(pass++); });
    EXPECT_EQ(pass, 4U);
    EXPECT_DOUBLE_EQ(samples.samples().front().seconds, 0.2);
    ASSERT_EQ(samples.firstStepFactors().size(), 1U);
    EXPECT_DOUBLE_EQ(samples.firstStepFactors().front(), 2.5);
    pass = 0;
    samples.time({.name = "slow"}, false, [&] { return ++pass * 1.0; });
    EXPECT_EQ(pass, 2U) << "long passes are not repeated";
    EXPECT_EQ(samples.firstStepFactors().size(), 1U);
    EXPECT_THAT(told, ::testing::ElementsAre("quick", "slow"));
}

}  // namespace
}  // namespace meshreel

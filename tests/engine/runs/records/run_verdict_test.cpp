// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/runs/records/data_table.h"

namespace meshreel {
namespace {

RunRecord runOf(const std::string& attention, const std::vector<double>& warm) {
    RunRecord run;
    run.name = run.attention = attention;
    run.width = 64;
    run.height = 32;
    run.frames = 5;
    run.steps.push_back({.step = 0, .seconds = 99});
    for (const double seconds : warm)
        run.steps.push_back({.step = static_cast<int>(run.steps.size()), .seconds = seconds});
    return run;
}

TEST(RunVerdict, WarmStepsAreTheTimesOfARun) {
    const std::vector runs{runOf("ring", {2, 2.1, 2.2, 2.05}), runOf("ulysses", {1, 1.1, 1.05, 1.02})};
    EXPECT_DOUBLE_EQ(runs[0].warmStepSeconds().value(), 2.075) << "their median, without the cold one";
    const auto verdict = verdictAgainst(runs, runs[0], runs[1]);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->difference, Difference::Faster);
    EXPECT_LT(verdict->high, 0.56);
    EXPECT_FALSE(verdictAgainst(runs, runs[0], runs[0])) << "nothing is told of the reference itself";
}

TEST(RunVerdict, RepeatsAreCountedInRuns) {
    const std::vector runs{runOf("ring", {10, 11, 12, 13}), runOf("ulysses", {9.5, 10.5, 11.5, 12.5})};
    const auto verdict = verdictAgainst(runs, runs[0], runs[1]);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->difference, Difference::Noise);
    const int steps = judge(runs[0].stepTimes(), runs[1].stepTimes()).repeats;
    EXPECT_EQ(verdict->repeats, (steps + 3) / 4);
}

TEST(RunVerdict, ThreeRepeatsOfBothAreComparedAsRuns) {
    // Steps of one run are alike, and its runs are not: what one pair of them shows is the machine's state.
    std::vector runs{runOf("ring", {2, 2.001, 2.002}), runOf("ulysses", {1.9, 1.901, 1.902})};
    EXPECT_EQ(verdictAgainst(runs, runs[0], runs[1])->difference, Difference::Faster);
    runs.push_back(runOf("ring", {1.8, 1.801, 1.802}));
    runs.push_back(runOf("ring", {2.2, 2.201, 2.202}));
    runs.push_back(runOf("ulysses", {2.1, 2.101, 2.102}));
    runs.push_back(runOf("ulysses", {1.7, 1.701, 1.702}));
    const auto verdict = verdictAgainst(runs, runs[0], runs[1]);
    EXPECT_EQ(verdict->difference, Difference::Noise);
    EXPECT_TRUE(areRepeats(runs[0], runs[2]));
    EXPECT_FALSE(areRepeats(runs[0], runs[1]));
}

TEST(RunVerdict, StepsThatACacheShortenedAreNoRepetitions) {
    RunRecord cached = runOf("ring", {2, 0.1, 2, 0.1, 2, 0.1});
    for (const std::size_t step : {2, 4, 6})
        cached.steps[step].work = StepWork::Nothing;
    EXPECT_EQ(cached.stepTimes().size(), 1U);
    EXPECT_DOUBLE_EQ(cached.warmStepSeconds().value(), 1.05) << "what a step takes in the mean";
    const std::vector runs{runOf("ring", {2, 2, 2, 2, 2, 2}), cached};
    EXPECT_EQ(verdictAgainst(runs, runs[0], runs[1])->difference, Difference::TooFew);
}

TEST(RunVerdict, OtherTasksAndPastedTimesBesideRunsHaveNone) {
    RunRecord larger = runOf("ring", {4, 4, 4});
    larger.frames = 9;
    std::vector runs{runOf("ring", {2, 2, 2}), larger};
    EXPECT_FALSE(verdictAgainst(runs, runs[0], runs[1]));
    const std::vector<RunRecord> pasted = pastedRuns(
        formatTimingSummary({.inference = 100}, "a") + formatTimingSummary({.inference = 50}, "b"), "x");
    EXPECT_EQ(verdictAgainst(pasted, pasted[0], pasted[1])->difference, Difference::TooFew);
    runs[1] = pasted[0];
    EXPECT_FALSE(verdictAgainst(runs, runs[0], runs[1]));
}

TEST(RunVerdict, TheTableOfComparisonsTellsIt) {
    const std::vector runs{runOf("ring", {2, 2.1, 2.2, 2.3}), runOf("ulysses", {1, 1.1, 1.05, 1.02})};
    const DataTable table = comparisonTable(runs);
    const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
    };
    EXPECT_EQ(table.rows[0][column("verdict")], DataCell());
    EXPECT_TRUE(std::get<std::string>(table.rows[1][column("verdict")]).starts_with("Faster: "));
    EXPECT_DOUBLE_EQ(std::get<double>(table.rows[0][column("step_s")]), 2.15);
    EXPECT_NEAR(std::get<double>(table.rows[0][column("spread")]), 0.3 / 2.15, 1e-12);
}

}  // namespace
}  // namespace meshreel

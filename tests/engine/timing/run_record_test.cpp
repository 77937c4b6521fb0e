// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_record.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/error.h"
#include "engine/timing/run_scaling.h"

namespace meshreel {
namespace {

RunRecord runOf(const std::string& name, const std::string& attention, int devices, double cold,
                double warm) {
    return {
        .name = name,
        .attention = attention,
        .width = 64,
        .height = 32,
        .frames = 5,
        .devices = devices,
        .workersPerDevice = 1,
        .steps = {{.step = 0, .seconds = cold}, {.step = 1, .seconds = warm}, {.step = 2, .seconds = warm}},
        .timings = std::nullopt,
        .trace = {}};
}

TEST(RunRecord, TheFirstStepIsCold) {
    EXPECT_DOUBLE_EQ(runOf("a", "flash", 1, 9, 2).warmStepSeconds().value(), 2);
    RunRecord single = runOf("a", "flash", 1, 9, 2);
    single.steps.resize(1);
    EXPECT_DOUBLE_EQ(single.warmStepSeconds().value(), 9);
    single.steps.clear();
    EXPECT_FALSE(single.warmStepSeconds());
}

TEST(Comparison, SpeedIsRelativeToTheFirstRunOfTheSameSize) {
    RunRecord larger = runOf("c", "flash", 1, 9, 4);
    larger.frames = 9;
    const DataTable table =
        comparisonTable(std::vector{runOf("a", "flash", 1, 9, 2), runOf("b", "ring", 2, 9, 1), larger});
    ASSERT_EQ(table.columns.back(), "speed");
    EXPECT_EQ(table.rows[0].back(), DataCell(1.0));
    EXPECT_EQ(table.rows[1].back(), DataCell(2.0));
    EXPECT_EQ(table.rows[2].back(), DataCell());
    for (const auto& row : table.rows)
        EXPECT_EQ(row.size(), table.columns.size());
}

TEST(Comparison, APastedSummaryIsComparedByItsDenoising) {
    TimingSummary slow;
    slow.inference = 127;
    slow.hasTrace = true;
    slow.denoiseTotal = 122.6;
    TimingSummary fast = slow;
    fast.denoiseTotal = 61.3;
    const std::vector<RunRecord> runs =
        pastedRuns(formatTimingSummary(slow) + formatTimingSummary(fast), "ulysses");
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].name, "ulysses");
    const DataTable table = comparisonTable(runs);
    EXPECT_EQ(table.rows[1].back(), DataCell(2.0));
    EXPECT_EQ(table.rows[0][1], DataCell()) << "its attention is not known";
    for (const auto& row : table.rows)
        EXPECT_EQ(row.size(), table.columns.size());
    EXPECT_THROW(pastedRuns("nothing", "x"), Error);
}

TEST(Scaling, LinesByModeAgainstTheSlowestRunOnTheFewestDevices) {
    const std::vector<ScalingLine> lines =
        scalingLines(std::vector{runOf("d4", "ring", 4, 9, 1), runOf("d1", "flash", 1, 9, 3),
                                 runOf("d1fast", "dot_product", 1, 9, 2), runOf("d2", "ring", 2, 9, 1.5)});
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].attention, "ring");
    ASSERT_EQ(lines[0].points.size(), 2U);
    EXPECT_EQ(lines[0].points[0].run, "d2");
    EXPECT_DOUBLE_EQ(lines[0].points[0].speed, 2);
    EXPECT_DOUBLE_EQ(lines[0].points[0].efficiency, 1);
    EXPECT_DOUBLE_EQ(lines[0].points[1].speed, 3);
    EXPECT_DOUBLE_EQ(lines[0].points[1].efficiency, 0.75);
    EXPECT_DOUBLE_EQ(lines[2].points[0].speed, 1.5);
}

TEST(Scaling, RepeatsAreOnePointWithTheirDeviation) {
    RunRecord otherBlocks = runOf("blocks", "ring", 2, 9, 1);
    otherBlocks.blockQ = 512;
    const std::vector<ScalingLine> lines =
        scalingLines(std::vector{runOf("a", "ring", 1, 9, 4), runOf("b", "ring", 2, 9, 1),
                                 runOf("c", "ring", 2, 9, 3), runOf("d", "ring", 1, 9, 4), otherBlocks});
    ASSERT_EQ(lines.size(), 1U);
    ASSERT_EQ(lines[0].points.size(), 3U) << "runs of other block sizes are no repeats";
    const ScalingPoint& level = lines[0].points[0];
    EXPECT_EQ(level.repeats, 2);
    EXPECT_DOUBLE_EQ(level.stepDeviation, 0);
    EXPECT_DOUBLE_EQ(level.speed, 1);
    const ScalingPoint& spread = lines[0].points[1];
    EXPECT_EQ(spread.run, "b");
    EXPECT_EQ(spread.repeats, 2);
    EXPECT_DOUBLE_EQ(spread.stepSeconds, 2);
    EXPECT_DOUBLE_EQ(spread.stepDeviation, std::sqrt(2.0));
    EXPECT_DOUBLE_EQ(spread.speed, 2);
    EXPECT_NEAR(spread.speedDeviation, (4.0 - 4.0 / 3) / std::sqrt(2.0), 1e-12);
    EXPECT_DOUBLE_EQ(spread.efficiency, 1);
    EXPECT_DOUBLE_EQ(spread.efficiencyDeviation, spread.speedDeviation / 2);
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/error.h"
#include "engine/runs/records/run_analysis.h"
#include "engine/runs/records/run_record.h"

namespace meshreel {
namespace {

RunRecord runPrefix(const std::string& name, const std::string& attention, int devices, double cold,
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

TEST(RunRecord, TheFirstStepBehindAContinuationIsColdToo) {
    RunRecord run = runPrefix("a", "flash", 1, 9, 2);
    EXPECT_DOUBLE_EQ(run.warmStepSeconds().value(), 2);
    run.steps[1].seconds = 5;
    run.resumedFrom = {1};
    EXPECT_DOUBLE_EQ(run.warmStepSeconds().value(), 2);
}

TEST(RunRecord, ADamagedBlockIsNamedWithItsText) {
    std::string text = formatTimingSummary({.load = 1, .compile = 2, .inference = 3}, "2D Ring");
    text.erase(text.find("  Compile:"), text.find("  Inference:") - text.find("  Compile:"));
    try {
        static_cast<void>(pastedRuns(text, "review"));
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.where(), "review: TIMING SUMMARY (2D Ring)");
    }
}

TEST(Comparison, SpeedIsRelativeToTheFirstRunOfTheSameSize) {
    RunRecord larger = runPrefix("c", "flash", 1, 9, 4);
    larger.frames = 9;
    const DataTable table = comparisonTable(
        std::vector{runPrefix("a", "flash", 1, 9, 2), runPrefix("b", "ring", 2, 9, 1), larger});
    ASSERT_EQ(table.columns.back(), "speed");
    EXPECT_EQ(table.rows[0].back(), DataCell(1.0));
    EXPECT_EQ(table.rows[1].back(), DataCell(2.0));
    EXPECT_EQ(table.rows[2].back(), DataCell());
    for (const auto& row : table.rows)
        EXPECT_EQ(row.size(), table.columns.size());
}

TEST(Comparison, AFasterRunOfAnotherTaskHasNoSpeedButOneOfOtherMeansHas) {
    RunRecord unguided = runPrefix("b", "flash", 1, 9, 1);
    unguided.settings.task["guidance_scale"] = "off";
    RunRecord rounded = runPrefix("c", "flash", 1, 9, 1);
    rounded.settings.means["weights_dtype"] = "bfloat16";
    const DataTable table = comparisonTable(std::vector{runPrefix("a", "flash", 1, 9, 2), unguided, rounded});
    EXPECT_EQ(table.rows[1].back(), DataCell());
    EXPECT_EQ(table.rows[2].back(), DataCell(2.0));
}

TEST(Comparison, InferenceStandsAgainstInferenceWhereABlockLacksTheTrace) {
    const TimingSummary traced{.inference = 116, .hasTrace = true, .denoiseTotal = 109.8};
    const TimingSummary untraced{.inference = 232};
    const std::vector<RunRecord> runs =
        pastedRuns(formatTimingSummary(traced) + formatTimingSummary(untraced), "vace");
    EXPECT_EQ(comparisonTable(runs).rows[1].back(), DataCell(0.5));
    const std::vector<RunRecord> back{runs[1], runs[0]};
    EXPECT_EQ(comparisonTable(back).rows[1].back(), DataCell(2.0));
}

TEST(Comparison, APastedSummaryHasNoSpeedAgainstARunOfAFolder) {
    std::vector<RunRecord> runs = pastedRuns(formatTimingSummary({.inference = 116}), "elsewhere");
    RunRecord own = runPrefix("a", "flash", 1, 9, 2);
    own.timings = TimingSummary{.inference = 2};
    runs.push_back(own);
    EXPECT_EQ(comparisonTable(runs).rows[1].back(), DataCell());
    EXPECT_FALSE(speedAgainst(runs[1], runs[0], SpeedOf::Inference));
}

TEST(Comparison, SpeedsMayBeThoseOfInference) {
    RunRecord one = runPrefix("a", "flash", 1, 9, 2);
    one.timings = TimingSummary{.load = 50, .inference = 30};
    RunRecord two = runPrefix("b", "ring", 2, 9, 1);
    two.timings = TimingSummary{.inference = 20};
    EXPECT_EQ(speedAgainst(one, two), 2.0);
    EXPECT_EQ(speedAgainst(one, two, SpeedOf::Inference), 1.5);
    two.timings.reset();
    EXPECT_FALSE(speedAgainst(one, two, SpeedOf::Inference));
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
    const std::vector<ScalingLine> lines = scalingLines(
        std::vector{runPrefix("d4", "ring", 4, 9, 1), runPrefix("d1", "flash", 1, 9, 3),
                    runPrefix("d1fast", "dot_product", 1, 9, 2), runPrefix("d2", "ring", 2, 9, 1.5)});
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

TEST(Scaling, RunsOfOtherWorkAreNoRepeatsAndNoReference) {
    const RunRecord run = runPrefix("run", "flash", 1, 9, 4);
    RunRecord unguided = runPrefix("unguided", "flash", 1, 9, 2);
    unguided.settings.task["guidance_scale"] = "off";
    RunRecord batch = runPrefix("batch", "flash", 2, 9, 16);
    batch.settings.task["videos"] = "4";
    RunRecord cached = runPrefix("cached", "flash", 1, 9, 1);
    cached.settings.means["use_magcache"] = "true";
    RunRecord oneStep = runPrefix("one", "flash", 1, 9, 4);
    oneStep.steps.resize(1);
    const std::vector<ScalingLine> lines = scalingLines(std::vector{run, unguided, batch, cached, oneStep});
    ASSERT_EQ(lines.size(), 4U);
    for (const ScalingLine& line : lines) {
        ASSERT_EQ(line.points.size(), 1U);
        EXPECT_EQ(line.points[0].repeats, 1);
        EXPECT_DOUBLE_EQ(line.points[0].speed, 1) << line.points[0].run << " is the only one of its work";
    }
    EXPECT_EQ(lines[0].settings, "");
    EXPECT_EQ(lines[1].settings, "guidance_scale off");
    EXPECT_EQ(lines[3].settings, "use_magcache true");
}

TEST(Scaling, RunsOfOtherMeshesAreNoRepeats) {
    RunRecord fsdp = runPrefix("fsdp", "flash", 2, 9, 4);
    fsdp.settings.mesh["fsdp"] = "2";
    const std::vector<ScalingLine> lines =
        scalingLines(std::vector{runPrefix("tensor", "flash", 2, 9, 2), fsdp});
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].points.size(), 2U);
}

TEST(Scaling, RepeatsAreOnePointWithTheirDeviation) {
    RunRecord otherBlocks = runPrefix("blocks", "ring", 2, 9, 1);
    otherBlocks.blockQ = 512;
    const std::vector<ScalingLine> lines = scalingLines(
        std::vector{runPrefix("a", "ring", 1, 9, 4), runPrefix("b", "ring", 2, 9, 1),
                    runPrefix("c", "ring", 2, 9, 3), runPrefix("d", "ring", 1, 9, 4), otherBlocks});
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

TEST(RunSummaries, ReadBackWithTheirNames) {
    const TimingSummary timings{.load = 1, .compile = 2, .inference = 30};
    std::vector<RunRecord> runs(3);
    runs[0].name = "ring";
    runs[0].timings = timings;
    runs[1].name = "begun";
    runs[2].name = "ulysses";
    runs[2].timings = timings;
    runs[2].name = "ulysses (2)";
    const std::vector<RunRecord> back = pastedRuns(runSummaries(runs), "file");
    ASSERT_EQ(back.size(), 2U);
    EXPECT_EQ(back[0].name, "ring");
    EXPECT_EQ(back[1].name, "ulysses (2)");
    EXPECT_EQ(back[1].timings->inference, 30);
    EXPECT_TRUE(runSummaries(std::span(runs).subspan(1, 1)).empty());
}

using Names = std::vector<std::string>;

TEST(RunNames, DayAndTimeAreLeftOut) {
    EXPECT_EQ(shortRunNames(Names{"20261122-150944-ring-2d", "20261122-150832-one-device", "by-hand"}),
              (Names{"ring-2d", "one-device", "by-hand"}));
}

TEST(RunNames, TheTimeTellsRunsOfOneNameApart) {
    EXPECT_EQ(
        shortRunNames(Names{"20261122-150944-ring-2d", "20261122-150912-ring-2d", "20261122-150830-ulysses"}),
        (Names{"ring-2d 15:09:44", "ring-2d 15:09:12", "ulysses"}));
    EXPECT_EQ(shortRunNames(Names{"20261121-150944-ring", "20261122-150944-ring", "20261122-150945-ring"}),
              (Names{"ring 2026-11-21 15:09:44", "ring 2026-11-22 15:09:44", "ring 15:09:45"}));
}

TEST(RunNames, EqualNamesAreCounted) {
    EXPECT_EQ(shortRunNames(Names{"run", "run", "20261122-150944-run"}),
              (Names{"run", "run (2)", "run 15:09:44"}));
}

TEST(RunNames, WhatOnlyLooksLikeATimeStays) {
    const Names names{"20261122-150944-", "2026-11-22-ring", "20261122_150944-ring", ""};
    EXPECT_EQ(shortRunNames(names), names);
}

TEST(RunNames, RecordsAreCalledSo) {
    std::vector<RunRecord> runs(2);
    runs[0].name = "20261122-150944-ring";
    runs[1].name = "20261122-150944-ulysses";
    runs = withShortNames(std::move(runs));
    EXPECT_EQ(runs[0].name, "ring");
    EXPECT_EQ(runs[1].name, "ulysses");
}

TEST(RunNames, RunsOfOneNameAreToldApartByWhatDiffersBeforeTheTimeOfDay) {
    RunRecord one = runPrefix("20261122-150944-untitled", "ulysses", 4, 9, 1);
    RunRecord two = runPrefix("20261122-150945-untitled", "ring", 4, 9, 1);
    std::vector<RunRecord> runs = withShortNames({one, two});
    EXPECT_EQ(runs[0].name, "untitled ulysses");
    EXPECT_EQ(runs[1].name, "untitled ring");
    two = one;
    two.name = "20261122-150945-untitled";
    runs = withShortNames({one, two});
    EXPECT_EQ(runs[1].name, "untitled 15:09:45");
}

using ::testing::ElementsAre;

RunRecord namedRun(const std::string& name, double seconds) {
    RunRecord run;
    run.name = name;
    run.width = 64;
    run.steps = {{.step = 0, .seconds = 9}, {.step = 1, .seconds = seconds}};
    run.settings.task = {{"guidance_scale", "on"}, {"videos", "1"}};
    run.settings.means = {{"weights_dtype", "float32"}};
    return run;
}

TEST(SameWork, IsOfEqualSizeTaskAndMeans) {
    const RunRecord run = namedRun("run", 1);
    RunRecord larger = run;
    larger.width = 128;
    EXPECT_FALSE(haveSameTask(run, larger));
    RunRecord unguided = run;
    unguided.settings.task["guidance_scale"] = "off";
    EXPECT_FALSE(haveSameTask(run, unguided));
    RunRecord rounded = run;
    rounded.settings.means["weights_dtype"] = "bfloat16";
    EXPECT_TRUE(haveSameTask(run, rounded));
    EXPECT_FALSE(haveSameWork(run, rounded));
    RunRecord elsewhere = run;
    elsewhere.attention = "ring";
    elsewhere.devices = 4;
    elsewhere.settings.mesh["context"] = "4";
    elsewhere.settings.attention["use_base2_exp"] = "false";
    EXPECT_TRUE(haveSameWork(run, elsewhere));
}

TEST(SameWork, ARunOfOneColdStepIsTimedWhereThereIsNoOtherOnly) {
    RunRecord cold = namedRun("cold", 1);
    cold.steps.resize(1);
    const auto namesOf = [](const std::vector<RunRecord>& runs) {
        std::vector<std::string> names;
        for (const RunRecord* run : timedRuns(runs))
            names.push_back(run->name);
        return names;
    };
    EXPECT_THAT(namesOf({cold, namedRun("warm", 2)}), ElementsAre("warm"));
    EXPECT_THAT(namesOf({cold}), ElementsAre("cold"));
    RunRecord ofOtherWork = namedRun("other", 2);
    ofOtherWork.settings.task["videos"] = "4";
    EXPECT_THAT(namesOf({cold, ofOtherWork}), ElementsAre("cold", "other"));
    RunRecord begun = namedRun("begun", 1);
    begun.steps.clear();
    EXPECT_TRUE(namesOf({begun}).empty());
}

TEST(SameWork, OnlyWhatDiffersFromTheFirstIsTold) {
    const RunRecord run = namedRun("run", 1);
    RunRecord other = run;
    other.settings.task["guidance_scale"] = "off";
    other.settings.means["use_magcache"] = "true";
    const std::vector<const RunRecord*> both{&run, &other};
    EXPECT_THAT(differingWork(both), ElementsAre("", "guidance_scale off, use_magcache true"));
    const std::vector<const RunRecord*> same{&run, &run};
    EXPECT_THAT(differingWork(same), ElementsAre("", ""));
    EXPECT_TRUE(differingWork({}).empty());
}

}  // namespace

}  // namespace meshreel

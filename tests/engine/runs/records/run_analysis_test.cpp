// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_analysis.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

RunRecord configuredRun(const std::string& name, const std::string& attention, int devices,
                        std::int64_t blockQ, double seconds) {
    RunRecord run;
    run.name = name;
    run.attention = attention;
    run.devices = devices;
    run.ulysses = devices;
    run.blockQ = blockQ;
    run.blockKv = 1024;
    run.steps = {{.step = 0, .seconds = 99}, {.step = 1, .seconds = seconds}};
    return run;
}

TEST(BestConfigs, TheFastestOfEachModeAndNumberOfDevices) {
    const std::vector<RunRecord> runs{
        configuredRun("slow", "ulysses", 4, 8448, 4), configuredRun("ring", "ring", 4, 4096, 6),
        configuredRun("fast", "ulysses", 4, 9472, 3), configuredRun("alone", "flash", 1, 2048, 10)};
    const DataTable table = bestConfigs(runs);
    ASSERT_EQ(table.rows.size(), 3U);
    std::vector<DataCell> names;
    std::vector<DataCell> slower;
    for (const std::vector<DataCell>& row : table.rows) {
        ASSERT_EQ(row.size(), table.columns.size());
        names.push_back(row.back());
        slower.push_back(row[row.size() - 2]);
    }
    EXPECT_EQ(names, (std::vector<DataCell>{std::string("alone"), std::string("fast"), std::string("ring")}));
    EXPECT_EQ(slower, (std::vector<DataCell>{1.0, 1.0, 2.0}));
    EXPECT_EQ(table.rows[1][5], DataCell(std::int64_t{9472}));
}

TEST(BestConfigs, ARunOfOtherWorkIsNoRivalAndSaysInWhatItDiffers) {
    RunRecord guided = configuredRun("guided", "flash", 1, 64, 4);
    guided.settings.task["guidance_scale"] = "on";
    RunRecord unguided = configuredRun("unguided", "flash", 1, 64, 2);
    unguided.settings.task["guidance_scale"] = "off";
    std::vector<RunRecord> runs = pastedRuns(formatTimingSummary({.inference = 3}), "elsewhere");
    runs.push_back(guided);
    runs.push_back(unguided);
    const DataTable table = bestConfigs(runs);
    ASSERT_EQ(table.rows.size(), 3U);
    ASSERT_EQ(table.columns[table.columns.size() - 2], "settings");
    for (const std::vector<DataCell>& row : table.rows)
        ASSERT_EQ(row.size(), table.columns.size());
    for (const std::size_t row : {0U, 1U})
        EXPECT_EQ(table.rows[row][10], DataCell(1.0)) << "each is the best of its work";
    EXPECT_EQ(table.rows[0].back(), DataCell(std::string("unguided")));
    EXPECT_EQ(table.rows[0][11], DataCell());
    EXPECT_EQ(table.rows[1][11], DataCell(std::string("guidance_scale on")));
    EXPECT_EQ(table.rows[2][11], DataCell());
    EXPECT_EQ(table.rows[2].back(), DataCell(std::string("elsewhere")));
}

TEST(BestConfigs, ARunOfOneColdStepIsNoWinner) {
    RunRecord cold = configuredRun("cold", "flash", 1, 64, 4);
    cold.steps = {{.step = 0, .seconds = 1}};
    const DataTable table = bestConfigs(std::vector{cold, configuredRun("warm", "flash", 1, 64, 4)});
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(table.rows[0].back(), DataCell(std::string("warm")));
}

TEST(BestConfigs, PastedRunsStandLastAndRunsWithoutStepsNowhere) {
    RunRecord begun = configuredRun("begun", "flash", 1, 64, 1);
    begun.steps.clear();
    std::vector<RunRecord> runs = pastedRuns(
        formatTimingSummary({.load = 1, .compile = 2, .inference = 3, .hasTrace = true, .denoiseTotal = 2}),
        "elsewhere");
    runs.push_back(begun);
    runs.push_back(configuredRun("run", "flash", 1, 64, 1));
    const DataTable table = bestConfigs(runs);
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0].back(), DataCell(std::string("run")));
    EXPECT_EQ(table.rows[1].back(), DataCell(std::string("elsewhere")));
    EXPECT_EQ(table.rows[1][8], DataCell(2.0));
    EXPECT_EQ(table.rows[1][9], DataCell(3.0));
    EXPECT_EQ(table.rows[1][7], DataCell());
}

TEST(BestConfigs, MarkdownNeedsNoCare) {
    const DataTable table{.columns = {"run", "s"},
                          .rows = {{std::string("a|b"), 1.5}, {std::string("c"), {}}}};
    EXPECT_EQ(toMarkdown(table),
              "| run  |     s |\n"
              "|------|------:|\n"
              "| a\\|b | 1.500 |\n"
              "| c    |     - |\n");
}

}  // namespace
}  // namespace meshreel

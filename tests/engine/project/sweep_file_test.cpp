// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/sweep_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/project/project.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<Problem> sweepProblems(const std::string& text) {
    try {
        static_cast<void>(readSweep(text, "s.yaml"));
    } catch (const ProjectError& error) {
        return error.problems();
    }
    return {};
}

TEST(SweepFile, CellsAreStrategiesByAxesByBatches) {
    const SweepFile sweep = readSweep(
        "version: 1\n"
        "base: {width: 64}\n"
        "strategies:\n"
        "  - {name: flash, attention: flash}\n"
        "  - name: custom\n"
        "    attention: ulysses_custom\n"
        "    flash_block_sizes: {block_q: 256}\n"
        "vary:\n"
        "  height: [32, 48]\n"
        "  batch: [1, 2]\n",
        "s.yaml");
    const std::vector<SweepCell> cells = sweepCells(sweep);
    ASSERT_EQ(cells.size(), 8U);
    EXPECT_EQ(cells[0].name(), "flash, height=32, batch 1");
    EXPECT_EQ(cells[1].name(), "custom, height=32, batch 1");
    EXPECT_EQ(cells[7].name(), "custom, height=48, batch 2");
    EXPECT_EQ(cells[7].project.blockQ, 256);
    EXPECT_EQ(cells[7].project.height, 48);
    EXPECT_EQ(cells[7].project.width, 64);
    EXPECT_EQ(cells[6].project.blockQ, 0) << "the strategies do not leak into each other";
}

TEST(SweepFile, MistakesAreToldWithTheirLine) {
    const std::vector<Problem> unknown =
        sweepProblems("version: 1\nstrategies:\n  - {name: a, attention: flash}\nmodes: [ring]\n");
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_EQ(unknown[0].place.line, 4);
    EXPECT_THAT(unknown[0], AllOf(testing::Fault("sweep-malformed"), testing::Names("modes")));
    const Problem without = sweepProblems("version: 1\n").at(0);
    EXPECT_THAT(without, testing::Fault("sweep-malformed"));
    EXPECT_EQ(without.key, "strategies");
    EXPECT_THAT(sweepProblems("version: 1\nstrategies:\n  - {name: a, atention: ring}\n").at(0),
                AllOf(testing::Fault("key-is-unknown"), testing::Names("atention")));
    EXPECT_THAT(sweepProblems("version: 1\nstrategies:\n  - {name: a}\nvary: {batch: [many]}\n").at(0),
                AllOf(testing::Fault("sweep-malformed"), testing::Names("many")));
    EXPECT_THAT(sweepProblems("version: 1\nstrategies:\n  - {name: a}\nvary: {seed: [x]}\n").at(0).key,
                "seed");
}

TEST(SweepFile, EntriesThatCannotBeReadAreLeftOutWhereOthersStay) {
    const SweepFile sweep = readSweep(
        "version: 1\n"
        "strategies:\n"
        "  - {name: a}\n"
        "  - {name: b, attention: rong}\n"
        "  - {attention: flash}\n"
        "  - {name: a}\n"
        "vary:\n"
        "  height: [64, tall]\n"
        "  batch: [1, many]\n",
        "s.yaml");
    ASSERT_EQ(sweepCells(sweep).size(), 1U);
    EXPECT_EQ(sweepCells(sweep).front().name(), "a, height=64, batch 1");
    ASSERT_EQ(sweep.leftOut.size(), 5U);
    const std::vector<std::pair<std::string, std::vector<std::string>>> expected{{"s.yaml:4", {"rong"}},
                                                                                 {"s.yaml:5", {}},
                                                                                 {"s.yaml:6", {"a"}},
                                                                                 {"s.yaml:8", {"tall"}},
                                                                                 {"s.yaml:9", {"many"}}};
    for (std::size_t index = 0; index < expected.size(); ++index) {
        EXPECT_EQ(sweep.leftOut[index].kind(), ErrorKind::Input);
        EXPECT_THAT(sweep.leftOut[index].where(), HasSubstr(expected[index].first));
        EXPECT_THAT(sweep.leftOut[index].problem(), testing::NamesAllOf(expected[index].second));
    }
}

TEST(SweepFile, WarnsOfTextsThatEndAtANumberSign) {
    const SweepFile sweep = readSweep(
        "version: 1\n"
        "name: trial #3\n"
        "layers: 2  # of 30\n"
        "base:\n"
        "  prompt: a poster with the number #3\n"
        "  image: cat.png  # the cat\n"
        "strategies:\n"
        "  - name: ring #2\n"
        "    attention: flash  # alone\n"
        "vary:\n"
        "  height: [64]  # short\n"
        "  negative_prompt:\n"
        "    - blur\n"
        "    - rain #neon\n",
        "s.yaml");
    std::vector<std::pair<std::string, std::string>> warned;
    for (const Problem& warning : sweep.warnings) {
        EXPECT_EQ(warning.severity, Severity::Warning);
        EXPECT_FALSE(warning.hint().empty());
        warned.emplace_back(warning.where(), warning.key);
    }
    EXPECT_THAT(warned, ::testing::UnorderedElementsAre(
                            std::pair("s.yaml:2", "name"), std::pair("s.yaml:5", "prompt"),
                            std::pair("s.yaml:8", "name"), std::pair("s.yaml:14", "negative_prompt")));
    EXPECT_THAT(sweepProblems("version: 1\nbase:\n  prompt: #3\nstrategies:\n  - {name: a}\n").at(0),
                AllOf(testing::Fault("sweep-malformed"), testing::Names("prompt", "#3")));
    EXPECT_TRUE(loadSweep(testing::sourceFolder() / "configs/sweeps/predictions.yaml").warnings.empty());
}

TEST(SweepFile, TheOneOfTheAttentionStrategiesIsGood) {
    const SweepFile sweep = loadSweep(testing::sourceFolder() / "configs/sweeps/attention-strategies.yaml");
    EXPECT_EQ(sweep.strategies.size(), 6U);
    EXPECT_EQ(sweepCells(sweep).size(), 24U);
}

}  // namespace
}  // namespace meshreel

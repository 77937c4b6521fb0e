// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_names.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

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

}  // namespace
}  // namespace meshreel

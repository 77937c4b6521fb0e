// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/sparse_counts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace meshreel {
namespace {

TEST(SparseCounts, AddUpToASharePlusAnError) {
    SparseCounts counts{.keptBlocks = 10, .allBlocks = 40, .hops = 1, .skippedHops = 2};
    EXPECT_EQ(counts.error(), std::nullopt) << "nothing was compared";
    counts += {.keptBlocks = 20, .allBlocks = 60, .hops = 3, .difference = 4, .reference = 100};
    EXPECT_DOUBLE_EQ(counts.keptShare(), 0.3);
    EXPECT_DOUBLE_EQ(counts.error().value(), 0.2);
    EXPECT_EQ(counts.hops, 4);
    EXPECT_EQ(SparseCounts().keptShare(), 1.0);
}

TEST(SparseCounts, SurviveTheirJson) {
    const SparseCounts counts{
        .keptBlocks = 10, .allBlocks = 40, .hops = 1, .skippedHops = 2, .difference = 0.25, .reference = 8};
    EXPECT_EQ(sparseFrom(sparseJson(counts)), counts);
    EXPECT_EQ(sparseJson(counts).at("kept_share"), 0.25);
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_summaries.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

TEST(RunSummaries, FinishedRunsStandBelowTheirNames) {
    const TimingSummary timings{.load = 1, .compile = 2, .inference = 30};
    std::vector<RunRecord> runs(3);
    runs[0].name = "ring";
    runs[0].timings = timings;
    runs[1].name = "begun";
    runs[2].name = "ulysses";
    runs[2].timings = timings;
    const std::string block = formatTimingSummary(timings);
    EXPECT_EQ(runSummaries(runs), "ring" + block + "\nulysses" + block);
    EXPECT_EQ(parseTimingSummaries(runSummaries(runs)).size(), 2U);
    EXPECT_TRUE(runSummaries(std::span(runs).subspan(1, 1)).empty());
}

}  // namespace
}  // namespace meshreel

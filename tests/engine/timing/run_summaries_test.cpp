// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_summaries.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

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

}  // namespace
}  // namespace meshreel

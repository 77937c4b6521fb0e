// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/lane_occupancy.h"

#include <gmock/gmock.h>

#include "engine/base/error.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double tolerance = 1e-12;

TracedSpan spanOf(const char* name, const char* category, int thread, double start, double seconds) {
    return {.name = name, .category = category, .thread = thread, .start = start, .seconds = seconds};
}

const std::vector<double>& share(const Lane& lane, LaneActivity activity) {
    return lane.share.at(static_cast<std::size_t>(activity));
}

TEST(LaneOccupancy, SharesOfEveryBin) {
    const std::vector<TracedSpan> trace{
        spanOf("step 1", "step", 0, 10, 4), spanOf("attend", "attention", 0, 10.5, 1),
        spanOf("rotate", "attention", 0, 12, 0.25), spanOf("step 1", "step", 7, 10, 2),
        spanOf("attend", "attention", 3, 10, 1)};
    const LaneOccupancy occupancy = laneOccupancy(trace, 4);
    EXPECT_DOUBLE_EQ(occupancy.start, 10);
    EXPECT_DOUBLE_EQ(occupancy.seconds, 4);
    ASSERT_EQ(occupancy.lanes.size(), 2U);
    const auto near = [](double value) { return DoubleNear(value, tolerance); };
    const Lane& first = occupancy.lanes[0];
    EXPECT_THAT(share(first, LaneActivity::Attention), ElementsAre(near(0.5), near(0.5), near(0), near(0)));
    EXPECT_THAT(share(first, LaneActivity::Exchange), ElementsAre(near(0), near(0), near(0.25), near(0)));
    EXPECT_THAT(share(first, LaneActivity::Computing),
                ElementsAre(near(0.5), near(0.5), near(0.75), near(1)));
    EXPECT_EQ(occupancy.lanes[1].thread, 7);
    EXPECT_THAT(share(occupancy.lanes[1], LaneActivity::Computing),
                ElementsAre(near(1), near(1), near(0), near(0)));
}

TEST(LaneOccupancy, NothingWithoutSteps) {
    EXPECT_TRUE(laneOccupancy(std::vector{spanOf("attend", "attention", 0, 0, 1)}, 4).lanes.empty());
    EXPECT_TRUE(laneOccupancy({}, 4).lanes.empty());
}

TEST(TraceReader, ReadsWhatATraceWrites) {
    Trace trace;
    { const auto span = trace.span("step 1", "step"); }
    const std::vector<TracedSpan> spans = parseChromeTrace(trace.chromeJson());
    ASSERT_EQ(spans.size(), 1U);
    EXPECT_EQ(spans[0].name, "step 1");
    EXPECT_EQ(spans[0].category, "step");
    EXPECT_GE(spans[0].seconds, 0);
}

TEST(TraceReader, RefusesOtherText) {
    EXPECT_THROW(parseChromeTrace("no trace"), Error);
    EXPECT_THROW(parseChromeTrace("{}"), Error);
    EXPECT_THROW(parseChromeTrace(R"({"traceEvents": [{"ph": "X"}]})"), Error);
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/base/error.h"
#include "engine/runs/records/device_times.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

const std::vector<StepDeviceTimes> twoSteps{
    {.step = 3,
     .devices = {{.computing = 0.1,
                  .exchanging = 1e-7,
                  .waiting = 1.0 / 3,
                  .bytesReceived = 1LL << 40,
                  .gpu = 1.0 / 7},
                 {.computing = 2, .exchanging = 0, .waiting = 0, .bytesReceived = 0}}},
    {.step = 4, .devices = {{.computing = 1}, {.computing = 2}, {.computing = 3}}}};

TEST(DeviceTimeTable, ReadsBackToTheLastBit) {
    const std::string csv = toCsv(deviceTimeTable(twoSteps));
    EXPECT_TRUE(csv.starts_with("step,device,computing,exchanging,waiting,received,gpu\n3,0,0.1,1e-07,"))
        << csv;
    EXPECT_EQ(parseDeviceTimes(csv), twoSteps);
    EXPECT_TRUE(parseDeviceTimes(toCsv(deviceTimeTable({}))).empty());
}

TEST(DeviceTimeTable, CountsStepsFromWhereItIsAsked) {
    EXPECT_EQ(deviceTimeTable(twoSteps, 1).rows[0][0], DataCell(std::int64_t{twoSteps.front().step + 1}));
}

TEST(DeviceTimeTable, WithoutAGpuItsFieldIsEmpty) {
    EXPECT_NE(toCsv(deviceTimeTable(twoSteps)).find("\n3,1,2,0,0,0,\n"), std::string::npos);
    const auto earlier =
        parseDeviceTimes("step,device,computing,exchanging,waiting,received\n0,0,1,2,3,4\n");  // version 0.18
    ASSERT_EQ(earlier.size(), 1U);
    EXPECT_FALSE(earlier[0].devices[0].gpu);
}

TEST(DeviceTimeTable, LeavesOutWhatAKillCut) {
    EXPECT_TRUE(parseDeviceTimes("").empty());
    EXPECT_TRUE(parseDeviceTimes("step,dev").empty());
    const std::string first = "step,device,computing,exchanging,waiting,received\n0,0,1,2,3,4\n0,1,1,2,3,4\n";
    EXPECT_EQ(parseDeviceTimes(first + "1,0,1,2,3,4\n").size(), 1U) << "device 1 is missing";
    EXPECT_EQ(parseDeviceTimes(first + "1,0,1,2,3,4\n1,1,1,2").size(), 1U);
}

TEST(DeviceTimeTable, RefusesOtherText) {
    const std::string header = "step,device,computing,exchanging,waiting,received\n";
    EXPECT_THROW(parseDeviceTimes("\n"), Error);
    EXPECT_THROW(parseDeviceTimes("step,timestep\n0,1\n"), Error);
    EXPECT_THROW(parseDeviceTimes(header + "0,0,1,2,3\n"), Error);
    EXPECT_THROW(parseDeviceTimes(header + "0,0,1,2,three,4\n"), Error);
    EXPECT_THROW(parseDeviceTimes(header + "0,1,1,2,3,4\n"), Error) << "device 0 is missing";
    EXPECT_THROW(parseDeviceTimes(header + "0,0,1,2,3,4\n0,0,1,2,3,4\n"), Error);
}

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double tolerance = 1e-12;

TracedSpan parseSpan(const char* name, const char* category, int thread, double start, double seconds) {
    return {.name = name, .category = category, .thread = thread, .start = start, .seconds = seconds};
}

/// Three seconds, then one, in which device 1 took no part.
std::vector<StepDeviceTimes> twoDeviceSteps() {
    return {{.step = 0,
             .devices = {{.computing = 1.5, .exchanging = 0.75, .waiting = 0.75},
                         {.computing = 0.75, .exchanging = 0, .waiting = 2.25}}},
            {.step = 1, .devices = {{.computing = 1, .exchanging = 0, .waiting = 0}}}};
}

TEST(LaneOccupancy, CountersTellExchangeFromWaiting) {
    const LaneOccupancy occupancy = laneOccupancy(twoDeviceSteps(), 2);
    EXPECT_DOUBLE_EQ(occupancy.seconds, 4);
    EXPECT_THAT(occupancy.activities,
                ElementsAre(LaneActivity::Computing, LaneActivity::Exchanging, LaneActivity::Waiting));
    ASSERT_EQ(occupancy.lanes.size(), 2U);
    const auto near = [](double value) { return DoubleNear(value, tolerance); };
    EXPECT_THAT(occupancy.borders, ElementsAre(0, near(3), near(4)));
    EXPECT_EQ(occupancy.lanes[1].number, 1);
    EXPECT_THAT(occupancy.lanes[0].share[0], ElementsAre(near(0.5), near(1)));
    EXPECT_THAT(occupancy.lanes[0].share[1], ElementsAre(near(0.25), near(0)));
    EXPECT_THAT(occupancy.lanes[0].share[2], ElementsAre(near(0.25), near(0)));
    EXPECT_THAT(occupancy.lanes[1].share[0], ElementsAre(near(0.25), near(0)));
    EXPECT_THAT(occupancy.lanes[1].share[1], ElementsAre(near(0), near(0)));
    EXPECT_THAT(occupancy.lanes[1].share[2], ElementsAre(near(0.75), near(0)));
}

TEST(LaneOccupancy, AGpuIsBusyOrStandsStill) {
    const std::vector<StepDeviceTimes> steps{{.step = 0,
                                              .devices = {{.computing = 3, .waiting = 1, .gpu = 2},
                                                          {.computing = 4, .gpu = 5}}}};  // more by its clock
    const LaneOccupancy occupancy = laneOccupancy(steps, 1);
    EXPECT_THAT(occupancy.activities, ElementsAre(LaneActivity::Computing, LaneActivity::HostOnly,
                                                  LaneActivity::Exchanging, LaneActivity::Waiting));
    const auto near = [](double value) { return DoubleNear(value, tolerance); };
    EXPECT_THAT(occupancy.lanes[0].share[0], ElementsAre(near(0.5)));
    EXPECT_THAT(occupancy.lanes[0].share[1], ElementsAre(near(0.25)));
    EXPECT_THAT(occupancy.lanes[0].share[3], ElementsAre(near(0.25)));
    EXPECT_THAT(occupancy.lanes[1].share[0], ElementsAre(near(1)));
    EXPECT_THAT(occupancy.lanes[1].share[1], ElementsAre(near(0)));
}

TEST(LaneOccupancy, MoreStepsThanBinsShareThem) {
    std::vector<StepDeviceTimes> steps = twoDeviceSteps();
    steps.push_back({.step = 2, .devices = {{.computing = 2, .exchanging = 0, .waiting = 2}}});
    const LaneOccupancy occupancy = laneOccupancy(steps, 2);
    const auto near = [](double value) { return DoubleNear(value, tolerance); };
    EXPECT_THAT(occupancy.borders, ElementsAre(0, near(4), near(8)));
    EXPECT_THAT(occupancy.lanes[0].share[0], ElementsAre(near(0.625), near(0.5)));
    EXPECT_THAT(occupancy.lanes[1].share[2], ElementsAre(near(0.5625), near(0)));
}

TEST(LaneOccupancy, PartsAreSeenCloser) {
    std::vector<StepDeviceTimes> steps = twoDeviceSteps();
    steps.push_back({.step = 2, .devices = {{.computing = 2, .exchanging = 0, .waiting = 2}}});
    const auto near = [](double value) { return DoubleNear(value, tolerance); };
    const LaneOccupancy counted = laneOccupancy(steps, 2, OccupancyPart{2, 3.5});
    EXPECT_DOUBLE_EQ(counted.seconds, 8);
    EXPECT_THAT(counted.borders, ElementsAre(near(2), near(3), near(3.5)));
    EXPECT_THAT(counted.lanes[0].share[0], ElementsAre(near(0.5), near(1)));

    const std::vector<TracedSpan> trace{parseSpan("step 1", "step", 0, 10, 4),
                                        parseSpan("attend", "attention", 0, 10.5, 1)};
    const LaneOccupancy traced = tracedOccupancy(trace, 2, OccupancyPart{0, 1});
    EXPECT_DOUBLE_EQ(traced.seconds, 4);
    EXPECT_THAT(traced.borders, ElementsAre(near(0), near(0.5), near(1)));
    EXPECT_THAT(traced.lanes[0].share[0], ElementsAre(near(0), near(1)));
    EXPECT_THAT(traced.lanes[0].share[1], ElementsAre(near(1), near(0)));
}

TEST(LaneOccupancy, TracesTellAttentionOnly) {
    const std::vector<TracedSpan> trace{
        parseSpan("step 1", "step", 0, 10, 4), parseSpan("attend", "attention", 0, 10.5, 1),
        parseSpan("rotate", "attention", 0, 12, 0.25), parseSpan("step 1", "step", 7, 10, 2),
        parseSpan("attend", "attention", 3, 10, 1)};
    const LaneOccupancy occupancy = tracedOccupancy(trace, 4);
    EXPECT_DOUBLE_EQ(occupancy.seconds, 4);
    EXPECT_THAT(occupancy.activities,
                ElementsAre(LaneActivity::Attention, LaneActivity::Elsewhere, LaneActivity::MovingOrWaiting));
    ASSERT_EQ(occupancy.lanes.size(), 2U);
    const auto near = [](double value) { return DoubleNear(value, tolerance); };
    const Lane& first = occupancy.lanes[0];
    EXPECT_THAT(first.share[0], ElementsAre(near(0.5), near(0.5), near(0), near(0)));
    EXPECT_THAT(first.share[1], ElementsAre(near(0.5), near(0.5), near(0.75), near(1)));
    EXPECT_THAT(first.share[2], ElementsAre(near(0), near(0), near(0.25), near(0)));
    EXPECT_EQ(occupancy.lanes[1].number, 7);
    EXPECT_THAT(occupancy.lanes[1].share[1], ElementsAre(near(1), near(1), near(0), near(0)));
}

TEST(LaneOccupancy, NothingWithoutSteps) {
    EXPECT_TRUE(tracedOccupancy(std::vector{parseSpan("attend", "attention", 0, 0, 1)}, 4).lanes.empty());
    EXPECT_TRUE(tracedOccupancy({}, 4).lanes.empty());
    EXPECT_TRUE(laneOccupancy({}, 4).lanes.empty());
    EXPECT_TRUE(laneOccupancy(std::vector<StepDeviceTimes>{{.step = 0, .devices = {{}}}}, 4).lanes.empty());
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

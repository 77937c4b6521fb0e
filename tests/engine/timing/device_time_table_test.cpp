// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/device_time_table.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/base/error.h"

namespace meshreel {
namespace {

const std::vector<StepDeviceTimes> twoSteps{
    {.step = 3,
     .devices = {{.computing = 0.1, .exchanging = 1e-7, .waiting = 1.0 / 3, .bytesReceived = 1LL << 40},
                 {.computing = 2, .exchanging = 0, .waiting = 0, .bytesReceived = 0}}},
    {.step = 4, .devices = {{.computing = 1}, {.computing = 2}, {.computing = 3}}}};

TEST(DeviceTimeTable, ReadsBackToTheLastBit) {
    const std::string csv = csvOf(deviceTimeTable(twoSteps));
    EXPECT_TRUE(csv.starts_with("step,device,computing,exchanging,waiting,received\n3,0,0.1,1e-07,")) << csv;
    EXPECT_EQ(parseDeviceTimes(csv), twoSteps);
    EXPECT_TRUE(parseDeviceTimes(csvOf(deviceTimeTable({}))).empty());
}

TEST(DeviceTimeTable, CountsStepsFromWhereItIsAsked) {
    EXPECT_EQ(deviceTimeTable(twoSteps, 1).rows[0][0], DataCell(std::int64_t{twoSteps.front().step + 1}));
}

TEST(DeviceTimeTable, RefusesOtherText) {
    const std::string header = "step,device,computing,exchanging,waiting,received\n";
    EXPECT_THROW(parseDeviceTimes(""), Error);
    EXPECT_THROW(parseDeviceTimes("step,timestep\n0,1\n"), Error);
    EXPECT_THROW(parseDeviceTimes(header + "0,0,1,2,3\n"), Error);
    EXPECT_THROW(parseDeviceTimes(header + "0,0,1,2,three,4\n"), Error);
    EXPECT_THROW(parseDeviceTimes(header + "0,1,1,2,3,4\n"), Error) << "device 0 is missing";
    EXPECT_THROW(parseDeviceTimes(header + "0,0,1,2,3,4\n0,0,1,2,3,4\n"), Error);
}

}  // namespace
}  // namespace meshreel

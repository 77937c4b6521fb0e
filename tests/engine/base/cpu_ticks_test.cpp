// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/cpu_ticks.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

constexpr std::string_view stat =
    "cpu  500 0 0 900 0 0 0 0 0 0\n"
    "cpu0 100 20 30 700 50 4 6 10 90 0\n"
    "cpu1 400 0 0 200 0 0 0 0 0 0\n"
    "cpu12 1 0 0 1\n"
    "intr 17 0 0\n"
    "ctxt 1234\n";

TEST(CpuTicks, CountsWhatIsNeitherIdleNorWaitingForADisk) {
    const CpuTicks first = cpuTicksIn(stat, [](int cpu) { return cpu == 0; });
    EXPECT_EQ(first.all, 920) << "guests are in the first column already";
    EXPECT_EQ(first.busy, 170);
}

TEST(CpuTicks, CountsTheCpusThatAreAskedFor) {
    EXPECT_EQ(cpuTicksIn(stat, [](int cpu) { return cpu == 1 || cpu == 12; }).all, 602);
    EXPECT_EQ(cpuTicksIn(stat, [](int cpu) { return cpu == 12; }).busy, 1) << "a kernel of fewer columns";
    EXPECT_EQ(cpuTicksIn("", [](int) { return true; }).all, 0);
}

TEST(CpuTicks, OfThisMachineGrow) {
    const CpuTicks before = readCpuTicks();
    EXPECT_GT(before.all, before.busy);
    volatile double sum = 0;
    CpuTicks after = before;
    while (after.busy == before.busy) {
        for (int term = 0; term < 1'000'000; ++term)
            sum = sum + term;
        after = readCpuTicks();
    }
    EXPECT_GT(after.all, before.all);
}

}  // namespace
}  // namespace meshreel

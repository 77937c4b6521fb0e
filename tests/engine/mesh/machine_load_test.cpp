// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/cpu_placement.h"
#include "tests/support/refusal.h"

#include <gmock/gmock.h>

namespace meshreel {
namespace {

using ::testing::AllOf;
using testing::Fault;
using testing::Names;

TEST(MachineLoad, FourRanksACpuAreCarried) {
    EXPECT_FALSE(rankOverload(8, "alpha", 2));
    const std::optional<Problem> overload = rankOverload(9, "alpha", 2);
    ASSERT_TRUE(overload);
    EXPECT_THAT(*overload,
                AllOf(Fault("ranks-too-many"), Names("9", "alpha", "2", "8", oversubscribeOption)));
    EXPECT_THAT(*rankOverload(5, "alpha", 1), Names("5", "1"));
}

TEST(MachineLoad, AThousandAndTwentyFourRanksAreCarriedInAll) {
    EXPECT_FALSE(rankOverload(1024));
    EXPECT_TRUE(rankOverload(1025));
}

TEST(MachineLoad, SixtyFourDevicesACpuAreCarriedInAProcess) {
    EXPECT_EQ(deviceLimit(2), 128);
    EXPECT_FALSE(deviceOverload(128, 2));
    const std::optional<Problem> overload = deviceOverload(129, 2);
    ASSERT_TRUE(overload);
    EXPECT_THAT(*overload, AllOf(Fault("devices-too-many"), Names("129", "2", "128", oversubscribeOption)));
}

}  // namespace
}  // namespace meshreel

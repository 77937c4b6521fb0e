// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/cpu_placement.h"

#include <gmock/gmock.h>

namespace meshreel {
namespace {

using ::testing::HasSubstr;

TEST(MachineLoad, FourRanksACpuAreCarried) {
    EXPECT_FALSE(rankOverload(8, "alpha", 2));
    const std::optional<Problem> overload = rankOverload(9, "alpha", 2);
    ASSERT_TRUE(overload);
    EXPECT_THAT(overload->message.text(), HasSubstr("9 ranks on alpha would share 2 CPUs"));
    EXPECT_THAT(overload->hint().text(), HasSubstr("at most 8"));
    EXPECT_THAT(overload->hint().text(), HasSubstr(oversubscribeOption));
    EXPECT_THAT(rankOverload(5, "alpha", 1)->message.text(), HasSubstr("share 1 CPU,"));
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
    EXPECT_TRUE(overload->id == ProblemId("devices-too-many"));
    EXPECT_THAT(overload->message.text(), HasSubstr("129 devices of one process would share 2 CPUs"));
    EXPECT_THAT(overload->hint().text(), HasSubstr("at most 128"));
    EXPECT_THAT(overload->hint().text(), HasSubstr(oversubscribeOption));
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/other_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

bool isChoice(std::string_view key, std::string_view value) {
    const std::vector<Choice> choices = findProjectKey(key)->choices();
    return std::ranges::find(choices, value, &Choice::name) != choices.end();
}

TEST(OtherNames, StandForValuesThatAreHereAndForNoneThatIsLegalAlready) {
    for (const OtherName& other : otherNames()) {
        EXPECT_TRUE(isChoice(other.key, other.value)) << other.name;
        EXPECT_FALSE(isChoice(other.key, other.name)) << other.name;
        EXPECT_TRUE(other.spacing.empty() || isChoice("sigma_spacing", other.spacing)) << other.name;
        EXPECT_EQ(findOtherName(other.key, other.name), &other) << "listed twice";
    }
}

TEST(OtherNames, OfKeysLeadToKeys) {
    for (const std::string_view name :
         {"cfg", "sampler_name", "sample_shift", "frame_num", "reuse_threshold", "track"}) {
        EXPECT_NE(findProjectKey(findOtherKey(name)), nullptr) << name;
        EXPECT_EQ(findProjectKey(name), nullptr) << name;
    }
    EXPECT_EQ(findOtherKey("guidance_scale"), "");
}

}  // namespace
}  // namespace meshreel

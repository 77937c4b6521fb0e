// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/gpu_choice.h"

#include <gmock/gmock.h>

namespace meshreel {
namespace {

using ::testing::ElementsAre;

GpuChoice readGpus(std::string_view text) {
    return std::get<GpuChoice>(parseGpuChoice(text));
}

TEST(GpuChoice, ReadsWhatItWrites) {
    EXPECT_EQ(readGpus("auto"), GpuChoice::anyReal());
    EXPECT_TRUE(readGpus("none").isNone());
    EXPECT_THAT(readGpus("0,12").numbers, ElementsAre(0, 12));
    for (const std::string_view text : {"auto", "none", "3", "0,12", "0,0"})
        EXPECT_EQ(readGpus(text).text(), text);
}

TEST(GpuChoice, AnotherTextIsAProblemAtTheKeyWithLegalValues) {
    for (const std::string_view wrong : {"", "fast", "-1", "0,", ",1", "0 1", "1.5", "99999999999"}) {
        const std::variant<GpuChoice, Problem> read = parseGpuChoice(wrong);
        const auto* problem = std::get_if<Problem>(&read);
        ASSERT_NE(problem, nullptr) << wrong;
        EXPECT_EQ(problem->id, ProblemId("gpus-malformed"));
        EXPECT_EQ(problem->key, "gpus");
        ASSERT_FALSE(problem->fixes.empty());
        for (const Fix& fix : problem->fixes)
            EXPECT_EQ(readGpus(fix.changes.at(0).value).text(), fix.changes.at(0).value);
    }
}

}  // namespace
}  // namespace meshreel

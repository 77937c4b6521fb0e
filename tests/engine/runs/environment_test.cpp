// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/base/version.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

nlohmann::json builtFrom(const std::string& commit, const std::string& buildId) {
    return {{"meshreel", {{"commit", commit}, {"build_id", buildId}}}, {"isa", "avx2"}};
}

TEST(Environment, ProgramsOfOneCleanCommitAreTheSame) {
    EXPECT_THAT(environmentDifferences(builtFrom("abc", "1"), builtFrom("abc", "2")), IsEmpty());
    EXPECT_THAT(environmentDifferences(builtFrom("abc", "1"), builtFrom("def", "1")),
                ElementsAre(HasSubstr("commit")));
}

TEST(Environment, BuildsOfAChangedTreeAreToldApart) {
    for (const std::string commit : {"abc-dirty", "unknown"}) {
        EXPECT_THAT(environmentDifferences(builtFrom(commit, "1"), builtFrom(commit, "1")), IsEmpty());
        EXPECT_THAT(environmentDifferences(builtFrom(commit, "1"), builtFrom(commit, "2")),
                    ElementsAre(HasSubstr("build_id")));
    }
}

TEST(Environment, TheProgramHasABuildId) {
    EXPECT_THAT(programBuildId(), ::testing::MatchesRegex("([0-9a-f][0-9a-f]){8,32}"));
}

}  // namespace
}  // namespace meshreel

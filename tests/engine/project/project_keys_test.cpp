// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "engine/base/files.h"
#include "engine/project/maxdiffusion_keys.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

TEST(KeysPage, IsThatOfTheTable) {
    const auto page = testing::sourceFolder() / "docs" / "project-keys.md";
    if (std::getenv("MESHREEL_UPDATE_DOCS") != nullptr)
        writeFileAtomically(page, std::string_view(keysMarkdown()));
    EXPECT_TRUE(readFile(page) == keysMarkdown()) << "make the page again as its first line says";
}

TEST(ProjectKeys, DefaultsAreLegalAndNamesAreUnique) {
    std::set<std::string_view> names;
    for (const ProjectKey& key : projectKeys()) {
        EXPECT_TRUE(names.insert(key.name).second) << key.name;
        EXPECT_FALSE(checkValue(Project(), key)) << key.name;
        EXPECT_FALSE(findForeignKey(key.name)) << key.name;
        EXPECT_TRUE(key.help.ends_with('.')) << key.name;
    }
}

/// The help says what the program makes of such a value, so the key says what to call it.
TEST(ProjectKeys, WhatIsLeftToTheProgramHasAName) {
    const std::regex leaves(
        R"((; |\. |, )(0|-1|[Ee]mpty) (takes|draws|keeps|sets|denoises|is unset|runs|makes them|shares))");
    for (const ProjectKey& key : projectKeys()) {
        const bool leavesIt = std::regex_search(std::string(key.help), leaves);
        EXPECT_FALSE(leavesIt && key.automatic.empty()) << key.name;
        const std::optional<std::string> value = automaticValue(key);
        EXPECT_EQ(value.has_value(), !key.automatic.empty()) << key.name;
        Project project;
        EXPECT_FALSE(value && trySetFromText(project, key, *value)) << key.name;
    }
    EXPECT_EQ(automaticValue(*findProjectKey("boundary_ratio")), "0.0");
    EXPECT_EQ(automaticValue(*findProjectKey("devices")), "0");
    EXPECT_EQ(automaticValue(*findProjectKey("ici_context_parallelism")), "-1");
    EXPECT_EQ(automaticValue(*findProjectKey("run_name")), "");
    EXPECT_EQ(automaticValue(*findProjectKey("width")), std::nullopt);
}

TEST(ProjectKeys, ACopiedValueIsThatOfTheOtherProject) {
    Project changed;
    changed.flowShift = 5;
    Project project;
    for (const ProjectKey& key : projectKeys())
        copyValue(key, changed, project);
    EXPECT_EQ(project, changed);
}

}  // namespace
}  // namespace meshreel

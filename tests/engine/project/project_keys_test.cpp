// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "engine/base/files.h"
#include "engine/project/maxdiffusion_keys.h"
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

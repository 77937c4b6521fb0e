// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/project_model.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/atomic_file.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

constexpr const char* released = "Wan-AI/Wan2.1-T2V-1.3B-Diffusers";

ProjectModel modelNamed(const std::string& name) {
    Project project = testing::smallProject();
    project.model = name;
    return readProjectModel(project);
}

TEST(ProjectModel, ThatIsHereIsRead) {
    const ProjectModel model = readProjectModel(testing::smallProject());
    ASSERT_TRUE(model.facts);
    EXPECT_TRUE(model.onDisk);
    EXPECT_FALSE(model.refused);
    EXPECT_FALSE(model.isReleased());
}

TEST(ProjectModel, ThatIsNotHereIsKnownByItsRelease) {
    const ProjectModel model = modelNamed(released);
    ASSERT_TRUE(model.isReleased());
    EXPECT_FALSE(model.onDisk);
    EXPECT_EQ(model.facts->transformer.layers, 30);
    EXPECT_NE(model.refused->hint().text().find("huggingface-cli download Wan-AI/"), std::string::npos);
}

TEST(ProjectModel, ThatIsDamagedIsKnownByItsReleaseToo) {
    const testing::TemporaryFolder models;
    const std::filesystem::path folder = models / "Wan-AI" / "Wan2.1-T2V-1.3B-Diffusers";
    std::filesystem::create_directories(folder);
    writeFileAtomically(folder / "model_index.json", "{}");
    setenv("MESHREEL_MODELS", models.path().c_str(), 1);
    const ProjectModel model = modelNamed(released);
    unsetenv("MESHREEL_MODELS");
    EXPECT_TRUE(model.isReleased());
    EXPECT_TRUE(model.onDisk);
}

TEST(ProjectModel, OfWhichNothingIsKnownHasNoFacts) {
    const ProjectModel model = modelNamed("Somebody/Else");
    EXPECT_FALSE(model.facts);
    EXPECT_TRUE(model.refused);
    EXPECT_FALSE(model.isReleased());
}

}  // namespace
}  // namespace meshreel

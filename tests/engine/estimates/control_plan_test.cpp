// SPDX-License-Identifier: GPL-3.0-or-later
// What plans count for a control video and the pictures beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/checks/context_window_check.h"
#include "engine/planning/plan_work.h"
#include "engine/planning/run_plan.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ControlPlans : public ::testing::Test {
  protected:
    [[nodiscard]] Project controlledOn(std::string_view family) const {
        const std::filesystem::path folder = m_folder.path() / family;
        if (!std::filesystem::exists(folder))
            testing::makeTinyModel(folder, testing::tinyModelOf(family));
        Project project = testing::smallProject();
        project.model = folder.string();
        project.height = project.width = 64;
        project.numFrames = 9;
        project.video = input("depth.mp4");
        return project;
    }

    [[nodiscard]] std::string input(std::string_view name) const { return (m_folder.path() / name).string(); }

    static PlanPtr plan(const Project& project) {
        return makePlan(project, {.workers = 1, .memoryBytes = std::uint64_t{1} << 40});
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(ControlPlans, CountTheReferencesTokensWithOrWithoutAPicture) {
    for (const std::string_view family :
         {"wan2.1-fun-control", "wan2.2-fun-control-a14b", "wan2.2-fun-control-5b"}) {
        SCOPED_TRACE(family);
        Project project = controlledOn(family);
        const PlanPtr alone = plan(project);
        EXPECT_EQ(alone->task, WanTask::ControlToVideo);
        ASSERT_EQ(alone->groups.size(), 1U);
        const GroupShape& reference = alone->groups.front();
        EXPECT_EQ(reference.latents, alone->latentShape.with(0, 1).with(2, 1));
        EXPECT_EQ(reference.firstFrame, -1);
        EXPECT_EQ(reference.embedding, PatchEmbedding::Reference);
        const std::int64_t ofFrame = alone->latentShape[3] / 2 * (alone->latentShape[4] / 2);
        EXPECT_EQ(alone->tokens, (alone->latentShape[2] + 1) * ofFrame);
        EXPECT_EQ(alone->noiseFramesBehind(), 0);
        project.referenceImages = input("a.png");
        EXPECT_EQ(plan(project)->tokens, alone->tokens);
        project.guidanceScale = 5;
        EXPECT_EQ(plan(project)->passes.size(), 2U) << "guidance by pictures is Phantom's";
    }
}

TEST_F(ControlPlans, KnowWhatTheVaeEncodes) {
    Project first = controlledOn("wan2.1-fun-control");
    EXPECT_THAT(encodedFrames(*plan(first)), ElementsAre(9));
    first.image = input("a.png");
    EXPECT_THAT(encodedFrames(*plan(first)), ElementsAre(9, 1));
    first.referenceImages = input("b.png");
    EXPECT_THAT(encodedFrames(*plan(first)), ElementsAre(9, 1, 1));
    Project second = controlledOn("wan2.2-fun-control-a14b");
    second.image = input("a.png");
    EXPECT_THAT(encodedFrames(*plan(second)), ElementsAre(9, 9)) << "grey behind the picture";
    Project third = controlledOn("wan2.2-fun-control-5b");
    third.referenceImages = input("b.png");
    EXPECT_THAT(encodedFrames(*plan(third)), ElementsAre(9, 1));
}

TEST_F(ControlPlans, AModelWithoutRefConvHasNoGroup) {
    testing::TinyModel model = testing::tinyModelOf("wan2.1-fun-control");
    model.transformer["in_dim_ref_conv"] = nullptr;
    Project project = controlledOn("wan2.1-fun-control");
    const std::int64_t tokens = plan(project)->tokens;
    testing::makeTinyModel(m_folder.path() / "first", model);
    project.model = (m_folder.path() / "first").string();
    EXPECT_THAT(plan(project)->groups, IsEmpty());
    EXPECT_LT(plan(project)->tokens, tokens);
    EXPECT_EQ(plan(project)->model.family->name, "wan2.1-fun-control");
}

TEST_F(ControlPlans, WindowsHaveEachTheirPartOfTheControlVideo) {
    const auto problems = [](const Project& project) {
        return contextWindowProblems(project, *readProjectModel(project).facts);
    };
    Project project = controlledOn("wan2.2-fun-control-a14b");
    project.numFrames = 17;
    project.contextFrames = 9;
    project.contextOverlap = 4;
    project.image = input("a.png");
    EXPECT_THAT(problems(project), IsEmpty());
    EXPECT_EQ(plan(project)->groups.front().firstFrame, -1) << "before each window";
    project.contextRetainFirst = true;
    EXPECT_THAT(problems(project), ElementsAre(::testing::Field(&Problem::key, "context_retain_first")));
    Project timed = controlledOn("wan2.2-fun-control-5b");
    timed.numFrames = 17;
    timed.contextFrames = 9;
    timed.contextOverlap = 4;
    EXPECT_THAT(problems(timed), IsEmpty());
    timed.image = input("a.png");
    EXPECT_THAT(problems(timed), ElementsAre(::testing::Field(&Problem::key, "context_frames")));
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/control_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "engine/checks/task_choice.h"
#include "engine/models/families/control_channels.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ModelFacts controlFacts(std::string_view family, std::int64_t referenceChannels = 16) {
    ModelFacts facts;
    facts.family = &*std::ranges::find(modelFamilies(), family, &ModelFamily::name);
    facts.transformer.referenceChannels = referenceChannels;
    return facts;
}

Project controlled() {
    Project project = testing::smallProject();
    project.video = "depth.mp4";
    return project;
}

TEST(ControlPictures, OnlyOneReferenceIsTaken) {
    Project project = controlled();
    const ModelFacts facts = controlFacts("wan2.1-fun-control");
    EXPECT_THAT(controlPictureProblems(project, facts), IsEmpty());
    project.referenceImages = "a.png";
    project.image = "b.png";
    EXPECT_THAT(controlPictureProblems(project, facts), IsEmpty());
    project.referenceImages = "a.png, c.png";
    EXPECT_THAT(controlPictureProblems(project, facts), ElementsAre(testing::Fault("references-too-many")));
}

TEST(ControlPictures, AModelWithoutRefConvTakesNone) {
    Project project = controlled();
    project.referenceImages = "a.png";
    EXPECT_THAT(controlPictureProblems(project, controlFacts("wan2.1-fun-control", 0)),
                ElementsAre(AllOf(testing::Fault("task-input-unused"),
                                  ::testing::Field(&Problem::key, "reference_images"))));
}

TEST(ControlPictures, AFirstImageNeedsAFrameBehindIt) {
    Project project = controlled();
    project.numFrames = 1;
    const ModelFacts facts = controlFacts("wan2.2-fun-control-a14b");
    EXPECT_THAT(controlPictureProblems(project, facts), IsEmpty());
    project.image = "b.png";
    EXPECT_THAT(controlPictureProblems(project, facts), ElementsAre(testing::Fault("value-below-least")));
}

TEST(ControlPictures, AreOfNoConcernToOtherTasks) {
    Project project = testing::smallProject();
    project.referenceImages = "a.png, b.png";
    EXPECT_THAT(controlPictureProblems(project, controlFacts("wan2.1-vace", 0)), IsEmpty());
}

TEST(ChooseTask, AVideoControlsWhatTakesNothingElse) {
    Project project = controlled();
    for (const char* name : {"wan2.1-fun-control", "wan2.2-fun-control-a14b", "wan2.2-fun-control-5b"}) {
        const ModelFamily& family = *controlFacts(name).family;
        EXPECT_EQ(chooseTask(project, family).task, WanTask::ControlToVideo);
        EXPECT_THAT(chooseTask(project, family).problems, IsEmpty());
    }
    EXPECT_TRUE(marksFirstFrames(*controlFacts("wan2.2-fun-control-a14b").family));
    EXPECT_TRUE(marksFirstFrames(*controlFacts("wan2.2-fun-control-5b").family));
    EXPECT_FALSE(marksFirstFrames(*controlFacts("wan2.1-fun-control").family));
    project.video.clear();
    EXPECT_THAT(chooseTask(project, *controlFacts("wan2.1-fun-control").family).problems,
                ElementsAre(testing::Fault("task-input-missing")));
    project.video = "depth.mp4";
    project.lastImage = "end.png";
    EXPECT_THAT(chooseTask(project, *controlFacts("wan2.1-fun-control").family).problems,
                ElementsAre(testing::Fault("task-input-unused")));
}

}  // namespace
}  // namespace meshreel

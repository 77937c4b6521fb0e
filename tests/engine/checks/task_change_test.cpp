// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/task_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/checks/task_choice.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Project changed(Project project, const KeyChanges& changes) {
    for (const KeyChange& change : changes)
        setFromText(project, *findProjectKey(change.key), change.value);
    return project;
}

/// A project in which everything that any task reads has a value.
Project ofEverything() {
    Project project;
    for (const InputKey& input : inputKeys())
        if (input.kind == InputKind::Keyframes)
            project.keyframes = {{.place = {.unit = PlaceUnit::Frame, .value = 8}, .image = "c.png"}};
        else if (input.kind != InputKind::Sound)
            project.*input.member = std::string(input.name) + ".png";
    project.strength = 0.5;
    project.conditioningScale = "0.5";
    project.guidanceScaleImage = 3;
    project.segmentFrameLength = 41;
    project.continueFrames = 5;
    return project;
}

TEST(TaskChange, LeavesNothingThatTheTaskDoesNotRead) {
    for (const WanTaskRow& row : wanTasks()) {
        const Project project = changed(ofEverything(), changesToTask(ofEverything(), row.task));
        EXPECT_EQ(project.task, row.name);
        for (const InputKey& input : inputKeys())
            if (input.kind != InputKind::Sound) {
                EXPECT_EQ(inputFiles(project, input).empty(), !reads(row, input.name))
                    << row.name << ' ' << input.name;
            }
        for (const WanTaskRow& other : wanTasks())
            for (const std::string_view setting : other.settings)
                if (!reads(row, setting)) {
                    EXPECT_TRUE(isDefault(project, *findProjectKey(setting))) << row.name << ' ' << setting;
                }
    }
}

TEST(TaskChange, LeavesWhatNoTaskOwns) {
    Project project;
    project.prompt = "a ball";
    project.seed = 7;
    project.width = 128;
    EXPECT_THAT(changesToTask(project, WanTask::ImageToVideo), ElementsAre(KeyChange{"task", "i2v"}));
}

TEST(TaskChange, EndsTheProblemsOfInputsThatAreNotUsed) {
    const ModelFamily& family = *familyOfArchitecture("wan2.2-ti2v-5b");
    for (const WanTask task : family.tasks) {
        const Project project = changed(ofEverything(), changesToTask(ofEverything(), task));
        for (const Problem& problem : chooseTask(project, family).problems)
            EXPECT_NE(problem.id, ProblemId("task-input-unused")) << problem.key;
    }
}

TEST(TaskChange, ListsTheInputsThatAreMissing) {
    Project project;
    EXPECT_THAT(missingInputs(project, WanTask::TextToVideo), IsEmpty());
    EXPECT_THAT(missingInputs(project, WanTask::ImageToVideo), ElementsAre("image"));
    EXPECT_THAT(missingInputs(project, WanTask::FirstLastFrame), ElementsAre("image", "last_image"));
    project.image = "a.png";
    EXPECT_THAT(missingInputs(project, WanTask::FirstLastFrame), ElementsAre("last_image"));
    EXPECT_THAT(missingInputs(project, WanTask::Animation), ElementsAre("pose_video", "face_video"));
}

TEST(TaskChange, TakesTheClipBeforeForTheFirstPicture) {
    Project project;
    project.continueFrom = "clip.mp4";
    EXPECT_THAT(missingInputs(project, WanTask::ImageToVideo), IsEmpty());
    project.task = "animate";  // whose picture shows the character
    EXPECT_THAT(missingInputs(project, WanTask::Animation), ElementsAre("image", "pose_video", "face_video"));
}

TEST(TaskChange, AnotherModelHasItsOwnPartsAndNoAdapters) {
    Project project;
    project.vaeFile = "vae.safetensors";
    project.lora = {{.file = "style.safetensors"}};
    setFromText(project, *findProjectKey("preset"), "distill-4");
    const Project after = changed(project, changesToModel(project, "tiny-wan-i2v"));
    EXPECT_EQ(after.model, "tiny-wan-i2v");
    EXPECT_TRUE(after.vaeFile.empty());
    EXPECT_TRUE(after.lora.empty());
    EXPECT_EQ(after.preset, Project().preset);
    EXPECT_EQ(after.numInferenceSteps, Project().numInferenceSteps);  // the preset's go with it
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/task_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/offered_model.h"

namespace meshreel {
namespace {

using ::testing::Contains;
using ::testing::Field;

const ModelFamily& familyNamed(const char* architecture) {
    return *familyOfArchitecture(architecture);
}

UsableModel usable(const char* name, const char* architecture, bool embedded = false) {
    return {.name = name,
            .path = std::string("/models/") + name,
            .folder = {},
            .family = &familyNamed(architecture),
            .embedded = embedded};
}

TEST(TaskModels, ListsTheEmbeddedOnes) {
    const std::vector<UsableModel> models = listUsableModels();
    EXPECT_THAT(models, Contains(Field(&UsableModel::name, "tiny-wan-t2v")));
    EXPECT_THAT(models, Contains(Field(&UsableModel::name, "tiny-wan-i2v")));
    for (const UsableModel& each : models)
        EXPECT_NE(each.family, nullptr) << each.name;
}

TEST(TaskModels, TakesTheOneThatWasUsedLast) {
    const std::array models{usable("one", "wan2.1-i2v-14b"), usable("two", "wan2.2-i2v-a14b"),
                            usable("text", "wan2.1-t2v-14b")};
    const std::vector<std::string> used{"text", "/models/two", "one"};
    EXPECT_EQ(findModelFor(WanTask::ImageToVideo, models, used), &models[1]);
    EXPECT_EQ(findModelFor(WanTask::TextToVideo, models, used), &models[2]);
    EXPECT_EQ(findModelFor(WanTask::VaceEditing, models, used), nullptr);
}

TEST(TaskModels, TakesAnEmbeddedOneBeforeOneThatCannotBeRead) {
    const std::array models{usable("gone", "wan2.1-i2v-14b"), usable("tiny", "wan2.2-i2v-one", true)};
    EXPECT_EQ(findModelFor(WanTask::ImageToVideo, models), &models[1]);
}

TEST(TaskModels, KeepsTheProjectsModelWhereItDoesTheTask) {
    const std::array tasks{WanTask::SubjectsToVideo, WanTask::VideoToVideo};
    const TaskFound found = findTask(Project(), tasks);
    EXPECT_EQ(found.task, WanTask::VideoToVideo);
    EXPECT_EQ(found.model, "");
    ASSERT_NE(found.family, nullptr);
    EXPECT_TRUE(offers(*found.family, WanTask::VideoToVideo));
}

TEST(TaskModels, TakesAnotherModelWhereItDoesNot) {
    const std::array tasks{WanTask::ImageToVideo};
    const TaskFound found = findTask(Project(), tasks);
    EXPECT_EQ(found.model, "tiny-wan-i2v");
    ASSERT_NE(found.family, nullptr);
    EXPECT_TRUE(offers(*found.family, WanTask::ImageToVideo));
}

TEST(TaskModels, WeightsCalledImageToVideoAreTakenForNoAnimation) {
    const std::array models{usable("plain", "wan2.1-i2v-14b")};
    ASSERT_TRUE(offers(*models[0].family, WanTask::DrivenAnimation));
    EXPECT_EQ(findModelFor(WanTask::DrivenAnimation, models), nullptr);
    Project project;
    project.model = "tiny-wan-i2v";
    const std::array tasks{WanTask::DrivenAnimation};
    EXPECT_EQ(findTask(project, tasks, {}, models).family, nullptr);
}

TEST(TaskModels, OffersADownloadWhereNoneDoes) {
    const std::array tasks{WanTask::VaceEditing};
    const TaskFound found = findTask(Project(), tasks);
    EXPECT_EQ(found.family, nullptr);
    EXPECT_EQ(found.task, WanTask::VaceEditing);
    ASSERT_TRUE(found.get.has_value());
    EXPECT_TRUE(offers(*offeredModelFacts(*found.get->offer)->family, WanTask::VaceEditing));
    EXPECT_GT(found.get->bytesMissing, 0U);
}

}  // namespace
}  // namespace meshreel

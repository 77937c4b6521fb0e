// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/applied_values.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

PlanOptions withPlenty() {
    return {.memoryBytes = std::uint64_t{1} << 40};
}

TEST(AppliedValues, SayWhatThePlanTook) {
    Project project = testing::smallProject();
    project.iciContextParallelism = 2;
    project.devices = 0;
    project.workers = 0;
    const PlanPtr plan = makePlan(project, withPlenty());
    const Project applied = appliedProject(*plan);
    EXPECT_EQ(applied.devices, 2);
    EXPECT_EQ(applied.workers, plan->workersPerDevice);
    EXPECT_EQ(applied.blockQ, plan->attentions.self.blocks.blockQ);
    EXPECT_GT(applied.blockQ, 0);
    EXPECT_EQ(applied.dcnContextParallelism, 1);
    EXPECT_EQ(applied.vaeSpatial, 2);
    // What a person said stays, and so does what one transformer does not ask for.
    EXPECT_EQ(applied.iciContextParallelism, 2);
    EXPECT_EQ(applied.guidanceScaleHigh, 0);
    EXPECT_EQ(applied.boundaryRatio, 0);
    EXPECT_EQ(applied.magcacheThresh, 0);
}

TEST(AppliedValues, AreThoseOfTheModel) {
    const testing::TemporaryFolder folder;
    testing::makeTinyModel(folder.path() / "two", testing::tinyModelOf("wan2.2-t2v-a14b"));
    Project project = testing::smallProject();
    project.model = (folder.path() / "two").string();
    project.guidanceScaleLow = 2;
    const PlanPtr plan = makePlan(project, withPlenty());
    const Project applied = appliedProject(*plan);
    ASSERT_TRUE(plan->model.boundaryRatio);
    EXPECT_EQ(applied.boundaryRatio, *plan->model.boundaryRatio);
    EXPECT_EQ(applied.guidanceScaleHigh, project.guidanceScale);
    EXPECT_EQ(applied.guidanceScaleLow, 2);
}

/// A number that is left to the plan is told, or has a word of its own; "automatic" alone says nothing.
TEST(AppliedValues, NameEveryNumberThatIsDecided) {
    const testing::TemporaryFolder folder;
    testing::makeTinyModel(folder.path() / "two", testing::tinyModelOf("wan2.2-t2v-a14b"));
    Project project = testing::smallProject();
    project.model = (folder.path() / "two").string();
    const Project applied = appliedProject(*makePlan(project, withPlenty()));
    for (const ProjectKey& key : projectKeys()) {
        const bool isOff = key.section == "Step caches" || key.name == "continue_frames";
        if (key.automatic != "automatic" || isOff)
            continue;
        EXPECT_NE(valueText(applied, key), automaticValue(key)) << key.name;
    }
}

}  // namespace
}  // namespace meshreel

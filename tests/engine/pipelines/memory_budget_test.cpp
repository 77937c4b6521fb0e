// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/plan_json.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t saved = 10 << 20;  // of the 20 MB that the embedded transformer takes as f32

PlanPtr budgetPlan(const Project& project) {
    PlanOptions options;
    options.workers = 1;
    return makePlan(project, options);
}

Tensor latentsOf(const RunPlan& plan) {
    DeviceMesh mesh(meshOptions(plan));
    return generate({mesh, StopToken()}, plan, {}, ignoreEvent).latents;
}

/// The project with a budget that its plan does not fit into without streaming.
Project tight(Project project) {
    project.memoryBudget = static_cast<double>(budgetPlan(project)->memory.peak() - saved) / gibibyte;
    return project;
}

Project twoSteps() {
    Project project = testing::smallProject();
    project.numInferenceSteps = 2;
    return project;
}

TEST(MemoryBudget, KeepsAsManyLayersAsFit) {
    const PlanPtr whole = budgetPlan(twoSteps());
    const Project project = tight(twoSteps());
    const PlanPtr plan = budgetPlan(project);
    EXPECT_FALSE(whole->placement.residentLayers());
    ASSERT_TRUE(plan->placement.residentLayers());
    EXPECT_GT(*plan->placement.residentLayers(), 0);
    EXPECT_LT(*plan->placement.residentLayers(), std::ssize(*plan->model.transformerLayers));
    EXPECT_LE(plan->memory.peak(), plan->memory.budget);
    EXPECT_LT(plan->memory.device.weights, whole->memory.device.weights);
    EXPECT_THAT(describePlan(*plan),
                HasSubstr(fmt::format("{} of {} layers", *plan->placement.residentLayers(),
                                      plan->model.transformerLayers->size())));
    EXPECT_EQ(planJson(*plan).at("memory_bytes").at("resident_layers"), *plan->placement.residentLayers());
    EXPECT_EQ(planJson(*whole).at("memory_bytes").at("resident_layers"), "all");
}

TEST(MemoryBudget, ThatHoldsNoLayerIsRefusedWithTheNumbers) {
    Project project = twoSteps();
    project.memoryBudget = 0.001;
    try {
        static_cast<void>(budgetPlan(project));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Resources);
        EXPECT_EQ(error.where(), "memory_budget");
        EXPECT_EQ(error.problem().id, ProblemId("memory-short"));
    }
}

TEST(MemoryBudget, ChangesNoBitOnAnyMesh) {
    for (std::int64_t Project::*axis :
         {&Project::devices, &Project::iciDataParallelism, &Project::iciFsdpParallelism,
          &Project::iciContextParallelism, &Project::iciTensorParallelism})
        for (const char* type : {"float32", "bfloat16"}) {
            Project project = twoSteps();
            project.devices = axis == &Project::devices ? 1 : 2;
            project.*axis = project.devices;
            project.weightsDtype = project.activationsDtype = type;
            const PlanPtr whole = budgetPlan(project);
            for (const std::int64_t resident : {0, 3}) {
                const PlanPtr streamed =
                    withPlacement(*whole, placedAs(*whole, whole->placement.withResidentLayers(resident)));
                EXPECT_TRUE(
                    std::ranges::equal(latentsOf(*streamed).data<float>(), latentsOf(*whole).data<float>()))
                    << type << " on " << whole->layout.shape().text() << " with " << resident;
            }
        }
}

}  // namespace
}  // namespace meshreel

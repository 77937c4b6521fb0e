// SPDX-License-Identifier: GPL-3.0-or-later
// What plans say of heads that the devices which exchange them do not divide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem_ids.h"
#include "engine/estimates/work.h"
#include "engine/planning/mesh_search.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/plan_json.h"
#include "engine/planning/plan_text.h"
#include "engine/planning/plan_work.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/step_passes.h"
#include "engine/planning/target_hardware.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The embedded model (8 heads): 64x64 pixels, 9 frames, 48 tokens.
Project projectOnContext(const std::string& mode, int context, int ulyssesShards = -1) {
    Project project = testing::smallProject();
    project.height = project.width = 64;
    project.numFrames = 9;
    project.attention = mode;
    project.ulyssesShards = ulyssesShards;
    project.iciContextParallelism = context;
    project.devices = context;
    return project;
}

PlanPtr planOnContext(const std::string& mode, int context, int ulyssesShards = -1) {
    return makePlan(projectOnContext(mode, context, ulyssesShards), {.memoryBytes = std::uint64_t{1} << 40});
}

double softmaxOf(const RunPlan& plan) {
    return stepWork(plan, plan.placement, 12)[WorkClass::Softmax];
}

TEST(UnevenHeads, MakeTheOthersWaitForTheDeviceWithMost) {
    const auto softmax = [](const std::string& mode, int context) {
        Project project = projectOnContext(mode, context);
        project.maxSequenceLength = 32;  // with more text than video its heads are exchanged, too
        return softmaxOf(*makePlan(project, {.memoryBytes = std::uint64_t{1} << 40}));
    };
    EXPECT_EQ(planOnContext("ulysses", 3)->attentions.self.mostHeads(), 3);
    // Attention to the text is not exchanged, so the whole grows by less than nine eighths.
    const double even = softmax("tokamax_ring", 3);
    EXPECT_GT(softmax("ulysses", 3), 1.05 * even);
    EXPECT_LT(softmax("ulysses", 3), 1.125 * even);
    EXPECT_DOUBLE_EQ(softmax("ulysses", 2), softmax("tokamax_ring", 2));
}

TEST(UnevenHeads, AreExchangedUnevenly) {
    const std::vector<std::int64_t> bytes = selfAttentionBytes(*planOnContext("ulysses", 3));
    ASSERT_EQ(bytes.size(), 3U);
    EXPECT_EQ(bytes[0], bytes[1]) << "3, 3 and 2 heads";
    // Queries, keys and values of 32 other tokens for its own heads; of its 16 the outputs of the other
    // heads.
    EXPECT_EQ(bytes[0] * (3 * 2 * 32 + 6 * 16), bytes[2] * (3 * 3 * 32 + 5 * 16));
    const PlanPtr plan = planOnContext("ulysses", 3);
    EXPECT_EQ(trafficPerStep(*plan).front().bytes,
              passesPerStep(*plan) * plan->model.transformer.layers * bytes[0]);
}

TEST(UnevenHeads, ComeWhollyFromOtherHostsWhereEveryDeviceIsOne) {
    Project project = projectOnContext("ulysses_ring", 1, 3);
    project.dcnContextParallelism = 6;
    project.devices = 6;
    const PlanPtr plan = makePlan(project, {.memoryBytes = std::uint64_t{1} << 40});
    std::int64_t all = 0;
    for (const MeshTraffic& traffic : trafficPerStep(*plan))
        all += traffic.bytes;
    EXPECT_EQ(bytesBetweenHosts(*plan), all);
}

TEST(UnevenHeads, AreToldWithTheirEfficiency) {
    const PlanPtr uneven = planOnContext("ulysses", 3);
    EXPECT_THAT(describePlan(*uneven), HasSubstr("up to 3 heads a device (89 %)"));
    EXPECT_THAT(describePlan(*planOnContext("ulysses", 4)), Not(HasSubstr("heads a device")));
    const nlohmann::ordered_json attention = planJson(*uneven).at("attention");
    EXPECT_EQ(attention.at("most_heads"), 3);
    EXPECT_NEAR(attention.at("head_efficiency").get<double>(), 8.0 / 9, 1e-12);
}

TEST(UnevenHeads, AreAmongTheLegalMeshes) {
    const std::vector<LegalMesh> meshes = legalMeshes(*planOnContext("tokamax_ring", 6));
    const auto found = [&](std::string_view mode, int ulysses) {
        const auto mesh = std::ranges::find_if(meshes, [&](const LegalMesh& other) {
            return other.mode->name == mode && other.layout.shape() == MeshShape{.context = 6} &&
                   other.split.ulysses == ulysses;
        });
        return mesh == meshes.end() ? nullptr : &*mesh;
    };
    const LegalMesh* const pure = found("ulysses", 6);
    ASSERT_NE(pure, nullptr);
    EXPECT_EQ(pure->mostHeads, 2);
    EXPECT_NEAR(pure->headEfficiency, 8.0 / 12, 1e-12);
    const LegalMesh* const square = found("ulysses_ring", 2);
    ASSERT_NE(square, nullptr);
    EXPECT_EQ(square->headEfficiency, 1);
    ASSERT_NE(found("ulysses_ring", 3), nullptr);
    EXPECT_THAT(describeMeshes(meshes), HasSubstr("ulysses, up to 2 heads a device (67 %)"));
    for (const auto& mesh : meshesJson(meshes))
        EXPECT_EQ(mesh.at("head_efficiency").get<double>() == 1.0, mesh.at("ulysses").get<int>() % 3 != 0)
            << mesh;
}

TEST(UnevenHeads, AreRankedByTheSecondsOfTheDeviceWithMost) {
    MeshSearch search;
    search.predict = [](const RunPlan& plan) -> std::optional<Prediction> {
        const double seconds = softmaxOf(plan);
        return Prediction{.step = {.seconds = seconds, .low = seconds, .high = seconds},
                          .firstStep = {},
                          .stages = {},
                          .total = {}};
    };
    const std::vector<LegalMesh> meshes = legalMeshes(*planOnContext("tokamax_ring", 6), search);
    const auto secondsOf = [&](std::string_view mode, int ulysses) {
        return std::ranges::find_if(meshes,
                                    [&](const LegalMesh& mesh) {
                                        return mesh.mode->name == mode &&
                                               mesh.layout.shape() == MeshShape{.context = 6} &&
                                               mesh.split.ulysses == ulysses;
                                    })
            ->step.value()
            .seconds;
    };
    EXPECT_GT(secondsOf("ulysses", 6), secondsOf("ulysses_ring", 3));
    EXPECT_GT(secondsOf("ulysses_ring", 3), secondsOf("ulysses_ring", 2));
}

TEST(UnevenHeads, AreWarnedOfWhereTheProgramOfTheHardwareDoesNotExchangeThem) {
    const PlanPtr uneven = planOnContext("ulysses", 3);
    const TargetOutlook refused = foreseePlan(*uneven, readTargetHardware("tpu-v7x"));
    const auto warning =
        std::ranges::find(refused.problems, ProblemId("heads-not-for-program"), &Problem::id);
    ASSERT_NE(warning, refused.problems.end());
    EXPECT_EQ(warning->severity, Severity::Warning);
    EXPECT_THAT(*warning, testing::Names("maxdiffusion", "8", "3"));
    const TargetHardware taking = readTargetHardware("h100", "other");
    EXPECT_EQ(std::ranges::count(foreseePlan(*uneven, taking).problems, ProblemId("heads-not-for-program"),
                                 &Problem::id),
              0);
    const auto hasUneven = [](const std::vector<LegalMesh>& meshes) {
        return std::ranges::any_of(
            meshes, [](const LegalMesh& mesh) { return !mesh.isCurrent && mesh.headEfficiency < 1; });
    };
    const PlanPtr ring = planOnContext("tokamax_ring", 3);
    EXPECT_FALSE(hasUneven(rankedMeshesOn(readTargetHardware("tpu-v7x"), *ring)));
    EXPECT_TRUE(hasUneven(rankedMeshesOn(taking, *ring)));
}

}  // namespace
}  // namespace meshreel

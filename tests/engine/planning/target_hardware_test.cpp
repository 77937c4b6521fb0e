// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/target_hardware.h"
#include "engine/foresight/own_times.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/planning/project_forecast.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Wan 2.2 T2V A14B at 720p on U2 R2 beside two data shards, and what else is said.
PlanPtr planWith(std::vector<std::string> settings = {}) {
    settings.insert(settings.begin(), "ici_data_parallelism=2");
    const Project project =
        loadProject(testing::sourceFolder() / "configs/presets/wan2.2-t2v-a14b-720p-ring2d-cp4.yaml",
                    settings)
            .project;
    return makePlan(project,
                    {.beyondMemory = true, .oversubscribe = true, .model = readProjectModel(project).facts});
}

const TargetHardware& v7x() {
    static const TargetHardware target = readTargetHardware("tpu-v7x");
    return target;
}

std::vector<std::string> onRing(int devices) {
    return {"attention=ulysses_ring_custom",
            "ulysses_shards=1",
            "guidance_scale_high=1",
            "guidance_scale_low=1",
            "devices=" + std::to_string(devices),
            "ici_data_parallelism=1",
            "ici_context_parallelism=" + std::to_string(devices)};
}

TEST(TargetHardware, APlanIsForeseenOnItsOwnMesh) {
    const TargetOutlook outlook = foreseePlan(*planWith(), v7x());
    EXPECT_EQ(outlook.own.of.mesh.label(), "dp2-cp4-U2R2");
    EXPECT_EQ(outlook.own.mode->name, "ulysses_ring_custom");
    EXPECT_NEAR(outlook.own.step.seconds, 2.74, 0.3) << "as pull request 430 measured it";
    EXPECT_EQ(outlook.basis, EfficiencyBasis::OwnTimes);
    ASSERT_TRUE(outlook.best);
    EXPECT_LE(outlook.best->step.seconds, outlook.own.step.seconds);
    EXPECT_THAT(outlook.problems, IsEmpty());
    EXPECT_THAT(describeOutlook(outlook), HasSubstr(v7x().hardware->title));
}

TEST(TargetHardware, BlocksThatTheProjectNamesAreItsOwn) {
    const TargetOutlook outlook = foreseePlan(*planWith({"flash_block_sizes.block_q=4096"}), v7x());
    EXPECT_EQ(outlook.own.of.blockQ, 4096);
    EXPECT_GT(outlook.own.step.seconds, foreseePlan(*planWith(), v7x()).own.step.seconds);
}

/// The milliseconds that a hop takes, as a warning of a ring that waits for them names them.
std::string hop(const TargetOutlook& outlook) {
    return fmt::format("{:.1f}", 1e3 * outlook.own.seconds.transferPerHop);
}

TEST(TargetHardware, ALongRingIsWarnedOfWithTheSplitThatIsFaster) {
    const TargetOutlook outlook = foreseePlan(*planWith(onRing(8)), v7x());
    EXPECT_EQ(outlook.own.of.mesh.ring, 8);
    ASSERT_EQ(outlook.problems.size(), 1U);
    const Problem& problem = outlook.problems.front();
    EXPECT_EQ(problem.id, ProblemId("mesh-slow"));
    EXPECT_EQ(problem.severity, Severity::Warning);
    EXPECT_THAT(problem, testing::Names("8", hop(outlook)));
    ASSERT_FALSE(problem.fixes.front().changes.empty());
    // The fix ends it.
    std::vector<std::string> fixed = onRing(8);
    for (const KeyChange& change : problem.fixes.front().changes)
        fixed.push_back(change.key + "=" + change.value);
    EXPECT_THAT(foreseePlan(*planWith(fixed), v7x()).problems, IsEmpty());
}

TEST(TargetHardware, AShortRingIsNotAndFastLinksAreNoReason) {
    EXPECT_THAT(foreseePlan(*planWith(onRing(4)), v7x()).problems, IsEmpty());
    auto fast = std::make_shared<HardwareProfile>(*v7x().hardware);
    for (LinkClass& link : fast->links) {
        link.bandwidth *= 1e3;
        link.latency = 0;
    }
    TargetHardware target = v7x();
    target.hardware = fast;
    const TargetOutlook slow = foreseePlan(*planWith(onRing(8)), v7x());
    const TargetOutlook quick = foreseePlan(*planWith(onRing(8)), target);
    EXPECT_LT(quick.own.step.seconds, 0.7 * slow.own.step.seconds);
    for (const Problem& problem : quick.problems)
        EXPECT_THAT(problem, Not(testing::Names(hop(quick)))) << "its links hide every hop";
}

ProjectForecast forecastWith(const KeyChanges& keys) {
    Project project = testing::smallProject();
    project.width = 128;
    project.numFrames = 1021;
    for (const KeyChange& change : keys)
        setFromText(project, *findProjectKey(change.key), change.value);
    return makeForecast(project, {.target = std::make_shared<const TargetHardware>(v7x())});
}

const KeyChanges manyDevices{{.key = "devices", .value = "256"}};

TEST(TargetHardware, WhatThisMachineLacksKeepsNobodyFromPlanningForIt) {
    const KeyChanges oneGpuForTwo{{.key = "devices", .value = "2"}, {.key = "gpus", .value = "0"}};
    for (const KeyChanges& keys : {oneGpuForTwo, manyDevices}) {
        const ProjectForecast forecast = forecastWith(keys);
        EXPECT_TRUE(areObstacles(forecast.problems, nullptr));
        EXPECT_FALSE(areObstacles(forecast.problems, forecast.target.get()));
        EXPECT_NE(forecast.plan, nullptr);
    }
}

TEST(TargetHardware, AProjectThatNobodyCanPlanIsRefusedBesideWhatThisMachineLacks) {
    KeyChanges keys = manyDevices;
    keys.push_back({.key = "use_magcache", .value = "true"});
    keys.push_back({.key = "mag_ratios_file", .value = "/nowhere/at/all.json"});
    const ProjectForecast forecast = forecastWith(keys);
    EXPECT_EQ(forecast.plan, nullptr);
    EXPECT_TRUE(areObstacles(forecast.problems, forecast.target.get()));
}

TEST(TargetHardware, MemoryThatDoesNotDoIsWarnedOf) {
    const TargetOutlook outlook =
        foreseePlan(*planWith({"devices=1", "ici_data_parallelism=1", "ici_context_parallelism=1",
                               "attention=flash", "ulysses_shards=-1"}),
                    readTargetHardware("rtx-4090", "lightx2v"));
    ASSERT_FALSE(outlook.problems.empty());
    EXPECT_EQ(outlook.problems.front().id, ProblemId("memory-short"));
    EXPECT_THAT(outlook.problems.front(), testing::Names("24"));
}

TEST(TargetHardware, LegalMeshesAreRankedByTheTarget) {
    const std::vector<LegalMesh> meshes = rankedMeshesOn(v7x(), *planWith());
    ASSERT_GT(meshes.size(), 5U);
    for (std::size_t mesh = 1; mesh < meshes.size(); ++mesh) {
        ASSERT_TRUE(meshes[mesh].step);
        if (meshes[mesh].fits == meshes[mesh - 1].fits) {
            EXPECT_LE(meshes[mesh - 1].step->seconds, meshes[mesh].step->seconds);
        }
    }
    EXPECT_EQ(std::ranges::count(meshes, true, &LegalMesh::isCurrent), 1);
    EXPECT_TRUE(std::ranges::any_of(
        meshes, [](const LegalMesh& mesh) { return mesh.mode->kernel == AttentionKernel::CustomFixedM; }));
}

TEST(TargetHardware, JsonNamesWhatItRestsOn) {
    const auto json = outlookJson(foreseePlan(*planWith(onRing(8)), v7x()));
    EXPECT_EQ(json["hardware"], "tpu-v7x");
    EXPECT_EQ(json["efficiencies"], "own times");
    EXPECT_EQ(json["own"]["axes"]["ring"], 8);
    EXPECT_EQ(json["problems"][0]["id"], "mesh-slow");
}

}  // namespace
}  // namespace meshreel

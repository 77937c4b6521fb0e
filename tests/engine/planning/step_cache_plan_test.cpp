// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/step_cache_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/planning/run_plan.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr std::uint64_t plentyForCaches = std::uint64_t{1} << 40;

class StepCachePlanning : public ::testing::Test {
  protected:
    [[nodiscard]] Project projectOn(std::string_view family) {
        const std::filesystem::path folder = m_folder.path() / family;
        std::filesystem::remove_all(folder);
        testing::makeTinyModel(folder, testing::tinyModelOf(family));
        Project project = testing::smallProject();
        project.model = folder.string();
        project.numInferenceSteps = 50;
        return project;
    }

    static Problem refusal(const Project& project) {
        const testing::Refusal refused = testing::refusalOf(
            ErrorKind::Project, [&project] { makePlan(project, {.memoryBytes = plentyForCaches}); });
        EXPECT_TRUE(refused) << "accepted";
        return refused.problem;
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(StepCachePlanning, TheSkipListIsThatOfTheFamilysCurve) {
    Project project = projectOn("wan2.1-t2v");
    project.useMagcache = true;
    const PlanPtr plan = makePlan(project, {.memoryBytes = plentyForCaches});
    EXPECT_EQ(plan->stepCache.shortenedAtMost(), 25);
    EXPECT_EQ(plan->stepCache.workOf(10), StepWork::NoBlocks);
    EXPECT_EQ(plan->stepCache.workOf(12), StepWork::Everything);
    EXPECT_THAT(plan->warnings,
                Contains(AllOf(testing::Fault("curve-of-other-model"), testing::Names("40", "2"))));
    EXPECT_THAT(describePlan(*plan), AllOf(HasSubstr("11, 12, 14"), HasSubstr("Wan 2.1 text to video")));

    Project phantom = projectOn("wan2.1-phantom");  // of the same tensors
    phantom.useMagcache = true;
    EXPECT_EQ(makePlan(phantom, {.memoryBytes = plentyForCaches})->stepCache.schedule,
              plan->stepCache.schedule);

    Project full = project;
    full.useMagcache = false;
    const PlanPtr uncached = makePlan(full, {.memoryBytes = plentyForCaches});
    EXPECT_LT(plan->flops.denoising, 0.6 * uncached->flops.denoising);
    // What the blocks add is kept of both halves, in f32.
    const auto kept = static_cast<std::uint64_t>(2 * plan->tokens * plan->model.transformer.innerDim() * 4);
    EXPECT_EQ(plan->memory.device.activations, uncached->memory.device.activations + kept);
}

TEST_F(StepCachePlanning, TwoExpertsHaveTheirOwnCurveAndShift) {
    Project project = projectOn("wan2.2-t2v-a14b");
    project.numInferenceSteps = 40;
    project.boundaryRatio = 0.875;
    project.useMagcache = true;
    EXPECT_THAT(refusal(project), AllOf(testing::Fault("curve-flow-shift-differs"), testing::Names("12")));
    project.flowShift = 12;
    const PlanPtr plan = makePlan(project, {.memoryBytes = plentyForCaches});
    EXPECT_EQ(plan->stepCache.loop.highSteps, 26);
    EXPECT_EQ(plan->stepCache.shortenedAtMost(), 18);
    EXPECT_EQ(plan->stepCache.threshold, 0.04);
    project.guidanceScaleLow = 1;
    EXPECT_THAT(refusal(project),
                AllOf(testing::Fault("step-cache-needs-guidance"), testing::Names("guidance_scale_low")));
}

/// The switch follows from shift and boundary, the list from the switch: MaxDiffusion's, at 720 lines.
TEST_F(StepCachePlanning, TheListsOfTwoExpertsAreMaxDiffusions) {
    struct List {
        std::string_view family;
        std::int64_t steps;
        double shift;
        double boundary;
        bool Project::*cache;
        std::vector<int> shortened;
    };
    const std::vector<List> lists{
        {"wan2.2-t2v-a14b", 40, 12, 0.875, &Project::useCfgCache, {27, 29, 30, 31, 32, 34, 35}},
        {"wan2.2-i2v-a14b",
         40,
         5,
         0.9,
         &Project::useCfgCache,
         {16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29, 30, 31, 32, 34, 35}},
        {"wan2.2-t2v-a14b", 50, 3, 0.875, &Project::useCfgCache, {17, 18, 19, 20, 22, 23, 24, 25,
                                                                  27, 28, 29, 30, 32, 33, 34, 35,
                                                                  37, 38, 39, 40, 42, 43, 44}},
        {"wan2.2-t2v-a14b",
         40,
         12,
         0.875,
         &Project::useMagcache,
         {5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 23, 24, 28, 29, 31, 33}},
        {"wan2.2-i2v-a14b",
         40,
         5,
         0.9,
         &Project::useMagcache,
         {3, 4, 6, 7, 9, 10, 12, 13, 20, 21, 23, 24, 26, 27, 29, 31, 33}}};
    for (const List& list : lists) {
        Project project = projectOn(list.family);
        project.numInferenceSteps = list.steps;
        project.flowShift = list.shift;
        project.boundaryRatio = list.boundary;
        project.height = 720;
        project.*list.cache = true;
        if (list.family == "wan2.2-i2v-a14b")
            project.image = (m_folder.path() / "any.png").string();
        const StepCachePlan plan = makePlan(project, {.memoryBytes = plentyForCaches})->stepCache;
        std::vector<int> shortened;
        for (int step = 0; step < list.steps; ++step)
            if (plan.workOf(step) != StepWork::Everything)
                shortened.push_back(step);
        EXPECT_EQ(shortened, list.shortened) << list.family << ", " << list.steps << " steps";
    }
}

TEST_F(StepCachePlanning, HeightChoosesBetweenTheCurvesOfImageToVideo) {
    Project project = projectOn("wan2.1-i2v");
    project.useMagcache = true;
    project.image = (m_folder.path() / "any.png").string();
    EXPECT_EQ(makePlan(project, {.memoryBytes = plentyForCaches})->stepCache.shortenedAtMost(), 26);
    project.height = 720;
    EXPECT_EQ(makePlan(project, {.memoryBytes = plentyForCaches})->stepCache.shortenedAtMost(), 25);
}

TEST_F(StepCachePlanning, WithoutACurveOneMustBeMeasured) {
    Project project = projectOn("wan2.1-vace");
    project.useMagcache = true;
    EXPECT_THAT(refusal(project), AllOf(testing::Fault("curve-missing"), testing::Offers("false")));
    project.magRatiosBase = "1, 1";
    EXPECT_GT(makePlan(project, {.memoryBytes = plentyForCaches})->stepCache.shortenedAtMost(), 0);
}

TEST_F(StepCachePlanning, TeaCacheIsForModelsThatItWasFittedTo) {
    Project project = projectOn("wan2.1-t2v");
    project.useTeacache = true;
    EXPECT_THAT(refusal(project), AllOf(testing::Fault("teacache-fit-missing"), testing::Names("2")));
    project.teacacheCoefficients = "1, 0";
    EXPECT_THAT(refusal(project), testing::Fault("teacache-fit-missing"));
    EXPECT_THAT(refusal(project).involved, Contains("teacache_thresh"));
    project.teacacheThresh = 0.1;
    const PlanPtr plan = makePlan(project, {.memoryBytes = plentyForCaches});
    EXPECT_EQ(plan->stepCache.shortenedAtMost(), 45);
    EXPECT_THAT(describePlan(*plan),
                AllOf(HasSubstr("TeaCache"), HasSubstr("6, 7"), HasSubstr("teacache_coefficients")));

    // What may be left out is planned as work; what the blocks add is kept of both halves, in f32.
    project.useTeacache = false;
    const PlanPtr uncached = makePlan(project, {.memoryBytes = plentyForCaches});
    EXPECT_EQ(plan->flops.denoising, uncached->flops.denoising);
    const auto kept = static_cast<std::uint64_t>(2 * plan->tokens * plan->model.transformer.innerDim() * 4);
    EXPECT_EQ(plan->memory.device.activations, uncached->memory.device.activations + kept);
}

TEST_F(StepCachePlanning, CachesOfOtherModelsAreRefusedWithTheReason) {
    Project project = projectOn("wan2.1-t2v");
    project.useSenCache = true;
    EXPECT_THAT(refusal(project), testing::Fault("step-cache-needs-two-experts"));
    EXPECT_EQ(refusal(project).key, "use_sen_cache");
    project = projectOn("wan2.1-vace");
    project.useCfgCache = true;
    EXPECT_THAT(refusal(project), testing::Fault("step-cache-not-for-model"));
    EXPECT_EQ(refusal(project).key, "use_cfg_cache");
}

TEST_F(StepCachePlanning, VideoToVideoTakesTheEndOfTheCurve) {
    Project project = projectOn("wan2.1-t2v");
    project.task = "v2v";
    project.video = (m_folder.path() / "any.mp4").string();
    project.numInferenceSteps = 8;
    project.strength = 0.5;
    project.useMagcache = true;
    project.retentionRatio = 0;
    // The first half would forbid every step, the second allows all.
    project.magRatiosBase = "0,0, 0,0, 0,0, 0,0, 1,1, 1,1, 1,1, 1,1";
    const PlanPtr plan = makePlan(project, {.memoryBytes = plentyForCaches});
    EXPECT_EQ(plan->steps(), 4);
    EXPECT_EQ(plan->stepCache.shortenedAtMost(), 2);
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
// In which steps and layers a plan leaves blocks out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_settings.h"
#include "engine/base/error.h"

namespace meshreel::sparse_plan_cases {
namespace {

AttentionSettings settingsOf(const SparseSettings& sparse, std::string_view mode = "flash") {
    return {.mode = findAttentionMode(mode), .sparse = sparse};
}

TransformerShape shapeOf(std::int64_t tokens, std::vector<ExpertStretch> stretches) {
    return {
        .tokens = tokens, .textTokens = 512, .heads = 12, .layers = 30, .stretches = std::move(stretches)};
}

const std::vector<ExpertStretch>& fortySteps() {
    static const std::vector<ExpertStretch> steps{{.firstStep = 0, .endStep = 40}};
    return steps;
}

TEST(SparsePlan, TheFirstFifthOfTheStepsIsDense) {
    const AttentionPlans plans = planAttentions(settingsOf({}), shapeOf(32760, fortySteps()));
    ASSERT_TRUE(plans.sparse);
    EXPECT_EQ(plans.sparse->steps(), 32);
    for (const int step : {0, 7})
        EXPECT_EQ(&plans.selfIn(step, 3), &plans.self) << step;
    for (const int step : {8, 39}) {
        const AttentionPlan& self = plans.selfIn(step, 3);
        ASSERT_TRUE(self.sparse) << step;
        EXPECT_EQ(self.sparse->method, SparseMethod::Sol);
        EXPECT_EQ(self.mode, plans.self.mode);
        EXPECT_EQ(self.split, plans.self.split);
    }
    EXPECT_EQ(&plans.selfIn(std::nullopt, 3), &plans.self) << "outside of a loop";
    EXPECT_FALSE(plans.self.sparse);
    EXPECT_FALSE(plans.text.sparse) << "cross-attention leaves nothing out";
}

TEST(SparsePlan, ListedLayersAreDense) {
    SparseSettings sparse;
    sparse.denseLayers = {0, 15, 16};
    const AttentionPlans plans = planAttentions(settingsOf(sparse), shapeOf(32760, fortySteps()));
    for (const std::int64_t layer : {0, 15, 16})
        EXPECT_EQ(&plans.selfIn(20, layer), &plans.self);
    EXPECT_TRUE(plans.selfIn(20, 1).sparse);
    EXPECT_EQ(plans.sparse->checkedLayer, 17) << "the first sparse one from the middle on";
}

TEST(SparsePlan, ShortSequencesAndUnknownStepsAreDense) {
    EXPECT_FALSE(planAttentions(settingsOf({}), shapeOf(12287, fortySteps())).sparse);
    EXPECT_TRUE(planAttentions(settingsOf({}), shapeOf(12288, fortySteps())).sparse);
    EXPECT_FALSE(planAttentions(settingsOf({}), shapeOf(32760, {})).sparse);
    AttentionSettings tooShort = settingsOf({});
    tooShort.flashMinSeqLength = 100000;
    EXPECT_FALSE(planAttentions(tooShort, shapeOf(32760, fortySteps())).sparse) << "flash gave way";
}

TEST(SparsePlan, EachExpertHasItsDensityOfSvg) {
    SparseSettings sparse{.rule = {.method = SparseMethod::Svg, .blockTokens = 128}};
    const std::vector<ExpertStretch> experts{{.firstStep = 0, .endStep = 13, .noise = ExpertNoise::High},
                                             {.firstStep = 13, .endStep = 40, .noise = ExpertNoise::Low}};
    const AttentionPlans plans = planAttentions(settingsOf(sparse), shapeOf(32760, experts));
    EXPECT_EQ(plans.selfIn(12, 0).sparse.value().density, 0.5);
    EXPECT_EQ(plans.selfIn(13, 0).sparse.value().density, 0.2);
    const AttentionPlans single = planAttentions(settingsOf(sparse), shapeOf(32760, fortySteps()));
    EXPECT_EQ(single.selfIn(13, 0).sparse.value().density, 0.25);
}

TEST(SparsePlan, RangesEndWhereTheirShareEnds) {
    SparseSettings sparse;
    sparse.start = 0.275;
    sparse.end = 0.5;
    const AttentionPlans plans = planAttentions(settingsOf(sparse), shapeOf(32760, fortySteps()));
    ASSERT_EQ(plans.sparse->phases.size(), 1U);
    EXPECT_EQ(plans.sparse->phases.front().firstStep, 11);
    EXPECT_EQ(plans.sparse->phases.front().endStep, 20);
    sparse.start = 0.99;
    sparse.end = 1.0;
    EXPECT_FALSE(planAttentions(settingsOf(sparse), shapeOf(32760, fortySteps())).sparse)
        << "no step is left for it";
}

TEST(SparsePlan, KernelsAndRingsThatCannotAreNotPlanned) {
    EXPECT_THROW(static_cast<void>(
                     planAttentions(settingsOf({}, "ulysses_custom_fixed_m"), shapeOf(32760, fortySteps()))),
                 Error);
    SparseSettings svg{.rule = {.method = SparseMethod::Svg, .blockTokens = 128}};
    TransformerShape onRing = shapeOf(32760, fortySteps());
    onRing.contextDevices = 2;
    EXPECT_THROW(static_cast<void>(planAttentions(settingsOf(svg, "tokamax_ring"), onRing)), Error);
    EXPECT_TRUE(planAttentions(settingsOf(svg, "ulysses"), onRing).sparse);
    EXPECT_TRUE(planAttentions(settingsOf({}, "tokamax_ring"), onRing).sparse);
}

}  // namespace
}  // namespace meshreel::sparse_plan_cases

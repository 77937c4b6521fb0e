// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

AttentionSettings settingsNamed(std::string_view mode, int ulyssesShards = -1) {
    return {.mode = findAttentionMode(mode), .ulyssesShards = ulyssesShards};
}

/// What an attention of 24 heads comes to on a context axis of so many devices.
struct Pinned {
    std::string_view mode;
    int devices;
    int ulyssesShards;
    ContextSplit split;
    int rotations;
    std::string_view cross;
};

constexpr std::array pinnedPlans{
    Pinned{"dot_product", 1, -1, {1, 1}, 0, "dot_product"},
    Pinned{"dot_product", 4, -1, {4, 1}, 0, "dot_product"},
    Pinned{"flash", 1, -1, {1, 1}, 0, "flash"},
    Pinned{"flash", 8, -1, {8, 1}, 0, "flash"},
    Pinned{"tokamax_flash", 2, -1, {2, 1}, 0, "tokamax_flash"},
    Pinned{"ring", 2, -1, {2, 1}, 1, "tokamax_flash"},
    Pinned{"ring", 8, -1, {8, 1}, 7, "tokamax_flash"},
    Pinned{"tokamax_ring", 1, -1, {1, 1}, 0, "tokamax_flash"},
    Pinned{"tokamax_ring", 8, -1, {8, 1}, 7, "tokamax_flash"},
    Pinned{"tokamax_ring_custom", 4, -1, {4, 1}, 3, "tokamax_flash"},
    Pinned{"ulysses", 1, -1, {1, 1}, 0, "tokamax_flash"},
    Pinned{"ulysses", 8, -1, {1, 8}, 0, "tokamax_flash"},
    Pinned{"ulysses_custom", 1, -1, {1, 1}, 0, "tokamax_flash"},
    Pinned{"ulysses_custom", 8, -1, {1, 8}, 0, "tokamax_flash"},
    Pinned{"ulysses_custom_fixed_m", 4, -1, {1, 4}, 0, "tokamax_flash"},
    Pinned{"ulysses_ring", 1, 1, {1, 1}, 0, "tokamax_flash"},
    Pinned{"ulysses_ring", 8, 4, {2, 4}, 1, "tokamax_flash"},
    Pinned{"ulysses_ring", 8, 1, {8, 1}, 7, "tokamax_flash"},
    Pinned{"ulysses_ring_custom", 4, 2, {2, 2}, 1, "tokamax_flash"},
    Pinned{"ulysses_ring_custom", 4, 4, {1, 4}, 0, "tokamax_flash"},
    Pinned{"ulysses_ring_custom_bidir", 8, 2, {4, 2}, 3, "tokamax_flash"},
    Pinned{"ulysses_ring_custom_fixed_m", 8, 2, {4, 2}, 3, "tokamax_flash"},
    Pinned{"ulysses_custom_fixed_m_per_q_block", 4, -1, {1, 4}, 0, "tokamax_flash"},
    Pinned{"ulysses_ring_custom_fixed_m_per_q_block", 8, 2, {4, 2}, 3, "tokamax_flash"},
};

TEST(AttentionPlan, IsWhatTheResolversSaid) {
    std::set<std::string_view> modes;
    for (const Pinned& pinned : pinnedPlans) {
        SCOPED_TRACE(std::string(pinned.mode) + " on " + std::to_string(pinned.devices));
        const AttentionSettings settings = settingsNamed(pinned.mode, pinned.ulyssesShards);
        const AttentionPlans plans = planAttentions(settings, {.tokens = 800,
                                                               .textTokens = 512,
                                                               .imageTokens = 257,
                                                               .heads = 24,
                                                               .contextDevices = pinned.devices});
        modes.insert(pinned.mode);
        EXPECT_EQ(plans.self.mode, settings.mode);
        EXPECT_EQ(plans.self.kernel, settings.mode->kernel);
        EXPECT_EQ(plans.self.rotation, settings.mode->rotation);
        EXPECT_EQ(plans.self.exchange, settings.mode->exchange);
        EXPECT_EQ(plans.self.split, pinned.split);
        EXPECT_EQ(plans.self.rotations(), pinned.rotations);
        EXPECT_TRUE(plans.self.keysSharded);
        EXPECT_EQ(plans.self.blocks, resolveFlashBlocks({}));
        for (const AttentionPlan* cross : {&plans.text, &plans.image}) {
            EXPECT_EQ(cross->mode->name, pinned.cross);
            EXPECT_FALSE(cross->keysSharded);
        }
    }
    for (const AttentionMode& mode : attentionModes())
        EXPECT_EQ(modes.contains(mode.name), mode.runs()) << mode.name;
}

TEST(AttentionPlan, ShortSequencesGatherForDotProduct) {
    AttentionSettings settings = settingsNamed("ulysses_ring", 2);
    settings.flashMinSeqLength = 100;
    settings.uniformSharding = false;
    const auto plan = [&](std::int64_t queries, std::int64_t keys) {
        return planAttention(settings,
                             {.queryLength = queries, .keyLength = keys, .heads = 3, .contextDevices = 4});
    };
    EXPECT_EQ(plan(100, 100).mode->name, "ulysses_ring");
    EXPECT_EQ(plan(99, 100).mode->name, "dot_product");
    const AttentionPlan shorter = plan(100, 99);
    EXPECT_EQ(shorter.mode->name, "dot_product");
    EXPECT_EQ(shorter.kernel, AttentionKernel::DotProduct);
    EXPECT_EQ(shorter.exchange, Exchange::Gather)
        << "three heads do for two of four devices, and not for all";
    EXPECT_EQ(shorter.split, (ContextSplit{.ring = 4, .ulysses = 1}));
    settings.mode = findAttentionMode("ulysses_ring_custom");
    EXPECT_EQ(plan(1, 1).mode->name, "ulysses_ring_custom");
}

TEST(AttentionPlan, SelfTextAndImageFallBackEachByItsOwnLength) {
    AttentionSettings settings = settingsNamed("flash");
    settings.flashMinSeqLength = 300;
    const AttentionPlans plans = planAttentions(
        settings, {.tokens = 800, .textTokens = 512, .imageTokens = 257, .heads = 4, .contextDevices = 2});
    EXPECT_EQ(plans.self.mode->name, "flash");
    EXPECT_EQ(plans.text.mode->name, "flash");
    EXPECT_EQ(plans.image.mode->name, "dot_product");
}

TEST(AttentionPlan, UlyssesExchangesATextThatIsLongerThanTheVideo) {
    const auto plans = [](std::int64_t tokens) {
        return planAttentions(
            settingsNamed("ulysses"),
            {.tokens = tokens, .textTokens = 512, .imageTokens = 257, .heads = 4, .contextDevices = 2});
    };
    EXPECT_FALSE(plans(512).text.keysSharded);
    const AttentionPlans between = plans(511);
    EXPECT_TRUE(between.text.keysSharded);
    EXPECT_EQ(between.text.mode->name, "ulysses");
    EXPECT_FALSE(between.image.keysSharded) << "each by its own length";
    EXPECT_TRUE(plans(256).image.keysSharded);
}

TEST(AttentionPlan, ARingWithinAProcessTakesNoPairOfKeys) {
    for (const auto* name : {"tokamax_ring", "ulysses_ring_custom_bidir"}) {
        const AttentionPlan plan = planAttention(settingsNamed(name, 1), {.heads = 8, .contextDevices = 8});
        EXPECT_GE(plan.exchangedShards(DType::F32, RingMemory::Apart), 2) << name;
        EXPECT_EQ(plan.exchangedShards(DType::F32, RingMemory::Shared), 0) << name;
        EXPECT_EQ(plan.exchangedShards(DType::BF16, RingMemory::Shared), 2) << name << ": sums in f32";
    }
}

TEST(AttentionPlan, AGatheringModeMayShardHeadsInstead) {
    AttentionSettings settings = settingsNamed("flash");
    settings.uniformSharding = false;
    settings.chunks = 3;
    const AttentionPlan plan = planAttention(settings, {.heads = 8, .contextDevices = 4});
    EXPECT_EQ(plan.exchange, Exchange::Ulysses);
    EXPECT_EQ(plan.split, (ContextSplit{.ring = 1, .ulysses = 4}));
    EXPECT_THAT(plan.chunks, ElementsAre(ShardRange{0, 8})) << "only Ulysses modes exchange in chunks";
}

TEST(AttentionPlan, ChunksAndHeadsPerTileAreTheModes) {
    AttentionSettings settings = settingsNamed("ulysses_custom");
    settings.chunks = 2;
    settings.blocks.headsPerTile = 4;
    const AttentionPlan custom = planAttention(settings, {.heads = 12, .contextDevices = 4});
    EXPECT_THAT(custom.chunks, ElementsAre(ShardRange{0, 8}, ShardRange{8, 12}));
    EXPECT_EQ(custom.blocks.headsPerTile, 4);
    settings.flashMinSeqLength = 2;
    EXPECT_EQ(planAttention(settings, {.heads = 12, .contextDevices = 4}).blocks.headsPerTile, 1)
        << "dot_product takes one head at a time";
}

TEST(AttentionPlan, IsNotMadeOfWhatIsNotLegal) {
    const auto refused = [](const AttentionSettings& settings, const AttentionShape& shape) {
        try {
            static_cast<void>(planAttention(settings, shape));
        } catch (const Error& error) {
            return error.kind() == ErrorKind::Internal;
        }
        return false;
    };
    EXPECT_TRUE(refused(settingsNamed("cudnn_flash_te"), {}));
    EXPECT_TRUE(refused(settingsNamed("no such mode"), {}));
    EXPECT_TRUE(refused(settingsNamed("ulysses_ring"), {.heads = 4, .contextDevices = 4}));
    EXPECT_TRUE(refused(settingsNamed("ulysses_ring", 3), {.heads = 6, .contextDevices = 4}));
    EXPECT_TRUE(refused(settingsNamed("ulysses"), {.heads = 1, .contextDevices = 2}));
    EXPECT_FALSE(refused(settingsNamed("ulysses"), {.heads = 5, .contextDevices = 2}));
    EXPECT_FALSE(refused(settingsNamed("ulysses"), {.heads = 1, .contextDevices = 2, .keysSharded = false}));
    AttentionSettings blocks;
    blocks.blocks = {.blockKv = 512, .blockKvCompute = 300};
    EXPECT_TRUE(refused(blocks, {}));
    blocks.blocks = {.blockQ = -1};
    EXPECT_TRUE(refused(blocks, {}));
}

TEST(AttentionPlan, DenseIsOneDevices) {
    EXPECT_EQ(densePlan().mode, &denseMode());
    EXPECT_EQ(densePlan().split.devices(), 1);
    EXPECT_EQ(densePlan().exchangedShards(DType::F32, RingMemory::Apart), 0);
}

}  // namespace
}  // namespace meshreel

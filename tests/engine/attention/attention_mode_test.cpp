// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/attention/block_sizes.h"
#include "engine/base/error.h"
#include "engine/project/attention_check.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> namesThat(bool (*condition)(const AttentionMode&)) {
    std::vector<std::string> names;
    for (const AttentionMode& mode : attentionModes())
        if (condition(mode))
            names.emplace_back(mode.name);
    return names;
}

TEST(AttentionMode, TheTableHoldsMaxDiffusionsNamesAndRing) {
    EXPECT_THAT(
        namesThat([](const AttentionMode&) { return true; }),
        ::testing::UnorderedElementsAre(
            "dot_product", "flash", "tokamax_flash", "tokamax_ring", "tokamax_ring_custom", "ulysses",
            "ulysses_custom", "ulysses_custom_fixed_m", "ulysses_ring", "ulysses_ring_custom",
            "ulysses_ring_custom_bidir", "ulysses_ring_custom_fixed_m", "ulysses_custom_fixed_m_per_q_block",
            "ulysses_ring_custom_fixed_m_per_q_block", "cudnn_flash_te", "ring"));
    EXPECT_THAT(namesThat([](const AttentionMode& mode) { return !mode.runs(); }),
                ::testing::ElementsAre("cudnn_flash_te"));
    EXPECT_THAT(namesThat([](const AttentionMode& mode) { return mode.minimumLength; }),
                ::testing::UnorderedElementsAre("flash", "tokamax_flash", "ulysses", "ulysses_custom",
                                                "ulysses_custom_fixed_m",
                                                "ulysses_custom_fixed_m_per_q_block", "ulysses_ring"));
}

// The columns that the table had before they were computed.
TEST(AttentionMode, WhatFollowsFromTheAxesIsWhatTheTableSaid) {
    EXPECT_THAT(namesThat([](const AttentionMode& mode) { return mode.hybrid(); }),
                ::testing::UnorderedElementsAre("ulysses_ring", "ulysses_ring_custom",
                                                "ulysses_ring_custom_bidir", "ulysses_ring_custom_fixed_m",
                                                "ulysses_ring_custom_fixed_m_per_q_block"));
    EXPECT_THAT(namesThat([](const AttentionMode& mode) { return mode.chunked(); }),
                ::testing::UnorderedElementsAre("ulysses", "ulysses_custom", "ulysses_custom_fixed_m",
                                                "ulysses_custom_fixed_m_per_q_block", "ulysses_ring",
                                                "ulysses_ring_custom", "ulysses_ring_custom_bidir",
                                                "ulysses_ring_custom_fixed_m",
                                                "ulysses_ring_custom_fixed_m_per_q_block"));
    EXPECT_THAT(namesThat([](const AttentionMode& mode) { return mode.headsPerTile; }),
                ::testing::ElementsAre("tokamax_ring_custom", "ulysses_custom", "ulysses_ring_custom",
                                       "ulysses_ring_custom_bidir"));
    EXPECT_THAT(namesThat([](const AttentionMode& mode) { return mode.minimumDevices > 1; }),
                ::testing::ElementsAre("ring"));
    EXPECT_EQ(denseMode().name, "dot_product");
}

TEST(AttentionMode, NamesSayWhatTheRowsHold) {
    for (const AttentionMode& mode : attentionModes()) {
        SCOPED_TRACE(mode.name);
        const auto says = [&](std::string_view word) {
            return mode.name.find(word) != std::string_view::npos;
        };
        EXPECT_EQ(mode.exchange == Exchange::Ulysses, says("ulysses"));
        EXPECT_EQ(mode.rotation != Rotation::None, says("ring"));
        EXPECT_EQ(mode.rotation == Rotation::BidirectionalRing, says("bidir"));
        EXPECT_EQ(mode.kernel == AttentionKernel::CustomFixedM, says("fixed_m"));
        EXPECT_EQ(mode.kernel == AttentionKernel::Custom, says("custom") && !says("fixed_m"));
        EXPECT_EQ(mode.boundPerBlock, says("per_q_block"));
        EXPECT_FALSE(mode.help.empty());
        EXPECT_FALSE(mode.when.empty());
        EXPECT_EQ(mode.instead.empty(), mode.runs());
        EXPECT_EQ(mode.limits.empty(), !mode.runs());
        ASSERT_NE(findAttentionMode(mode.crossAttention), nullptr);
        EXPECT_EQ(findAttentionMode(mode.crossAttention)->exchange, Exchange::Gather) << "keys are whole";
        EXPECT_EQ(findAttentionMode(mode.longCrossAttention) == nullptr, mode.longCrossAttention.empty());
        EXPECT_EQ(findAttentionMode(mode.name), &mode);
    }
}

TEST(AttentionMode, ARefusalSaysWhatToUse) {
    for (const AttentionMode& mode : attentionModes()) {
        SCOPED_TRACE(mode.name);
        if (mode.runs()) {
            EXPECT_EQ(&requireAttentionMode(mode.name), &mode);
            continue;
        }
        try {
            requireAttentionMode(mode.name);
            FAIL() << "accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Project);
            EXPECT_EQ(error.where(), "attention");
            EXPECT_TRUE(error.problem().id == ProblemId("attention-not-available"));
            EXPECT_EQ(error.hint(), Sentence(mode.instead));
            EXPECT_FALSE(error.hint().empty());
        }
    }
}

TEST(AttentionMode, AMisspeltNameGetsTheNearest) {
    try {
        requireAttentionMode("flsh");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_THAT(error.hint(), HasSubstr("flash?"));
    }
    EXPECT_EQ(findAttentionMode(""), nullptr);
}

constexpr CoreCaches smallCaches{.level1 = 32 << 10, .level2 = 1 << 20};

TEST(FlashBlocks, ZeroIsTheDefault) {
    const FlashBlockSizes best = bestFlashBlocks(smallCaches);
    EXPECT_EQ(resolveFlashBlocks({.headsPerTile = 0}, smallCaches), best);
    EXPECT_EQ(resolveFlashBlocks({.blockKv = 1000}, smallCaches),
              (FlashBlockSizes{.blockQ = best.blockQ,
                               .blockKv = 1000,
                               .blockKvCompute = 500,
                               .blockKvComputeIn = best.blockKvComputeIn}));
}

TEST(FlashBlocks, DefaultsFollowTheCaches) {
    EXPECT_EQ(
        bestFlashBlocks(smallCaches),
        (FlashBlockSizes{.blockQ = 2016, .blockKv = 512, .blockKvCompute = 512, .blockKvComputeIn = 128}));
    EXPECT_EQ(
        bestFlashBlocks({.level1 = 48 << 10, .level2 = 2 << 20}),
        (FlashBlockSizes{.blockQ = 4032, .blockKv = 1024, .blockKvCompute = 1024, .blockKvComputeIn = 256}));
    EXPECT_EQ(
        bestFlashBlocks({.level1 = 1, .level2 = 1}),
        (FlashBlockSizes{.blockQ = 480, .blockKv = 256, .blockKvCompute = 256, .blockKvComputeIn = 64}));
    EXPECT_GT(coreCaches().level1, 0);
    EXPECT_GE(coreCaches().level2, coreCaches().level1);
}

TEST(FlashBlocks, ASoftmaxStepFitsItsTile) {
    EXPECT_EQ(resolveFlashBlocks({.blockKvCompute = 32}).blockKvComputeIn, 32);
    EXPECT_EQ(resolveFlashBlocks({.blockKvCompute = 128, .blockKvComputeIn = 1024}).blockKvComputeIn, 128);
    EXPECT_EQ(resolveFlashBlocks({.blockKvCompute = 128, .blockKvComputeIn = 5}).blockKvComputeIn, 5);
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/attention_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/block_sizes.h"
#include "engine/project/block_size_rows.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

AttentionSettings settingsOf(std::string_view mode, int ulyssesShards = -1) {
    return {.mode = findAttentionMode(mode), .ulyssesShards = ulyssesShards};
}

struct Devices {
    int context = 1;
    int tensor = 1;
};

/// The only problem; a key of "none" or "several" when that is not so.
Problem problemOf(const AttentionSettings& settings, std::optional<std::int64_t> heads,
                  const Devices& devices) {
    const auto problems = attentionProblems(settings, heads, 128, devices.context, devices.tensor);
    if (problems.size() == 1)
        return problems.front();
    return {.key = problems.empty() ? "none" : "several"};
}

TEST(AttentionProblems, EveryModeThatRunsHasLegalSettings) {
    for (const AttentionMode& mode : attentionModes()) {
        const AttentionSettings settings{.mode = &mode, .ulyssesShards = 2};
        EXPECT_EQ(attentionProblems(settings, 12, 128, 4, 3).empty(), mode.runs()) << mode.name;
        EXPECT_EQ(attentionProblems(settings, std::nullopt, std::nullopt, 4, 1).empty(), mode.runs());
    }
}

TEST(AttentionProblems, WhatDoesNotRunSaysWhatDoes) {
    const auto problem = problemOf(settingsOf("cudnn_flash_te"), 12, {});
    EXPECT_EQ(problem.key, "attention");
    EXPECT_THAT(problem, testing::Fault("attention-not-available"));
    EXPECT_THAT(problem.hint(), HasSubstr("flash"));
}

TEST(AttentionProblems, UlyssesShardsMustBeSetAndDivide) {
    for (const char* mode : {"ulysses_ring", "ulysses_ring_custom", "ulysses_ring_custom_bidir",
                             "ulysses_ring_custom_fixed_m"}) {
        const auto unset = problemOf(settingsOf(mode), 12, {.context = 8});
        EXPECT_EQ(unset.key, "ulysses_shards");
        EXPECT_TRUE(unset.id == ProblemId("ulysses-shards-missing"));
        EXPECT_THAT(unset.message, HasSubstr(mode));
        EXPECT_THAT(unset.hint(), HasSubstr("1, 2, 4 or 8"));
        EXPECT_EQ(problemOf(settingsOf(mode, 0), 12, {.context = 8}).key, "ulysses_shards");
        const auto three = problemOf(settingsOf(mode, 3), 12, {.context = 8});
        EXPECT_TRUE(three.id == ProblemId("ulysses-shards-do-not-divide"));
        ASSERT_EQ(three.fixes.size(), 4U);
        EXPECT_EQ(three.fixes.front().changes, (KeyChanges{{"ulysses_shards", "2"}})) << "the nearest first";
        EXPECT_THAT(three.message, HasSubstr("8 devices"));
        EXPECT_THAT(problemOf(settingsOf(mode, 16), 12, {.context = 8}).message, HasSubstr("8 devices"));
        for (const int shards : {4, 8})
            EXPECT_EQ(problemOf(settingsOf(mode, shards), 12, {.context = 8}).key, "none") << shards;
        EXPECT_EQ(problemOf(settingsOf(mode, 8), std::nullopt, {.context = 8}).key, "none");
        const auto many = problemOf(settingsOf(mode, 16), 12, {.context = 16});
        EXPECT_EQ(many.key, "ulysses_shards");
        EXPECT_THAT(many, testing::Fault("heads-fewer-than-devices"));
        EXPECT_THAT(many.message, HasSubstr("12 heads"));
        EXPECT_THAT(many, testing::Offers("8", "4", "2", "1"));
    }
}

/// The mode that takes the place of pure Ulysses where devices outnumber the heads.
struct PureAndHybrid {
    const char* pure;
    const char* hybrid;
};

TEST(AttentionProblems, EveryDeviceThatExchangesHeadsNeedsOne) {
    for (const auto& [mode, hybrid] :
         {PureAndHybrid{"ulysses", "ulysses_ring"}, PureAndHybrid{"ulysses_custom", "ulysses_ring_custom"},
          PureAndHybrid{"ulysses_custom_fixed_m", "ulysses_ring_custom_fixed_m"},
          PureAndHybrid{"ulysses_custom_fixed_m_per_q_block", "ulysses_ring_custom_fixed_m_per_q_block"}}) {
        SCOPED_TRACE(mode);
        for (int context = 1; context <= 12; ++context)
            EXPECT_EQ(problemOf(settingsOf(mode), 12, {.context = context}).key, "none") << context;
        const auto problem = problemOf(settingsOf(mode), 12, {.context = 16});
        EXPECT_EQ(problem.key, "attention");
        EXPECT_THAT(problem, testing::Fault("heads-fewer-than-devices"));
        ASSERT_EQ(problem.fixes.size(), 2U);
        EXPECT_EQ(problem.fixes[0].changes, (KeyChanges{{"attention", hybrid}, {"ulysses_shards", "8"}}));
        EXPECT_EQ(problem.fixes[1].changes, (KeyChanges{{"attention", "tokamax_ring"}}));
        for (const Fix& fix : problem.fixes) {
            AttentionSettings fixed = settingsOf(fix.changes[0].value);
            if (fix.changes.size() > 1)
                fixed.ulyssesShards = std::stoi(fix.changes[1].value);
            EXPECT_EQ(problemOf(fixed, 12, {.context = 16}).key, "none") << fixed.mode->name;
        }
        EXPECT_EQ(problemOf(settingsOf(mode), 12, {.context = 6, .tensor = 2}).key, "none");
        EXPECT_EQ(problemOf(settingsOf(mode), 12, {.context = 5, .tensor = 2}).key, "none");
        EXPECT_THAT(problemOf(settingsOf(mode), 12, {.context = 8, .tensor = 2}).message,
                    testing::Names("8", "6", "2"));
    }
    EXPECT_EQ(problemOf(settingsOf("tokamax_ring"), 7, {.context = 8}).key, "none");
    EXPECT_EQ(problemOf(settingsOf("flash"), 7, {.context = 8}).key, "none");
    AttentionSettings byHeads = settingsOf("flash");
    byHeads.uniformSharding = false;
    EXPECT_EQ(problemOf(byHeads, 7, {.context = 8}).key, "attention_sharding_uniform");
    for (const std::int64_t heads : {8, 9, 16})
        EXPECT_EQ(problemOf(byHeads, heads, {.context = 8}).key, "none") << heads;
}

TEST(AttentionProblems, HeadsMustDivideByTheTensorAxis) {
    const auto problem = problemOf(settingsOf("flash"), 12, {.tensor = 5});
    EXPECT_EQ(problem.key, "ici_tensor_parallelism");
    EXPECT_THAT(problem.hint(), HasSubstr("1, 2, 3, 4, 6 or 12"));
}

TEST(AttentionProblems, TheOldRingNeedsARing) {
    EXPECT_THAT(problemOf(settingsOf("ring"), 12, {}).hint(), HasSubstr("tokamax_ring"));
    EXPECT_EQ(problemOf(settingsOf("ring"), 12, {.context = 2}).key, "none");
    EXPECT_EQ(problemOf(settingsOf("tokamax_ring"), 12, {}).key, "none");
}

TEST(AttentionProblems, ChunksAreAtLeastOne) {
    AttentionSettings settings = settingsOf("ulysses");
    settings.chunks = 0;
    EXPECT_EQ(problemOf(settings, 12, {.context = 2}).key, "ulysses_attention_chunks");
    settings.chunks = 99;
    EXPECT_EQ(problemOf(settings, 12, {.context = 2}).key, "none");
}

TEST(AttentionProblems, HeadsPerTileOnlyWhereTheTableSaysSo) {
    for (const AttentionMode& mode : attentionModes()) {
        if (!mode.runs())
            continue;
        const AttentionSettings settings{.mode = &mode, .blocks = {.headsPerTile = 2}, .ulyssesShards = 2};
        EXPECT_EQ(problemOf(settings, 12, {.context = 4}).key,
                  mode.headsPerTile ? "none" : "flash_block_sizes.heads_per_tile")
            << mode.name;
    }
}

TEST(AttentionProblems, BlocksNestAndFitTheScratchLimit) {
    AttentionSettings settings = settingsOf("ulysses_custom");
    settings.blocks = {.blockKv = 512, .blockKvCompute = 300};
    EXPECT_EQ(problemOf(settings, 12, {}).key, "flash_block_sizes.block_kv_compute");
    settings.blocks = {.blockQ = 9472, .blockKv = 1024, .blockKvCompute = 1024, .vmemLimitBytes = 1 << 20};
    const auto tooMuch = problemOf(settings, 12, {});
    EXPECT_EQ(tooMuch.key, "flash_block_sizes.vmem_limit_bytes");
    EXPECT_THAT(tooMuch.message, HasSubstr("9472"));
    EXPECT_THAT(tooMuch.message, HasSubstr("1048576"));
    settings.blocks.vmemLimitBytes =
        static_cast<std::int64_t>(customScratchBytes(resolveFlashBlocks(settings.blocks), 128));
    EXPECT_EQ(problemOf(settings, 12, {}).key, "none");
    --settings.blocks.vmemLimitBytes;
    EXPECT_EQ(problemOf(settings, 12, {}).key, "flash_block_sizes.vmem_limit_bytes");
    settings.mode = findAttentionMode("flash");
    EXPECT_EQ(problemOf(settings, 12, {}).key, "none") << "the limit is the custom kernels'";
}

TEST(AttentionProblems, ComputeBlocksMustDivide) {
    EXPECT_EQ(nearestKvCompute(512, 300), 256);
    EXPECT_EQ(nearestKvCompute(12, 5), 6);
    EXPECT_EQ(nearestKvCompute(13, 5), 1);
    EXPECT_EQ(nearestKvCompute(1, 9), 1);
    AttentionSettings settings = settingsOf("flash");
    settings.blocks = {.blockQ = 64, .blockKv = 512, .blockKvCompute = 300};
    const Problem problem = problemOf(settings, 12, {});
    EXPECT_TRUE(problem.id == ProblemId("blocks-do-not-divide"));
    ASSERT_EQ(problem.fixes.size(), 1U);
    EXPECT_EQ(problem.fixes.front().changes, (KeyChanges{{"flash_block_sizes.block_kv_compute", "256"}}));
}

TEST(AttentionProblems, NegativeBlocksAreRefusedByName) {
    const auto refused = [](const FlashBlockSizes& blocks) {
        AttentionSettings settings = settingsOf("ulysses_custom");
        settings.blocks = blocks;
        return problemOf(settings, 12, {}).key;
    };
    EXPECT_EQ(refused({.blockQ = -1}), "flash_block_sizes.block_q");
    EXPECT_EQ(refused({.blockKv = -1}), "flash_block_sizes.block_kv");
    EXPECT_EQ(refused({.blockKvComputeIn = -1}), "flash_block_sizes.block_kv_compute_in");
    EXPECT_EQ(refused({.headsPerTile = -2}), "flash_block_sizes.heads_per_tile");
    EXPECT_EQ(refused({.vmemLimitBytes = -1}), "flash_block_sizes.vmem_limit_bytes");
}

// Another size is a row: nothing else may have to know its name.
TEST(BlockSizes, RowsNameTheKeysOfAProject) {
    std::vector<std::string> names;
    for (const BlockSizeRow& row : blockSizeRows()) {
        EXPECT_TRUE(row.key.starts_with("flash_block_sizes.")) << row.key;
        EXPECT_FALSE(row.title.empty());
        EXPECT_FALSE(row.help.empty());
        EXPECT_LE(row.minimum, FlashBlockSizes().*row.member);
        names.emplace_back(row.name());
    }
    EXPECT_THAT(names, ::testing::ElementsAre("block_q", "block_kv", "block_kv_compute",
                                              "block_kv_compute_in", "heads_per_tile", "vmem_limit_bytes"));
}

}  // namespace
}  // namespace meshreel

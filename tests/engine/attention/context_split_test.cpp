// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/attention/context_split.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

AttentionSettings listSettings(std::string_view mode, int ulyssesShards = -1) {
    return {.mode = findAttentionMode(mode), .ulyssesShards = ulyssesShards};
}

TEST(ContextSplit, IsRingTimesUlysses) {
    EXPECT_EQ(contextSplit(listSettings("ulysses"), 4), (ContextSplit{.ring = 1, .ulysses = 4}));
    EXPECT_EQ(contextSplit(listSettings("tokamax_ring", 2), 4), (ContextSplit{.ring = 4, .ulysses = 1}));
    EXPECT_EQ(contextSplit(listSettings("ulysses_ring", 2), 8), (ContextSplit{.ring = 4, .ulysses = 2}));
    EXPECT_EQ(contextSplit(listSettings("ulysses_ring_custom_bidir", 8), 8),
              (ContextSplit{.ring = 1, .ulysses = 8}));
    EXPECT_EQ(contextSplit(listSettings("flash"), 4), (ContextSplit{.ring = 4, .ulysses = 1}));
    AttentionSettings heads = listSettings("flash");
    heads.uniformSharding = false;
    EXPECT_EQ(contextSplit(heads, 4), (ContextSplit{.ring = 1, .ulysses = 4}));
}

TEST(ContextSplit, GroupsHoldTheShardsOfTheirDevices) {
    const ContextSplit split{.ring = 2, .ulysses = 3};
    EXPECT_EQ(groupTokens(split, 21, 0), (ShardRange{0, 12}));
    EXPECT_EQ(groupTokens(split, 21, 1), (ShardRange{12, 21}));
    EXPECT_EQ(groupTokens(split, 2, 1), (ShardRange{2, 2}));
}

TEST(ContextSplit, ChunksAreWholeGroupsSpreadEvenly) {
    EXPECT_THAT(headChunks(40, 8, 2), ElementsAre(ShardRange{0, 24}, ShardRange{24, 40}));
    EXPECT_THAT(headChunks(40, 8, 3), ElementsAre(ShardRange{0, 16}, ShardRange{16, 32}, ShardRange{32, 40}));
    EXPECT_THAT(headChunks(40, 8, 5), ElementsAre(ShardRange{0, 8}, ShardRange{8, 16}, ShardRange{16, 24},
                                                  ShardRange{24, 32}, ShardRange{32, 40}));
    EXPECT_EQ(headChunks(40, 8, 99), headChunks(40, 8, 5));
    EXPECT_THAT(headChunks(40, 8, 1), ElementsAre(ShardRange{0, 40}));
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
    const auto problem = problemOf(listSettings("cudnn_flash_te"), 12, {});
    EXPECT_EQ(problem.key, "attention");
    EXPECT_THAT(problem, testing::Fault("attention-not-available"));
    EXPECT_EQ(problem.hint(), Sentence(listSettings("cudnn_flash_te").mode->instead));
}

TEST(AttentionProblems, UlyssesShardsMustBeSetAndDivide) {
    for (const char* mode : {"ulysses_ring", "ulysses_ring_custom", "ulysses_ring_custom_bidir",
                             "ulysses_ring_custom_fixed_m"}) {
        const auto unset = problemOf(listSettings(mode), 12, {.context = 8});
        EXPECT_EQ(unset.key, "ulysses_shards");
        EXPECT_TRUE(unset.id == ProblemId("ulysses-shards-missing"));
        EXPECT_THAT(unset.message, HasSubstr(mode));
        EXPECT_THAT(unset.hint(), HasSubstr("1, 2 or 4"));
        EXPECT_EQ(problemOf(listSettings(mode, 0), 12, {.context = 8}).key, "ulysses_shards");
        const auto three = problemOf(listSettings(mode, 3), 12, {.context = 8});
        EXPECT_TRUE(three.id == ProblemId("ulysses-shards-do-not-divide"));
        ASSERT_EQ(three.fixes.size(), 3U);
        EXPECT_EQ(three.fixes.front().changes, (KeyChanges{{"ulysses_shards", "2"}})) << "the nearest first";
        EXPECT_THAT(three.message, HasSubstr("8 devices"));
        EXPECT_THAT(problemOf(listSettings(mode, 16), 12, {.context = 8}).message, HasSubstr("8 devices"));
        EXPECT_THAT(problemOf(listSettings(mode, 8), 12, {.context = 8}).message, HasSubstr("12 heads"));
        EXPECT_EQ(problemOf(listSettings(mode, 4), 12, {.context = 8}).key, "none");
        EXPECT_EQ(problemOf(listSettings(mode, 8), std::nullopt, {.context = 8}).key, "none");
    }
}

TEST(AttentionProblems, HeadsMustDivideByTheContextAxisOfUlysses) {
    for (const char* mode : {"ulysses", "ulysses_custom", "ulysses_custom_fixed_m"}) {
        const auto problem = problemOf(listSettings(mode), 12, {.context = 8});
        EXPECT_EQ(problem.key, "attention");
        EXPECT_THAT(problem.hint(), HasSubstr("1, 2, 3, 4, 6 or 12"));
        EXPECT_THAT(problem.hint(), HasSubstr("ulysses_shards: 1, 2 or 4"));
        EXPECT_EQ(problemOf(listSettings(mode), 12, {.context = 6}).key, "none");
        EXPECT_THAT(problemOf(listSettings(mode), 12, {.context = 6, .tensor = 2}).key, "none");
        EXPECT_THAT(problemOf(listSettings(mode), 12, {.context = 4, .tensor = 2}),
                    AllOf(testing::Fault("heads-do-not-divide-by-context"), testing::Names("6", "2")));
    }
    EXPECT_EQ(problemOf(listSettings("tokamax_ring"), 7, {.context = 8}).key, "none");
    EXPECT_EQ(problemOf(listSettings("flash"), 7, {.context = 8}).key, "none");
    AttentionSettings byHeads = listSettings("flash");
    byHeads.uniformSharding = false;
    EXPECT_EQ(problemOf(byHeads, 7, {.context = 8}).key, "attention_sharding_uniform");
    EXPECT_EQ(problemOf(byHeads, 16, {.context = 8}).key, "none");
}

TEST(AttentionProblems, HeadsMustDivideByTheTensorAxis) {
    const auto problem = problemOf(listSettings("flash"), 12, {.tensor = 5});
    EXPECT_EQ(problem.key, "ici_tensor_parallelism");
    EXPECT_THAT(problem.hint(), HasSubstr("1, 2, 3, 4, 6 or 12"));
}

TEST(AttentionProblems, TheOldRingNeedsARing) {
    EXPECT_THAT(problemOf(listSettings("ring"), 12, {}).hint(), HasSubstr("tokamax_ring"));
    EXPECT_EQ(problemOf(listSettings("ring"), 12, {.context = 2}).key, "none");
    EXPECT_EQ(problemOf(listSettings("tokamax_ring"), 12, {}).key, "none");
}

TEST(AttentionProblems, ChunksAreAtLeastOne) {
    AttentionSettings settings = listSettings("ulysses");
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
    AttentionSettings settings = listSettings("ulysses_custom");
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

}  // namespace

}  // namespace meshreel

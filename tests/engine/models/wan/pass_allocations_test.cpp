// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "engine/models/wan/wan_transformer.h"
#include "tests/support/allocation_count.h"
#include "tests/support/instrumented.h"
#include "tests/support/model_allocations.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

static_assert(!std::is_copy_constructible_v<WanBlock>, "a block is made once, by its transformer");

/// Allocations of one pass through a transformer of so many blocks that has run before.
std::int64_t allocationsOfAPass(std::int64_t blocks) {
    WanTransformerConfig config;
    config.heads = 2;
    config.headDim = 8;
    config.textDim = 8;
    config.freqDim = 8;
    config.ffnDim = 16;
    config.layers = blocks;
    const testing::RandomWan model(config, 1);
    const testing::WanCall call = testing::WanCall::random(config, {1, 1, 4, 4}, 3, 2);
    const WanTransformer transformer(config, model.checkpoint(), planAttentions({}, config));
    WorkerPool pool({.workers = 1});
    LoneDevice lone({pool, {}});
    const CrossAttentionCache context = transformer.prepare(lone.device(), call.conditions);
    const RotaryTable rotary = transformer.rotary(lone.device(), call.inputs.latents.shape());
    const std::array<const CrossAttentionCache*, 1> contexts{&context};
    const auto pass = [&] {
        const std::int64_t before = testing::allocationsOfThisThread();
        static_cast<void>(transformer.forward(lone.device(), call.inputs, contexts, rotary));
        return testing::allocationsOfThisThread() - before;
    };
    static_cast<void>(pass());
    return pass();
}

// 49 where this was written. A block that was made anew, with its names and the tables of its layer, took
// about 70 more.
TEST(WanPass, ABlockOfAPassAllocatesItsIntermediatesOnly) {
    if (testing::racesAreChecked)
        GTEST_SKIP() << "the thread sanitizer has allocation functions of its own";
    constexpr std::int64_t few = 2;
    constexpr std::int64_t many = 6;
    const std::int64_t ofABlock = (allocationsOfAPass(many) - allocationsOfAPass(few)) / (many - few);
    RecordProperty("allocations", std::to_string(ofABlock));
    EXPECT_GT(ofABlock, 0);
    EXPECT_LT(ofABlock, 85);
}

// 604 and 10 where this was written: what the host's operations work in, made anew for each call, and owners
// of features.
TEST(WanPass, AChunkOfAVideoAndAPromptAllocateWhatOperationsWorkInOnly) {
    if (testing::racesAreChecked)
        GTEST_SKIP() << "the thread sanitizer has allocation functions of its own";
    WorkerPool pool({.workers = 1});
    const Execution execution{pool, {}};
    const std::int64_t ofAChunk = testing::allocationsOfAChunk(execution, {});
    const std::int64_t ofAPrompt = testing::allocationsOfAPromptInALayer(execution, Arithmetic::F32);
    RecordProperty("of_a_chunk", std::to_string(ofAChunk));
    RecordProperty("of_a_prompt", std::to_string(ofAPrompt));
    EXPECT_GT(ofAPrompt, 0);
    EXPECT_LT(ofAChunk, 700);
    EXPECT_LT(ofAPrompt, 20);
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <type_traits>

#include "engine/kernels/linear/linear_candidates.h"
#include "engine/models/wan/wan_transformer.h"
#include "tests/support/allocation_count.h"
#include "tests/support/model_allocations.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

static_assert(!std::is_copy_constructible_v<WanBlock>, "a block is made once, by its transformer");

/// oneDNN makes lists of its own for each product; their number depends on no size.
bool multipliesByOneDnn(Arithmetic arithmetic) {
    return linearCandidate(arithmetic).library == "oneDNN";
}

/// Allocations of one pass through a transformer of so many blocks that has run before.
std::int64_t allocationsOfAPass(std::int64_t blocks, const WanPrecision& precision) {
    WanTransformerConfig config;
    config.heads = 2;
    config.headDim = 8;
    config.textDim = 8;
    config.freqDim = 8;
    config.ffnDim = 16;
    config.layers = blocks;
    const testing::RandomWan model(config, 1);
    const testing::WanCall call = testing::WanCall::random(config, {1, 1, 4, 4}, 3, 2);
    const WanTransformer transformer(config, model.checkpoint(), planAttentions({}, config), {}, precision);
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

// What operations work in is the thread's, and holds more than it ever needed before the pass that counts.
TEST(WanPass, ABlockAllocatesNothing) {
    if (const char* why = testing::whyAllocationsAreNotCounted())
        GTEST_SKIP() << why;
    constexpr std::int64_t few = 2;
    constexpr std::int64_t many = 6;
    for (const WanPrecision& precision :
         {WanPrecision{}, WanPrecision{.weights = Arithmetic::BF16, .activations = DType::BF16},
          WanPrecision{.weights = Arithmetic::Int8, .activations = DType::BF16}}) {
        const std::int64_t ofBlocks =
            allocationsOfAPass(many, precision) - allocationsOfAPass(few, precision);
        constexpr std::int64_t ofOneDnn = 400;  // a block, of ten products
        EXPECT_LE(ofBlocks, multipliesByOneDnn(precision.linears()) ? (many - few) * ofOneDnn : 0)
            << nameOf(precision.weights);
        EXPECT_GE(ofBlocks, 0);
    }
}

// Of a chunk the lists of its frames and of what devices exchange, and two tensors, each with an owner: its
// frames behind each other, and their bytes.
TEST(WanPass, AChunkOfAVideoAllocatesNoMoreThanItsListsAndAPromptNothing) {
    if (const char* why = testing::whyAllocationsAreNotCounted())
        GTEST_SKIP() << why;
    WorkerPool pool({.workers = 1});
    const Execution execution{pool, {}};
    constexpr std::int64_t lists = 6;
    constexpr std::int64_t ofTensors = 4;
    EXPECT_LE(testing::allocationsOfAChunk(execution, {}), lists + ofTensors);
    EXPECT_LE(testing::allocationsOfAChunk(execution, {.activations = DType::BF16, .weights = DType::BF16}),
              lists + ofTensors);
    EXPECT_EQ(testing::allocationsOfAPromptInALayer(execution, Arithmetic::F32), 0);
    if (!multipliesByOneDnn(Arithmetic::BF16)) {
        EXPECT_EQ(testing::allocationsOfAPromptInALayer(execution, Arithmetic::BF16), 0);
    }
}

}  // namespace
}  // namespace meshreel

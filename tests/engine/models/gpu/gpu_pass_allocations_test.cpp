// SPDX-License-Identifier: GPL-3.0-or-later
// What the host allocates for a pass that a GPU computes.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "engine/models/wan/wan_transformer.h"
#include "tests/support/allocation_count.h"
#include "tests/support/model_allocations.h"
#include "tests/support/test_gpu.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

class GpuPass : public testing::GpuWorkTest {
  protected:
    /// Of one pass through a transformer of so many blocks that has run before.
    [[nodiscard]] std::int64_t allocations(std::int64_t blocks, const WanPrecision& precision) {
        WanTransformerConfig config;
        config.heads = 2;
        config.headDim = 8;
        config.textDim = 8;
        config.freqDim = 8;
        config.ffnDim = 16;
        config.layers = blocks;
        const testing::RandomWan model(config, 1);
        const testing::WanCall call = testing::WanCall::random(config, {1, 1, 4, 4}, 3, 2);
        const WanTransformer transformer(config, model.checkpoint(), planAttentions({}, config), {},
                                         precision, nullptr, {}, &work->memory());
        WorkerPool pool({.workers = 1});
        LoneDevice lone({pool, {}, nullptr, work.get()});
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
};

// Buffers, prepared operations and short vectors that are sent along are there before the first block.
TEST_F(GpuPass, ABlockAllocatesNothing) {
    if (const char* why = testing::whyAllocationsAreNotCounted())
        GTEST_SKIP() << why;
    constexpr std::int64_t few = 2;
    constexpr std::int64_t many = 6;
    for (const WanPrecision& precision :
         {WanPrecision{}, WanPrecision{.weights = Arithmetic::BF16, .activations = DType::BF16},
          WanPrecision{.weights = Arithmetic::Int8, .activations = DType::BF16}}) {
        const std::int64_t ofABlock =
            (allocations(many, precision) - allocations(few, precision)) / (many - few);
        EXPECT_EQ(ofABlock, 0) << nameOf(precision.weights);
    }
}

// Of a chunk the lists of its frames and of what devices exchange, and the bytes of its frames with their
// owner.
TEST_F(GpuPass, AChunkOfAVideoAllocatesNoMoreThanItsListsAndAPromptNothing) {
    if (const char* why = testing::whyAllocationsAreNotCounted())
        GTEST_SKIP() << why;
    WorkerPool pool({.workers = 1});
    const Execution execution{pool, {}, nullptr, work.get()};
    constexpr std::int64_t lists = 5;
    constexpr std::int64_t ofBytes = 2;
    EXPECT_LE(testing::allocationsOfAChunk(execution, {}), lists + ofBytes);
    EXPECT_LE(testing::allocationsOfAChunk(execution, {.activations = DType::BF16, .weights = DType::BF16}),
              lists + ofBytes);
    EXPECT_EQ(testing::allocationsOfAPromptInALayer(execution, Arithmetic::F32), 0);
    EXPECT_EQ(testing::allocationsOfAPromptInALayer(execution, Arithmetic::BF16), 0);
}

}  // namespace
}  // namespace meshreel

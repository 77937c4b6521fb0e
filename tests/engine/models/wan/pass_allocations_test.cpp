// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

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

WanTransformerConfig smallConfig(std::int64_t blocks) {
    WanTransformerConfig config;
    config.heads = 2;
    config.headDim = 8;
    config.textDim = 8;
    config.freqDim = 8;
    config.ffnDim = 64;
    config.layers = blocks;
    return config;
}

/// Allocations of one pass through a transformer of so many blocks that has run before.
std::int64_t allocationsOfAPass(std::int64_t blocks, const WanPrecision& precision) {
    const WanTransformerConfig config = smallConfig(blocks);
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

struct SplitPass {
    std::string_view mode;
    MeshShape shape;
};

/// Of the device of a mesh that allocates most. Which of two devices copies what they exchange is a matter of
/// time, and so is how much one of them works in: of many passes the least counts.
std::int64_t allocationsOfAPass(std::int64_t blocks, const SplitPass& split) {
    constexpr int passes = 12;
    const WanTransformerConfig config = smallConfig(blocks);
    const testing::RandomWan model(config, 1);
    const testing::WanCall call = testing::WanCall::random(config, {1, 2, 4, 4}, 3, 2);
    const AttentionMode* mode = findAttentionMode(split.mode);
    const int ulysses = mode->exchange == Exchange::Ulysses && split.shape.context > 2 ? 2 : -1;
    testing::WanOnMesh onMesh(model, {.mode = mode, .ulyssesShards = ulysses}, split.shape);
    std::vector<std::int64_t> least(static_cast<std::size_t>(split.shape.devices()));
    onMesh.mesh().run({}, nullptr, [&](Device& device) {
        const WanTransformer& transformer = onMesh.of(device);
        const CrossAttentionCache context = transformer.prepare(device, call.conditions);
        const RotaryTable rotary = transformer.rotary(device, call.inputs.latents.shape());
        const std::array<const CrossAttentionCache*, 1> contexts{&context};
        std::int64_t& fewest = least[static_cast<std::size_t>(device.index())];
        for (int pass = 0; pass < passes; ++pass) {
            const std::int64_t before = testing::allocationsOfThisThread();
            static_cast<void>(transformer.forward(device, call.inputs, contexts, rotary));
            const std::int64_t allocations = testing::allocationsOfThisThread() - before;
            fewest = pass == 0 ? allocations : std::min(fewest, allocations);
        }
    });
    return std::ranges::max(least);
}

// Layers that are sharded over fsdp are prepared anew for each use, as streamed ones are.
TEST(WanPass, ABlockOnAMeshAllocatesNothingWithinAProcess) {
    if (const char* why = testing::whyAllocationsAreNotCounted())
        GTEST_SKIP() << why;
    for (const SplitPass& split :
         {SplitPass{"flash", {.context = 2}}, SplitPass{"ring", {.context = 2}},
          SplitPass{"tokamax_ring", {.context = 2}}, SplitPass{"ulysses", {.context = 2}},
          SplitPass{"ulysses_ring_custom_bidir", {.context = 4}},
          SplitPass{"ulysses_ring_custom_fixed_m", {.context = 4}}, SplitPass{"flash", {.tensor = 2}}})
        EXPECT_EQ(allocationsOfAPass(6, split), allocationsOfAPass(2, split))
            << split.mode << " on " << split.shape.text();
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

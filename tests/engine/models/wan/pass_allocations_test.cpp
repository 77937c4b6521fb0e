// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "engine/models/wan/wan_transformer.h"
#include "tests/support/instrumented.h"
#include "tests/support/wan_on_mesh.h"

#if !MESHREEL_CHECKS_RACES

namespace {

std::atomic<std::int64_t> allocationCount{0};

void* countedOrNull(std::size_t size) noexcept {
    ++allocationCount;
    return std::malloc(size == 0 ? 1 : size);
}

void* countedAllocation(std::size_t size) {
    if (void* memory = countedOrNull(size); memory != nullptr)
        return memory;
    throw std::bad_alloc();
}

}  // namespace

// Of the whole test program: what is not counted by Tensor's meter, that is objects, names and tables.
void* operator new(std::size_t size) {
    return countedAllocation(size);
}
void* operator new[](std::size_t size) {
    return countedAllocation(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return countedOrNull(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return countedOrNull(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
#endif

namespace meshreel {
namespace {

static_assert(!std::is_copy_constructible_v<WanBlock>, "a block is made once, by its transformer");

#if MESHREEL_CHECKS_RACES
TEST(WanPass, ABlockOfAPassAllocatesItsIntermediatesOnly) {
    GTEST_SKIP() << "the thread sanitizer has allocation functions of its own";
}
#else
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
    const WanContext context = transformer.prepare(lone.device(), call.conditions);
    const RotaryTable rotary = transformer.rotary(lone.device(), call.inputs.latents.shape());
    const std::array<const WanContext*, 1> contexts{&context};
    const auto pass = [&] {
        const std::int64_t before = allocationCount;
        static_cast<void>(transformer.forward(lone.device(), call.inputs, contexts, rotary));
        return allocationCount - before;
    };
    static_cast<void>(pass());
    return pass();
}

// 111 where this was written. A block that was made anew, with its names and the tables of its layer, took
// about 70 more.
TEST(WanPass, ABlockOfAPassAllocatesItsIntermediatesOnly) {
    constexpr std::int64_t few = 2;
    constexpr std::int64_t many = 6;
    const std::int64_t ofABlock = (allocationsOfAPass(many) - allocationsOfAPass(few)) / (many - few);
    RecordProperty("allocations", std::to_string(ofABlock));
    EXPECT_GT(ofABlock, 0);
    EXPECT_LT(ofABlock, 145);
}
#endif

}  // namespace
}  // namespace meshreel

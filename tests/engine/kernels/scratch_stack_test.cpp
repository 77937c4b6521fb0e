// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/scratch_stack.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/base/worker_pool.h"
#include "engine/kernels/scratch_buffer.h"

namespace meshreel {
namespace {

constexpr std::size_t kib = 1024;

TEST(ScratchStack, KeepsTheMostThatWasHeldAtATime) {
    ScratchStack stack;
    for (const std::size_t bytes : {3 * kib, kib, 2 * kib}) {
        std::byte* const first = stack.take(bytes);
        std::byte* const second = stack.take(kib);
        EXPECT_NE(first, second);
        stack.give(second);
        stack.give(first);
    }
    EXPECT_EQ(stack.bytes(), 4 * kib) << "calls that follow each other share it";
    std::byte* const whole = stack.take(4 * kib);
    EXPECT_EQ(stack.bytes(), 4 * kib);
    stack.give(whole);
}

TEST(ScratchStack, ReusesMemoryOnceWhatWasTakenLaterIsBack) {
    ScratchStack stack;
    stack.give(stack.take(4 * kib));
    std::byte* const first = stack.take(kib);
    std::byte* const second = stack.take(kib);
    std::byte* const third = stack.take(kib);
    stack.give(second);
    EXPECT_GT(stack.take(kib), third);
    EXPECT_EQ(stack.bytes(), 4 * kib);
    stack.give(third + kib);
    stack.give(third);
    EXPECT_EQ(stack.take(kib), second);
    stack.give(second);
    stack.give(first);
    EXPECT_EQ(stack.bytes(), 4 * kib);
}

TEST(ScratchStack, LendsWhatTheBlockHasNoRoomFor) {
    ScratchStack stack;
    stack.give(stack.take(kib));
    std::byte* const small = stack.take(kib);
    std::byte* const large = stack.take(8 * kib);
    small[kib - 1] = std::byte{1};
    large[8 * kib - 1] = std::byte{2};
    EXPECT_EQ(stack.bytes(), kib);
    stack.give(large);
    EXPECT_EQ(small[kib - 1], std::byte{1});
    stack.give(small);
    EXPECT_EQ(stack.bytes(), 9 * kib);
}

TEST(ScratchStack, AlignsEveryPiece) {
    ScratchStack stack;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65}, kib})
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stack.take(bytes)) % ScratchStack::alignment, 0U);
}

TEST(ScratchStack, IsReleasedOnlyWhenNothingIsTaken) {
    ScratchStack stack;
    std::byte* const taken = stack.take(kib);
    stack.release();
    EXPECT_EQ(stack.bytes(), kib);
    stack.give(taken);
    stack.release();
    EXPECT_EQ(stack.bytes(), 0U);
}

TEST(ScratchStack, FreeScratchReachesEveryThreadOfATeam) {
    constexpr int workers = 3;
    WorkerPool pool({.workers = workers});
    const auto kept = [&] {
        std::atomic<std::size_t> bytes = 0;
        pool.onEachWorker([&] { bytes += ScratchStack::ofThisThread().bytes(); });
        return bytes.load();
    };
    freeScratch(pool);
    pool.onEachWorker([] {
        ScratchBuffer buffer;
        static_cast<void>(buffer.take<std::byte>(kib));
    });
    EXPECT_EQ(kept(), workers * kib);
    freeScratch(pool);
    EXPECT_EQ(kept(), 0U);
}

TEST(ScratchBuffer, KeepsItsMemoryForAsManyOrFewerElements) {
    ScratchBuffer buffer;
    float* const numbers = buffer.take<float>(16);
    numbers[0] = 3.0F;
    EXPECT_EQ(buffer.take<float>(8), numbers);
    EXPECT_EQ(numbers[0], 3.0F);
    EXPECT_EQ(buffer.bytes(), 16 * sizeof(float));
}

TEST(ScratchVector, BeginsWithTheValuesOfAnyVector) {
    {
        ScratchVector<float> before(8, 7.0F);
        EXPECT_EQ(before[7], 7.0F);
    }
    const ScratchVector<float> zeros(8);
    EXPECT_EQ(zeros, ScratchVector<float>(8, 0.0F));
}

}  // namespace
}  // namespace meshreel

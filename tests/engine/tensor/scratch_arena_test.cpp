// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/scratch_arena.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

TEST(ScratchArena, TakesFromItsMemoryWhileThereIsRoom) {
    const Tensor memory = Tensor::empty({64});
    ScratchArena arena(memory);
    const Tensor first = arena.take({20});
    const Tensor second = arena.take({16});
    const Tensor tooLarge = arena.take({32});
    EXPECT_EQ(first.raw(), memory.raw());
    EXPECT_EQ(second.raw(), memory.raw() + 128);
    EXPECT_TRUE(tooLarge.raw() < memory.raw() || tooLarge.raw() >= memory.raw() + memory.bytes());
}

TEST(ScratchArena, FrameGivesBack) {
    const Tensor memory = Tensor::empty({64});
    ScratchArena arena(memory);
    const Tensor kept = arena.take({16});
    {
        const ScratchArena::Frame frame(arena);
        EXPECT_EQ(arena.take({16}).raw(), memory.raw() + 64);
    }
    EXPECT_EQ(arena.take({16}).raw(), memory.raw() + 64);
}

TEST(ScratchArena, TakesFromWhatWasLentUntilTheFrameEnds) {
    const Tensor lent = Tensor::empty({64});
    ScratchArena arena(Tensor::empty({16}));
    {
        const ScratchArena::Frame frame(arena);
        arena.lend(lent);
        EXPECT_NE(arena.take({31}).raw(), lent.raw()) << "too small for it";
        {
            const ScratchArena::Frame inner(arena);
            EXPECT_EQ(arena.take({32}).raw(), lent.raw());
            EXPECT_NE(arena.take({32}).raw(), lent.raw()) << "taken";
        }
        EXPECT_NE(arena.take({65}).raw(), lent.raw()) << "too large";
        EXPECT_EQ(arena.take({64}).raw(), lent.raw());
    }
    EXPECT_NE(arena.take({64}).raw(), lent.raw()) << "given back";
}

TEST(ScratchArena, WithoutMemoryEverythingIsAllocated) {
    ScratchArena arena;
    const Tensor a = arena.take({16});
    const Tensor b = arena.take({16});
    EXPECT_NE(a.raw(), b.raw());
}

}  // namespace
}  // namespace meshreel

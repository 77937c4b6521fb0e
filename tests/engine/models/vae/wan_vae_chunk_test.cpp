// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_chunk.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace meshreel {
namespace {

TEST(FeaturePool, HandsOutMemoryAgainWhenNothingLooksAtIt) {
    FeaturePool pool;
    Tensor first = pool.take({2, 8}, DType::F32);
    const std::byte* memory = std::as_const(first).raw();
    Tensor slice = first.slice(1, 2);
    first = Tensor();
    const Tensor second = pool.take({2, 8}, DType::F32);
    EXPECT_NE(second.raw(), memory) << "a slice still looks at it";
    slice = Tensor();
    const Tensor third = pool.take({2, 8}, DType::F32);
    EXPECT_EQ(third.raw(), memory);
}

TEST(FeaturePool, SharesMemoryOfAsManyBytes) {
    FeaturePool pool;
    const std::byte* memory = nullptr;
    {
        const Tensor floats = pool.take({2, 8}, DType::F32);
        memory = floats.raw();
        EXPECT_EQ(floats.shape(), (Shape{2, 8}));
        EXPECT_EQ(floats.dtype(), DType::F32);
    }
    const Tensor larger = pool.take({4, 8}, DType::F32);
    EXPECT_NE(larger.raw(), memory);
    const Tensor halves = pool.take({4, 8}, DType::BF16);
    EXPECT_EQ(halves.raw(), memory);
    EXPECT_EQ(halves.shape(), (Shape{4, 8}));
}

TEST(FeaturePool, TensorsMayOutliveIt) {
    std::optional<FeaturePool> pool(std::in_place);
    Tensor tensor = pool->take({4}, DType::F32);
    pool.reset();
    tensor.data<float>()[3] = 1.0F;
    EXPECT_EQ(tensor.data<float>()[3], 1.0F);
}

}  // namespace
}  // namespace meshreel

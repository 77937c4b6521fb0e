// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

TEST(Shape, AnotherExtentLeavesTheOthers) {
    const Shape shape{2, 3, 4};
    EXPECT_EQ(shape.with(1, 7), (Shape{2, 7, 4}));
    EXPECT_EQ(shape, (Shape{2, 3, 4}));
    EXPECT_EQ(shape.with(1, 7).elements(), 56);
    EXPECT_EQ(shape.with(1, 7).text(), "[2, 7, 4]");
}

TEST(Shape, HoldsAsManyAxesAsItSays) {
    const std::vector<std::int64_t> most(Shape::maxRank, 1);
    EXPECT_EQ(Shape(most).rank(), Shape::maxRank);
    EXPECT_NE(Shape(most), Shape(std::span(most).first(Shape::maxRank - 1)));
    const std::vector<std::int64_t> more(Shape::maxRank + 1, 1);
    EXPECT_THROW(static_cast<void>(Shape(more)), Error);
}

TEST(Tensor, CopiesShareAndClonesDoNot) {
    Tensor original = Tensor::from<float>({2, 2}, {1, 2, 3, 4});
    Tensor shared = original;
    Tensor cloned = original.clone();
    original.data<float>()[0] = 9;
    EXPECT_EQ(shared.data<float>()[0], 9);
    EXPECT_EQ(cloned.data<float>()[0], 1);
}

TEST(Tensor, SliceIsRowsOfTheOutermostAxis) {
    const Tensor tensor = Tensor::from<std::int64_t>({3, 2}, {0, 1, 2, 3, 4, 5});
    const Tensor rows = tensor.slice(1, 3);
    EXPECT_EQ(rows.shape(), (Shape{2, 2}));
    EXPECT_EQ(rows.data<std::int64_t>()[0], 2);
    EXPECT_THROW((void)tensor.slice(2, 4), Error);
}

TEST(Tensor, ReadingAsAnotherTypeIsAnError) {
    const Tensor tensor = Tensor::zeros({2}, DType::BF16);
    EXPECT_THROW((void)tensor.data<float>(), Error);
    EXPECT_EQ(tensor.toF32().data<float>()[1], 0.0F);
}

TEST(Tensor, ReshapeKeepsTheElements) {
    const Tensor tensor = Tensor::zeros({2, 6});
    EXPECT_EQ(tensor.reshaped({3, 4}).shape(), (Shape{3, 4}));
    EXPECT_THROW((void)tensor.reshaped({5}), Error);
}

TEST(Tensor, AViewKeepsItsOwnerAlive) {
    auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2});
    const std::weak_ptr<std::vector<float>> watch = owner;
    {
        const Tensor view = Tensor::view(owner->data(), {2}, DType::F32, owner);
        owner.reset();
        EXPECT_FALSE(watch.expired());
        EXPECT_EQ(view.data<float>()[1], 2);
    }
    EXPECT_TRUE(watch.expired());
}

TEST(Tensor, MemoryIsAlignedToACacheLine) {
    const Tensor tensor = Tensor::empty({3});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.raw()) % 64, 0U);
}

TEST(Tensor, TransposedTurnsAMatrix) {
    const Tensor turned = transposed(Tensor::from<std::int64_t>({2, 3}, {1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(turned.shape(), (Shape{3, 2}));
    EXPECT_THAT(turned.data<float>(), ::testing::ElementsAre(1, 4, 2, 5, 3, 6));
}

}  // namespace
}  // namespace meshreel

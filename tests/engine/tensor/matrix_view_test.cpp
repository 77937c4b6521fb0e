// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/matrix_view.h"

#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

Tensor counting(const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(shape.elements()));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i);
    return Tensor::from(shape, values);
}

TEST(MatrixView, SeesTheLastAxisOfATensorAsRows) {
    const Tensor tensor = counting({2, 3, 4});
    const MatrixView view(tensor);
    EXPECT_EQ(view.rows(), 6);
    EXPECT_THAT(view.row<float>(5), ElementsAre(20, 21, 22, 23));
}

TEST(MatrixView, PartsKeepTheStride) {
    const Tensor tensor = counting({4, 5});
    const MatrixView part = MatrixView(tensor).slice(1, 2).columns(2, 3);
    EXPECT_EQ(part.rows(), 2);
    EXPECT_EQ(part.stride(), 5);
    EXPECT_THAT(part.row<float>(0), ElementsAre(7, 8, 9));
    EXPECT_THAT(part.row<float>(1), ElementsAre(12, 13, 14));
}

TEST(MatrixSpan, WritesAndReadsRoundedRows) {
    std::array<BFloat16, 8> memory{};
    const MatrixSpan span(memory, 4);
    span.slice(1, 1).writeRow(0, std::array{1.0F, 2.0F, 3.0F, 1.001F});
    std::array<float, 4> read{};
    MatrixView(span).readRow(1, read);
    EXPECT_THAT(read, ElementsAre(1, 2, 3, 1));
    EXPECT_EQ(toFloat(span.columns(2, 1).row<BFloat16>(1)[0]), 3);
}

TEST(MatrixView, RefusesOtherTypes) {
    const Tensor integers = Tensor::zeros({2, 2}, DType::I64);
    EXPECT_THROW(MatrixView{integers}, Error);
    const Tensor floats = counting({2, 2});
    EXPECT_THROW((void)MatrixView(floats).row<BFloat16>(0), Error);
}

}  // namespace
}  // namespace meshreel

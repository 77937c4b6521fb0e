// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/int8_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "engine/base/error.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

TEST(Int8Rows, ComeBackWithinHalfAScale) {
    WorkerPool pool({.workers = 2});
    const Execution execution{pool, {}};
    for (const DType type : {DType::F32, DType::BF16}) {
        Tensor rows = testing::randomTensor({2, 3, 4, 8}, 3);
        rows.slice(0, 1).data<float>()[5] = 40.0F;  // makes the scale of its row alone coarse
        std::ranges::fill(rows.slice(1, 2).data<float>().first(8), 0.0F);
        const Tensor given = rows.to(type);
        const Int8Rows packed = packInt8Rows(execution, given, 8, nullptr);
        EXPECT_EQ(packed.values.shape(), (Shape{24, 8}));
        EXPECT_EQ(packed.bytes(), 24U * 8 + 24 * sizeof(float));
        Tensor back = Tensor::empty({24, 8}, type);
        unpackInt8Rows(execution, packed, MatrixSpan(back));
        const Tensor found = back.toF32();
        const Tensor expected = given.toF32();
        for (std::size_t i = 0; i < found.data<float>().size(); ++i) {
            const float scale = packed.scales.data<float>()[i / 8];
            const float rounding = type == DType::BF16 ? std::abs(expected.data<float>()[i]) / 128 : 1e-6F;
            EXPECT_NEAR(found.data<float>()[i], expected.data<float>()[i], scale / 2 + rounding) << i;
        }
    }
}

TEST(Int8Rows, OfAnotherSizeAreRefused) {
    WorkerPool pool({.workers = 1});
    const Execution execution{pool, {}};
    const Tensor rows = testing::randomTensor({3, 8}, 3);
    EXPECT_THROW(static_cast<void>(packInt8Rows(execution, rows, 7, nullptr)), Error);
    const Int8Rows packed = packInt8Rows(execution, rows, 8, nullptr);
    Tensor other = Tensor::empty({2, 8});
    EXPECT_THROW(unpackInt8Rows(execution, packed, MatrixSpan(other)), Error);
}

}  // namespace
}  // namespace meshreel

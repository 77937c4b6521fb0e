// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/rows/norms.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

constexpr double headEpsilon = 1e-6;
constexpr float bf16Step = 1.0F / 256.0F;  // half of a unit in the last place, relative

struct Heads {
    std::int64_t heads;
    std::int64_t headDim;
};

/// Head dimensions of whole vectors, of parts, and of both.
class HeadNormTest : public ::testing::TestWithParam<Heads> {
  protected:
    static constexpr TokenGrid grid{.frames = 2, .rows = 3, .columns = 2};
    static constexpr std::int64_t batch = 2;
    std::int64_t width = GetParam().heads * GetParam().headDim;
    std::int64_t rows = batch * grid.tokens();
    Tensor x = testing::toBf16(
        testing::randomTensor({batch, grid.tokens(), GetParam().heads, GetParam().headDim}, 1));
    Tensor gamma = testing::randomTensor({width}, 2);
    RotaryTable rotary = rotaryTable(grid, GetParam().headDim);
    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};

    [[nodiscard]] HeadNorm norm(bool scaled, bool rotated) const {
        return {.headDim = GetParam().headDim,
                .gamma = scaled ? MatrixView(gamma) : MatrixView(),
                .fullWidth = width,
                .epsilon = headEpsilon,
                .rotary = rotated ? &rotary : nullptr};
    }
    [[nodiscard]] MatrixSpan matrix(Tensor& tensor) const {
        return {tensor.raw(), tensor.dtype(), {.rows = rows, .width = width, .stride = width}};
    }
};

TEST_P(HeadNormTest, Bf16IsF32RoundedOnce) {
    for (const bool scaled : {false, true})
        for (const bool rotated : {false, true}) {
            Tensor single = x.toF32();
            Tensor half = x.clone();
            normaliseHeads(execution, matrix(single), norm(scaled, rotated));
            normaliseHeads(execution, matrix(half), norm(scaled, rotated));
            const Tensor found = half.toF32();
            for (std::int64_t i = 0; i < found.elements(); ++i) {
                const float expected = single.data<float>()[static_cast<std::size_t>(i)];
                ASSERT_NEAR(found.data<float>()[static_cast<std::size_t>(i)], expected,
                            bf16Step * std::abs(expected) + 1e-6F)
                    << i << " scaled " << scaled << " rotated " << rotated;
            }
        }
}

TEST_P(HeadNormTest, F32IsTheNormThenTheRotation) {
    Tensor found = x.toF32();
    normaliseHeads(execution, matrix(found), norm(true, true));
    Tensor expected = x.toF32();
    std::vector<float> squares(static_cast<std::size_t>(rows));
    rowSquares(execution, expected.data<float>(), width, squares);
    rmsNormBySquares(execution, expected.data<float>(), width, squares, width, headEpsilon,
                     gamma.data<float>(), expected.data<float>());
    applyRotary(execution, rotary, GetParam().heads, expected.data<float>());
    EXPECT_EQ(std::memcmp(found.raw(), expected.raw(), found.bytes()), 0);
}

TEST_P(HeadNormTest, SumsFromElsewhereAreTheRowsOwn) {
    Tensor own = x.clone();
    normaliseHeads(execution, matrix(own), norm(true, true));
    Tensor given = x.clone();
    std::vector<float> squares(static_cast<std::size_t>(rows));
    rowSquares(execution, MatrixView(matrix(given)), squares);
    normaliseHeads(execution, matrix(given), norm(true, true), squares);
    EXPECT_EQ(std::memcmp(own.raw(), given.raw(), own.bytes()), 0);
}

TEST_P(HeadNormTest, TheSameBitsWithAnyNumberOfWorkers) {
    Tensor two = x.clone();
    normaliseHeads(execution, matrix(two), norm(true, true));
    WorkerPool onePool{{.workers = 1}};
    Tensor one = x.clone();
    normaliseHeads({onePool, {}}, matrix(one), norm(true, true));
    EXPECT_EQ(std::memcmp(one.raw(), two.raw(), one.bytes()), 0);
}

TEST_P(HeadNormTest, LayerNormOfBf16IsF32RoundedOnce) {
    const Tensor hidden = testing::randomTensor({rows, width}, 3);
    const Tensor beta = testing::randomTensor({width}, 4);
    Tensor single = Tensor::empty(hidden.shape());
    const NormWeights weights{.gamma = MatrixView(gamma), .beta = MatrixView(beta)};
    layerNorm(execution, MatrixView(hidden), headEpsilon, weights, MatrixSpan(single));
    Tensor half = Tensor::empty(hidden.shape(), DType::BF16);
    layerNorm(execution, MatrixView(hidden), headEpsilon, weights, MatrixSpan(half));
    const Tensor found = half.toF32();
    for (std::size_t i = 0; i < static_cast<std::size_t>(found.elements()); ++i) {
        const float expected = single.data<float>()[i];
        ASSERT_NEAR(found.data<float>()[i], expected, bf16Step * std::abs(expected) + 2e-6F) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, HeadNormTest,
                         ::testing::Values(Heads{1, 2}, Heads{3, 10}, Heads{2, 32}, Heads{5, 36},
                                           Heads{12, 128}),
                         [](const auto& parameter) {
                             return std::to_string(parameter.param.heads) + "x" +
                                    std::to_string(parameter.param.headDim);
                         });

TEST(HeadNorm, NanStaysAndNothingElseIsTouched) {
    WorkerPool pool{{.workers = 1}};
    Tensor x = Tensor::from({1, 4}, std::vector<float>{std::numeric_limits<float>::quiet_NaN(), 1, 2, 3});
    Tensor half = testing::toBf16(x);
    normaliseHeads({pool, {}}, MatrixSpan(half), {.headDim = 4});
    EXPECT_TRUE(std::isnan(toFloat(half.data<BFloat16>()[0])));
    EXPECT_EQ(toFloat(half.data<BFloat16>()[3]), 3.0F);
    const RotaryTable rotary = rotaryTable({.frames = 1, .rows = 1, .columns = 1}, 4);
    normaliseHeads({pool, {}}, MatrixSpan(half), {.headDim = 4, .rotary = &rotary});
    EXPECT_TRUE(std::isnan(toFloat(half.data<BFloat16>()[0])));
    EXPECT_EQ(toFloat(half.data<BFloat16>()[3]), 3.0F) << "position 0 does not turn";
}

TEST(HeadNorm, RefusesWhatDoesNotFit) {
    WorkerPool pool{{.workers = 1}};
    const Execution execution{pool, {}};
    Tensor x = Tensor::zeros({3, 8}, DType::BF16);
    const RotaryTable rotary = rotaryTable({.frames = 2, .rows = 1, .columns = 1}, 4);
    EXPECT_THROW(normaliseHeads(execution, MatrixSpan(x), {.headDim = 3}), Error);
    EXPECT_THROW(normaliseHeads(execution, MatrixSpan(x), {.headDim = 4, .rotary = &rotary}), Error);
    const Tensor gamma = Tensor::zeros({4});
    EXPECT_THROW(normaliseHeads(execution, MatrixSpan(x), {.headDim = 4, .gamma = MatrixView(gamma)}), Error);
    std::vector<float> sums(2);
    EXPECT_THROW(rowSquares(execution, MatrixView(x), sums), Error);
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/norms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "tests/support/printed_name.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

constexpr double epsilon = 1e-6;

struct Moments {
    double mean = 0.0;
    double meanSquare = 0.0;
};

Moments momentsOf(std::span<const float> row) {
    Moments moments;
    for (const float value : row) {
        moments.mean += static_cast<double>(value) / static_cast<double>(row.size());
        moments.meanSquare +=
            static_cast<double>(value) * static_cast<double>(value) / static_cast<double>(row.size());
    }
    return moments;
}

class NormsTest : public ::testing::TestWithParam<std::int64_t> {
  protected:
    static constexpr std::int64_t rows = 5;
    Tensor x = testing::randomTensor({rows, GetParam()}, 1);
    Tensor gamma = testing::randomTensor({GetParam()}, 2);
    Tensor beta = testing::randomTensor({GetParam()}, 3);
    Tensor y = Tensor::empty(x.shape());
    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};
};

TEST_P(NormsTest, LayerNorm) {
    layerNorm(execution, x.data<float>(), GetParam(), epsilon, gamma.data<float>(), beta.data<float>(),
              y.data<float>());
    for (std::int64_t row = 0; row < rows; ++row) {
        const Tensor from = x.slice(row, row + 1);
        const auto [mean, meanSquare] = momentsOf(from.data<float>());
        for (std::size_t i = 0; i < from.data<float>().size(); ++i) {
            const double normal = (static_cast<double>(from.data<float>()[i]) - mean) /
                                  std::sqrt(meanSquare - mean * mean + epsilon);
            const double expected = normal * static_cast<double>(gamma.data<float>()[i]) +
                                    static_cast<double>(beta.data<float>()[i]);
            ASSERT_NEAR(y.slice(row, row + 1).data<float>()[i], expected, 2e-6);
        }
    }
}

TEST_P(NormsTest, RmsNormInPlace) {
    Tensor inPlace = x.clone();
    rmsNorm(execution, inPlace.data<float>(), GetParam(), epsilon, gamma.data<float>(),
            inPlace.data<float>());
    for (std::int64_t row = 0; row < rows; ++row) {
        const Tensor from = x.slice(row, row + 1);
        const double meanSquare = momentsOf(from.data<float>()).meanSquare;
        for (std::size_t i = 0; i < from.data<float>().size(); ++i)
            ASSERT_NEAR(inPlace.slice(row, row + 1).data<float>()[i],
                        static_cast<double>(from.data<float>()[i]) / std::sqrt(meanSquare + epsilon) *
                            static_cast<double>(gamma.data<float>()[i]),
                        2e-6);
    }
}

INSTANTIATE_TEST_SUITE_P(Widths, NormsTest, ::testing::Values(1, 7, 16, 96, 257), testing::PrintedName());

TEST(RmsNorm, ByTheSumsOfPartsIsTheNormOfTheWhole) {
    constexpr std::int64_t rows = 5;
    constexpr std::int64_t width = 24;
    constexpr std::int64_t half = width / 2;
    WorkerPool pool({.workers = 2});
    const Execution execution{pool, {}};
    const Tensor x = testing::randomTensor({rows, width}, 8);
    const Tensor gamma = testing::randomTensor({width}, 9);
    Tensor whole = Tensor::empty(x.shape());
    rmsNorm(execution, x.data<float>(), width, 1e-6, gamma.data<float>(), whole.data<float>());

    std::vector<Tensor> parts;
    std::vector<float> sums(rows);
    for (std::int64_t part = 0; part < 2; ++part) {
        parts.push_back(Tensor::empty({rows, half}));
        for (std::int64_t row = 0; row < rows; ++row)
            std::ranges::copy(
                x.slice(row, row + 1).data<float>().subspan(static_cast<std::size_t>(part * half), half),
                parts.back().slice(row, row + 1).data<float>().begin());
        std::vector<float> squares(rows);
        rowSquares(execution, std::as_const(parts.back()).data<float>(), half, squares);
        std::ranges::transform(sums, squares, sums.begin(), std::plus<>());
    }
    for (std::int64_t part = 0; part < 2; ++part) {
        Tensor& values = parts[static_cast<std::size_t>(part)];
        rmsNormBySquares(execution, std::as_const(values).data<float>(), half, sums, width, 1e-6,
                         gamma.slice(part * half, (part + 1) * half).data<float>(), values.data<float>());
        for (std::int64_t i = 0; i < rows * half; ++i)
            EXPECT_NEAR(
                values.data<float>()[static_cast<std::size_t>(i)],
                whole.data<float>()[static_cast<std::size_t>(i / half * width + part * half + i % half)],
                1e-6);
    }
}

TEST(LayerNorm, KeepsItsPrecisionFarFromZero) {
    // A constant offset of 1000 costs a one-pass variance in f32 all its digits.
    Tensor x = testing::randomTensor({1, 512}, 4);
    Tensor far = x.clone();
    for (float& value : far.data<float>())
        value += 1000.0F;
    WorkerPool pool({.workers = 1});
    const Execution execution{pool, {}};
    layerNorm(execution, x.data<float>(), 512, epsilon, {}, {}, x.data<float>());
    layerNorm(execution, far.data<float>(), 512, epsilon, {}, {}, far.data<float>());
    for (std::size_t i = 0; i < 512; ++i)
        ASSERT_NEAR(x.data<float>()[i], far.data<float>()[i], 2e-4);
}

}  // namespace
}  // namespace meshreel

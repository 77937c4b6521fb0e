// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/norms.h"

#include <gtest/gtest.h>

#include <cmath>

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

INSTANTIATE_TEST_SUITE_P(Widths, NormsTest, ::testing::Values(1, 7, 16, 96, 257));

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

// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "engine/models/animate/face_encoder.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

double dot(const Tensor& a, std::int64_t columnOfA, const Tensor& b, std::int64_t columnOfB) {
    double sum = 0;
    for (std::int64_t row = 0; row < a.extent(0); ++row)
        sum += static_cast<double>(a.data<float>()[static_cast<std::size_t>(row * a.extent(1) + columnOfA)]) *
               static_cast<double>(b.data<float>()[static_cast<std::size_t>(row * b.extent(1) + columnOfB)]);
    return sum;
}

TEST(OrthonormalBasis, SpansWhatTheColumnsSpanWithLapacksSigns) {
    for (const std::int64_t columns : {1, 3, 8}) {
        const Tensor matrix = testing::randomTensor({8, columns}, 3);
        const Tensor basis = orthonormalBasis(matrix);
        for (std::int64_t i = 0; i < columns; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
                EXPECT_NEAR(dot(basis, i, basis, j), i == j ? 1.0 : 0.0, 1e-6);
                if (i > j) {
                    EXPECT_NEAR(dot(basis, i, matrix, j), 0.0, 1e-5) << "R is triangular";
                }
            }
        // The reflection takes the first column to the axis on the other side.
        const float first = matrix.data<float>()[0];
        EXPECT_LT(dot(basis, 0, matrix, 0) * static_cast<double>(first), 0.0);
    }
}

TEST(OrthonormalBasis, LeavesAColumnThatIsOnItsAxis) {
    const Tensor matrix = Tensor::from<float>({1, 1}, {-3.0F});
    EXPECT_EQ(orthonormalBasis(matrix).data<float>()[0], 1.0F);
}

TEST(AnimateConfig, LatentFramesOfAFaceVideo) {
    EXPECT_EQ(AnimateConfig::latentFrames(1), 2);
    EXPECT_EQ(AnimateConfig::latentFrames(9), 4);
    EXPECT_EQ(AnimateConfig::latentFrames(77), 21);
}

TEST(TimeConvolution, SeesNoFrameBehindItsOwnAndTheFirstOneBeforeIt) {
    LayerTensors tensors;
    tensors.put("c.weight", Tensor::from<float>({1, 1, 3}, {1.0F, 10.0F, 100.0F}));
    tensors.put("c.bias", Tensor::from<float>({1}, {0.5F}));
    WorkerPool pool({.workers = 1});
    const Execution execution{pool, {}};
    const Tensor x = Tensor::from<float>({5, 1}, {1.0F, 2.0F, 3.0F, 4.0F, 5.0F});
    const auto values = [&](std::int64_t stride) {
        const Tensor y = TimeConvolution(tensors, "c", stride).apply(execution, x);
        return std::vector<float>(y.data<float>().begin(), y.data<float>().end());
    };
    EXPECT_EQ(values(1), (std::vector<float>{111.5F, 211.5F, 321.5F, 432.5F, 543.5F}));
    EXPECT_EQ(values(2), (std::vector<float>{111.5F, 321.5F, 543.5F}));
}

}  // namespace
}  // namespace meshreel

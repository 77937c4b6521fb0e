// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/kernels/cpu_features.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

struct Size {
    std::int64_t rows, in, out;
};

class MatmulTest : public ::testing::TestWithParam<Size> {};

TEST_P(MatmulTest, IsTheProductPlusBiasForAnyTeam) {
    const auto [rows, in, out] = GetParam();
    const Tensor x = testing::randomTensor({rows, in}, 1);
    const Tensor weight = testing::randomTensor({out, in}, 2);
    const Tensor bias = testing::randomTensor({out}, 3);
    const PackedMatrix matrix = PackedMatrix::pack(weight, &bias);
    for (const int workers : {1, 2, 3}) {
        WorkerPool pool({.workers = workers});
        Tensor y = Tensor::empty({rows, out});
        matrix.apply(Execution{pool, {}}, x.data<float>(), rows, y.data<float>());
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < out; ++column) {
                double expected = static_cast<double>(bias.data<float>()[static_cast<std::size_t>(column)]);
                for (std::int64_t i = 0; i < in; ++i)
                    expected +=
                        static_cast<double>(x.data<float>()[static_cast<std::size_t>(row * in + i)]) *
                        static_cast<double>(weight.data<float>()[static_cast<std::size_t>(column * in + i)]);
                ASSERT_NEAR(y.data<float>()[static_cast<std::size_t>(row * out + column)], expected,
                            1e-6 * std::sqrt(static_cast<double>(in)) * 4)
                    << workers << " workers, row " << row << ", column " << column;
            }
        Tensor again = Tensor::empty({rows, out});
        matrix.apply(Execution{pool, {}}, x.data<float>(), rows, again.data<float>());
        EXPECT_EQ(std::memcmp(y.raw(), again.raw(), y.bytes()), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, MatmulTest,
                         ::testing::Values(Size{1, 1, 1}, Size{1, 64, 96}, Size{3, 17, 5}, Size{70, 33, 16},
                                           Size{16, 48, 130}, Size{131, 96, 131}));

TEST(Matmul, ARowHasTheSameBitsWhateverIsComputedWithIt) {
    struct Layer {
        std::int64_t in;
        std::int64_t out;
    };
    constexpr std::int64_t rows = 150;
    if (!rowsOfProductsAreIndependent())
        GTEST_SKIP() << matmulLibrary() << " promises nothing of the kind";
    WorkerPool pool({.workers = 1});
    WorkerPool three({.workers = 3});
    for (const auto [in, out] : {Layer{31, 40}, Layer{48, 96}, Layer{256, 64}, Layer{320, 200},
                                 Layer{700, 16}, Layer{1536, 64}, Layer{256, 1536}}) {
        const Tensor bias = testing::randomTensor({out}, 1);
        const PackedMatrix matrix = PackedMatrix::pack(testing::randomTensor({out, in}, 2), &bias);
        const Tensor x = testing::randomTensor({rows, in}, 3);
        Tensor whole = Tensor::empty({rows, out});
        matrix.apply(Execution{pool, {}}, x.data<float>(), rows, whole.data<float>());
        for (const std::int64_t count : {1, 2, 3, 5, 12, 16, 17, 75, 149})
            for (WorkerPool* workers : {&pool, &three}) {
                Tensor part = Tensor::empty({count, out});
                matrix.apply(Execution{*workers, {}}, x.slice(rows - count, rows).data<float>(), count,
                             part.data<float>());
                EXPECT_EQ(std::memcmp(part.raw(), whole.slice(rows - count, rows).raw(), part.bytes()), 0)
                    << count << " rows of " << in << " to " << out;
            }
    }
}

TEST(Matmul, PacksAnyFloatingType) {
    const Tensor weight = Tensor::from<BFloat16>(
        {2, 2}, {toBFloat16(1.0F), toBFloat16(2.0F), toBFloat16(-3.0F), toBFloat16(0.5F)});
    WorkerPool pool({.workers = 1});
    const std::vector<float> x{1.0F, 10.0F};
    std::vector<float> y(2);
    PackedMatrix::pack(weight).apply(Execution{pool, {}}, x, 1, y);
    EXPECT_THAT(y, ::testing::ElementsAre(21.0F, 2.0F));
}

TEST(Matmul, RefusesShapesThatDoNotFit) {
    const Tensor bias = Tensor::zeros({3});
    EXPECT_THROW(PackedMatrix::pack(Tensor::zeros({2, 2}), &bias), Error);
    EXPECT_THROW(PackedMatrix::pack(Tensor::zeros({4})), Error);
    WorkerPool pool({.workers = 1});
    std::vector<float> y(2);
    EXPECT_THROW(PackedMatrix::pack(Tensor::zeros({2, 2})).apply(Execution{pool, {}}, y, 2, y), Error);
}

TEST(Matmul, UsesTheWidestKernelsOfThisCpu) {
    const CpuFeatures& cpu = cpuFeatures();
    const std::string widest =
        cpu.avx512f && cpu.avx512bw && cpu.avx512dq && cpu.avx512vl ? "SkylakeX" : "Haswell";
    EXPECT_THAT(matmulLibrary(), ::testing::StartsWith("OpenBLAS "));
    if (const char* chosen = std::getenv("OPENBLAS_CORETYPE"); chosen != widest)
        GTEST_SKIP() << "OPENBLAS_CORETYPE is set to " << chosen;
    EXPECT_THAT(matmulLibrary(), ::testing::EndsWith(widest));
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/row_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>
#include "tests/support/printed_name.h"

namespace meshreel {
namespace {

/// Both instruction sets against f64, at widths of whole vectors and of parts.
class RowKernelsTest : public ::testing::TestWithParam<std::size_t> {
  protected:
    [[nodiscard]] std::vector<float> random(std::size_t count) {
        std::vector<float> values(count);
        for (float& value : values)
            value = m_normal(m_generator) + 0.5F;
        return values;
    }
    static std::vector<BFloat16> rounded(const std::vector<float>& values) {
        std::vector<BFloat16> result;
        for (const float value : values)
            result.push_back(toBFloat16(value));
        return result;
    }
    static void expectRounded(BFloat16 found, double expected) {
        EXPECT_NEAR(static_cast<double>(toFloat(found)), expected, std::abs(expected) / 256 + 1e-6);
    }

    std::size_t pairs = GetParam();

  private:
    std::mt19937 m_generator{7};
    std::normal_distribution<float> m_normal;
};

TEST_P(RowKernelsTest, LayerNorm) {
    const std::size_t width = 2 * pairs;
    const std::vector<float> x = random(width);
    const std::vector<float> gamma = random(width);
    const std::vector<float> beta = random(width);
    double mean = 0;
    double square = 0;
    for (const float value : x)
        mean += static_cast<double>(value) / static_cast<double>(width);
    for (const float value : x)
        square += std::pow(static_cast<double>(value) - mean, 2) / static_cast<double>(width);
    for (const RowKernels& kernels : availableRowKernels()) {
        SCOPED_TRACE(kernels.isa);
        std::vector<BFloat16> y(width + 1, BFloat16{0x1234});
        kernels.layerNorm(x.data(), width, 1e-6F, gamma.data(), beta.data(), y.data());
        for (std::size_t i = 0; i < width; ++i)
            expectRounded(y[i], (static_cast<double>(x[i]) - mean) / std::sqrt(square + 1e-6) *
                                        static_cast<double>(gamma[i]) +
                                    static_cast<double>(beta[i]));
        EXPECT_EQ(y[width].bits, 0x1234) << "behind the row";
    }
}

TEST_P(RowKernelsTest, Squares) {
    const std::vector<BFloat16> x = rounded(random(2 * pairs));
    double expected = 0;
    for (const BFloat16 value : x)
        expected += std::pow(static_cast<double>(toFloat(value)), 2);
    for (const RowKernels& kernels : availableRowKernels())
        EXPECT_NEAR(static_cast<double>(kernels.squares(x.data(), pairs)), expected, 1e-5 * expected)
            << kernels.isa;
}

TEST_P(RowKernelsTest, ScaleAndRotate) {
    constexpr std::size_t heads = 3;
    const std::vector<BFloat16> x = rounded(random(2 * heads * pairs));
    const std::vector<float> even = random(heads * pairs);
    const std::vector<float> odd = random(heads * pairs);
    const std::vector<float> cos = random(pairs);
    const std::vector<float> sin = random(pairs);
    for (const RowKernels& kernels : availableRowKernels()) {
        SCOPED_TRACE(kernels.isa);
        std::vector<BFloat16> y = x;
        y.push_back(BFloat16{0x1234});
        kernels.scaleAndRotate(y.data(), heads, pairs, 0.75F, {even.data(), odd.data()},
                               {cos.data(), sin.data()});
        for (std::size_t i = 0; i < heads * pairs; ++i) {
            const double a = 0.75 * static_cast<double>(toFloat(x[2 * i]) * even[i]);
            const double b = 0.75 * static_cast<double>(toFloat(x[2 * i + 1]) * odd[i]);
            const auto c = static_cast<double>(cos[i % pairs]);
            const auto s = static_cast<double>(sin[i % pairs]);
            expectRounded(y[2 * i], a * c - b * s);
            expectRounded(y[2 * i + 1], a * s + b * c);
        }
        EXPECT_EQ(y.back().bits, 0x1234) << "behind the row";
    }
}

INSTANTIATE_TEST_SUITE_P(Pairs, RowKernelsTest, ::testing::Values(1, 3, 8, 16, 21, 64, 130),
                         testing::PrintedName());

}  // namespace
}  // namespace meshreel

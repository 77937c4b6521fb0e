// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/elementwise.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "engine/kernels/rows/exponential.h"
#include "engine/kernels/rows/row_kernels.h"

namespace meshreel {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Distance in units of the last place of the correctly rounded value.
double ulps(float found, double exact) {
    const auto rounded = static_cast<float>(exact);
    const double unit = static_cast<double>(std::nextafter(std::abs(rounded), infinity)) -
                        std::abs(static_cast<double>(rounded));
    return std::abs(static_cast<double>(found) - exact) / unit;
}

TEST(Exponential, IsWithinOneUlpOverTheNormalRange) {
    double worst = 0.0;
    for (float x = -87.33F; x < 88.72F; x += 0.000937F)
        worst = std::max(worst, ulps(exponential(x), std::exp(static_cast<double>(x))));
    EXPECT_LE(worst, 1.0);
}

TEST(Exponential, EndsOfTheRange) {
    EXPECT_EQ(exponential(0.0F), 1.0F);
    EXPECT_EQ(exponential(-infinity), 0.0F);
    EXPECT_EQ(exponential(-200.0F), 0.0F);
    EXPECT_EQ(exponential(infinity), infinity);
    EXPECT_EQ(exponential(89.0F), infinity);
    EXPECT_TRUE(std::isnan(exponential(std::numeric_limits<float>::quiet_NaN())));
}

struct ActivationCase {
    const char* name;
    Activation* activation;
    double (*exact)(double);
};

class ActivationTest : public ::testing::TestWithParam<ActivationCase> {};

TEST_P(ActivationTest, IsAccurateEverywhere) {
    std::vector<float> inputs;
    for (float x = -30.0F; x < 30.0F; x += 0.0137F)
        inputs.push_back(x);
    std::vector<float> values = inputs;
    WorkerPool pool({.workers = 2});
    activate(Execution{pool, {}}, *GetParam().activation, values);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const double exact = GetParam().exact(static_cast<double>(inputs[i]));
        ASSERT_NEAR(values[i], exact, 1.5e-7 + 3e-7 * std::abs(exact)) << "x = " << inputs[i];
    }
}

TEST_P(ActivationTest, KeepsNanAndDoesNotMakeOne) {
    std::vector<float> values{-1e30F, 1e30F, std::numeric_limits<float>::quiet_NaN()};
    GetParam().activation(values);
    EXPECT_EQ(values[0], 0.0F);
    EXPECT_EQ(values[1], 1e30F);
    EXPECT_TRUE(std::isnan(values[2]));
}

INSTANTIATE_TEST_SUITE_P(
    All, ActivationTest,
    ::testing::Values(ActivationCase{"geluTanh", geluTanh,
                                     [](double x) {
                                         const double u =
                                             std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
                                         return 0.5 * x * (1.0 + std::tanh(u));
                                     }},
                      ActivationCase{
                          "geluErf", geluErf,
                          [](double x) { return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2)); }},
                      ActivationCase{"silu", silu, [](double x) { return x / (1.0 + std::exp(-x)); }}),
    [](const auto& instance) { return instance.param.name; });

struct KernelCase {
    void (*ActivationKernels::*kernel)(std::span<float>);
    float (*exponent)(float x);
};

TEST(ActivationKernels, GiveTheSameBitsOnEveryInstructionSet) {
    std::vector<float> inputs{0.0F,  -0.0F, infinity, -infinity, std::numeric_limits<float>::quiet_NaN(),
                              1e-42F};
    for (float x = -100.0F; x < 100.0F; x += 0.0371F)
        inputs.push_back(x);
    const std::vector<KernelCase> cases{
        {&ActivationKernels::geluTanh, [](float x) { return -1.59576912F * (x + 0.044715F * x * x * x); }},
        {&ActivationKernels::geluQuick, [](float x) { return -1.702F * x; }},
        {&ActivationKernels::silu, [](float x) { return -x; }}};
    for (const ActivationKernels& kernels : availableActivationKernels())
        for (const KernelCase& one : cases)
            for (const std::size_t count : {std::size_t{1}, std::size_t{19}, inputs.size()}) {
                std::vector<float> values(inputs.begin(),
                                          inputs.begin() + static_cast<std::ptrdiff_t>(count));
                values.push_back(42.0F);
                (kernels.*one.kernel)(std::span(values).first(count));
                EXPECT_EQ(values.back(), 42.0F) << "behind the values";
                for (std::size_t i = 0; i < count; ++i) {
                    const float expected = inputs[i] / (1.0F + exponential(one.exponent(inputs[i])));
                    const bool bothNan = std::isnan(values[i]) && std::isnan(expected);
                    ASSERT_TRUE(bothNan || std::bit_cast<std::uint32_t>(values[i]) ==
                                               std::bit_cast<std::uint32_t>(expected))
                        << kernels.isa << ", x = " << inputs[i] << ": " << values[i] << ", not " << expected;
                }
            }
}

}  // namespace
}  // namespace meshreel

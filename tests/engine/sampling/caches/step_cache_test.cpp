// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "engine/sampling/caches/cache_schedule.h"
#include "engine/sampling/caches/guidance_bands.h"
#include "engine/sampling/caches/sen_cache.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using Complex = std::complex<double>;

/// The plane's discrete Fourier transform with the weights of upstream's masks, there and back, term by term:
/// low are rows h < ch or h > H - ch, and columns w < cw of the half spectrum that a real transform has.
double weighedAt(const std::vector<double>& plane, std::int64_t height, std::int64_t width,
                 const CfgCacheWeights& weights, std::int64_t y, std::int64_t x) {
    const std::int64_t ch = std::max<std::int64_t>(1, height / 4);
    const std::int64_t cw = std::max<std::int64_t>(1, (width / 2 + 1) / 4);
    Complex sum = 0;
    for (std::int64_t h = 0; h < height; ++h)
        for (std::int64_t w = 0; w < width; ++w) {
            Complex coefficient = 0;
            const auto angle = [&](std::int64_t row, std::int64_t column) {
                return 2 * std::numbers::pi *
                       (static_cast<double>(h * row) / static_cast<double>(height) +
                        static_cast<double>(w * column) / static_cast<double>(width));
            };
            for (std::int64_t row = 0; row < height; ++row)
                for (std::int64_t column = 0; column < width; ++column)
                    coefficient += plane[static_cast<std::size_t>(row * width + column)] *
                                   std::polar(1.0, -angle(row, column));
            const bool low = (h < ch || h >= height - ch + 1) && std::min(w, width - w) < cw;
            sum += coefficient * (low ? weights.low : weights.high) * std::polar(1.0, angle(y, x));
        }
    return sum.real() / static_cast<double>(height * width);
}

TEST(MadeUpUncond, WeighsTheHalvesDifferenceByFrequency) {
    for (const auto& [height, width] : {std::pair{4, 6}, {8, 8}, {5, 12}, {1, 2}, {9, 7}}) {
        const Shape shape{1, 2, 1, height, width};
        const Tensor cond = testing::randomTensor(shape, 1);
        const Tensor lastCond = testing::randomTensor(shape, 2);
        const Tensor lastUncond = testing::randomTensor(shape, 3);
        const CfgCacheWeights weights{.low = 1.2, .high = 0.7};
        const Tensor made = madeUpUncond(cond, lastCond, lastUncond, weights);
        const auto area = static_cast<std::size_t>(height * width);
        for (std::size_t channel = 0; channel < 2; ++channel) {
            std::vector<double> difference;
            for (std::size_t at = 0; at < area; ++at)
                difference.push_back(double{lastUncond.data<float>()[channel * area + at]} -
                                     double{lastCond.data<float>()[channel * area + at]});
            for (std::size_t at = 0; at < area; ++at)
                ASSERT_NEAR(
                    made.data<float>()[channel * area + at],
                    double{cond.data<float>()[channel * area + at]} +
                        weighedAt(difference, height, width, weights, static_cast<std::int64_t>(at) / width,
                                  static_cast<std::int64_t>(at) % width),
                    1e-5)
                    << height << " x " << width << " at " << at;
        }
    }
}

Tensor filled(float value) {
    return Tensor::from({4}, std::vector<float>(4, value));
}

TEST(SenScore, SumsDistancesToTheStepComputedLast) {
    SenScore score;
    EXPECT_FALSE(score.begun());
    score.begin(filled(0), 900);
    EXPECT_TRUE(score.admits(filled(0.01F), 890, 0.1, 3));   // 0.01 + 0.01
    EXPECT_TRUE(score.admits(filled(0.02F), 880, 0.1, 3));   // 0.03 + 0.03
    EXPECT_FALSE(score.admits(filled(0.03F), 870, 0.1, 3));  // 0.06 + 0.06
}

TEST(SenScore, AdmitsNoMoreThanItsRow) {
    SenScore score;
    score.begin(filled(0), 900);
    for (int step = 0; step < 3; ++step)
        EXPECT_TRUE(score.admits(filled(0), 900, 0.1, 3));
    EXPECT_FALSE(score.admits(filled(0), 900, 0.1, 3));
    score.begin(filled(0), 900);
    EXPECT_TRUE(score.admits(filled(0), 900, 0.1, 3));
}

/// As often as MaxDiffusion's rules allow: what moves nothing is reused whenever it may be.
TEST(SenScore, ReusesEighteenOfFortyStepsAtMost) {
    for (const int highSteps : {26, 15}) {
        const CacheSchedule schedule =
            senCacheSchedule({.steps = 40, .experts = 2, .highSteps = highSteps, .tall = true});
        SenScore score;
        int reused = 0;
        for (const StepWork work : schedule) {
            if (score.begun() && work == StepWork::Nothing && score.admits(filled(0), 900, 0.1, 3))
                ++reused;
            else
                score.begin(filled(0), 900);
        }
        EXPECT_EQ(reused, 18) << highSteps;
    }
}

TEST(SenScore, GoesOnFromItsSums) {
    SenScore score;
    score.begin(filled(0), 900);
    ASSERT_TRUE(score.admits(filled(0.02F), 880, 0.1, 3));
    SenScore continued;
    continued.restore(score.latents(), score.sums());
    EXPECT_EQ(continued.admits(filled(0.03F), 870, 0.1, 3), score.admits(filled(0.03F), 870, 0.1, 3));
    EXPECT_EQ(continued.sums().data<double>()[1], score.sums().data<double>()[1]);
}

}  // namespace
}  // namespace meshreel

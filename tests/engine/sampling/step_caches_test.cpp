// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <tuple>

#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/sampling/step_caches.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

std::vector<int> shortenedSteps(const CacheSchedule& schedule) {
    std::vector<int> steps;
    for (std::size_t step = 0; step < schedule.size(); ++step)
        if (schedule[step] != StepWork::Everything)
            steps.push_back(static_cast<int>(step));
    return steps;
}

constexpr CachedLoop oneTransformer(int steps, bool tall) {
    return {.steps = steps, .experts = 1, .highSteps = 0, .tall = tall};
}

constexpr CachedLoop twoExperts(int steps, int highSteps, bool tall) {
    return {.steps = steps, .experts = 2, .highSteps = highSteps, .tall = tall};
}

// MaxDiffusion's schedules, step by step.

TEST(CfgCacheSchedule, OfOneTransformer) {
    EXPECT_THAT(shortenedSteps(cfgCacheSchedule(oneTransformer(50, true))),
                ElementsAre(17, 18, 19, 20, 22, 23, 24, 25, 27, 28, 29, 30, 32, 33, 34, 35, 37, 38, 39, 40,
                            42, 43, 44));
    EXPECT_THAT(shortenedSteps(cfgCacheSchedule(oneTransformer(50, false))),
                ElementsAre(17, 18, 19, 20, 22, 23, 24, 25, 27, 28, 29, 30, 32, 33, 34, 35, 37, 38, 39, 40,
                            42, 43, 44, 45, 47));
    EXPECT_THAT(shortenedSteps(cfgCacheSchedule(oneTransformer(40, true))),
                ElementsAre(14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29, 30, 31, 32, 34, 35));
    EXPECT_THAT(shortenedSteps(cfgCacheSchedule(oneTransformer(30, false))),
                ElementsAre(11, 12, 13, 14, 16, 17, 18, 19, 21, 22, 23, 24, 26, 27));
    EXPECT_THAT(shortenedSteps(cfgCacheSchedule(oneTransformer(3, false))), IsEmpty());
}

TEST(CfgCacheSchedule, OfTwoExpertsInTheSecondOnly) {
    EXPECT_THAT(shortenedSteps(cfgCacheSchedule(twoExperts(40, 26, true))),
                ElementsAre(27, 29, 30, 31, 32, 34, 35));
    EXPECT_THAT(shortenedSteps(cfgCacheSchedule(twoExperts(40, 15, true))),
                ElementsAre(16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29, 30, 31, 32, 34, 35));
    EXPECT_THAT(shortenedSteps(cfgCacheSchedule(twoExperts(50, 16, true))),
                ElementsAre(17, 18, 19, 20, 22, 23, 24, 25, 27, 28, 29, 30, 32, 33, 34, 35, 37, 38, 39, 40,
                            42, 43, 44));
    EXPECT_THAT(shortenedSteps(cfgCacheSchedule(twoExperts(40, 40, true))), IsEmpty());
    EXPECT_THAT(shortenedSteps(cfgCacheSchedule(twoExperts(3, 2, false))), IsEmpty());
}

TEST(CfgCacheSchedule, WeighsLowFrequenciesFirstAndHighOnesLater) {
    const CachedLoop loop = oneTransformer(50, true);
    EXPECT_EQ(cfgCacheWeights(loop, 24).low, 1.2);
    EXPECT_EQ(cfgCacheWeights(loop, 24).high, 1);
    EXPECT_EQ(cfgCacheWeights(loop, 25).low, 1);
    EXPECT_EQ(cfgCacheWeights(loop, 25).high, 1.2);
    EXPECT_EQ(cfgCacheWeights(twoExperts(40, 26, true), 26).high, 1.2);
}

TEST(SenCacheSchedule, LeavesBeginningEndAndBoundaryAlone) {
    const CacheSchedule schedule = senCacheSchedule(twoExperts(40, 26, true));
    for (int step = 0; step < 40; ++step) {
        const bool forced = step < 12 || step >= 36 || step == 26;
        EXPECT_EQ(schedule[static_cast<std::size_t>(step)], forced ? StepWork::Everything : StepWork::Nothing)
            << step;
    }
    EXPECT_EQ(senCacheSchedule(twoExperts(40, 15, true))[15], StepWork::Everything);
}

TEST(FirstBlockSchedule, EveryExpertBeginsWithAFullStep) {
    EXPECT_THAT(
        firstBlockSchedule(twoExperts(4, 2, false)),
        ElementsAre(StepWork::Everything, StepWork::FirstBlock, StepWork::Everything, StepWork::FirstBlock));
}

/// Curves and thresholds as they are shipped.
struct ShippedCurve {
    std::vector<double> ratios;
    double threshold = 0;
};

ShippedCurve shippedCurve(std::string_view family, int fromHeight) {
    const nlohmann::json file = readJsonObject(resourceFolder() / "magcache" / "curves.json");
    for (const nlohmann::json& row : file.at("curves"))
        if (row.at("family") == family && row.at("from_height") == fromHeight)
            return {.ratios = row.at("mag_ratios_base").get<std::vector<double>>(),
                    .threshold = row.at("threshold").get<double>()};
    ADD_FAILURE() << family;
    return {};
}

std::vector<int> magSteps(const CachedLoop& loop, const ShippedCurve& curve) {
    return shortenedSteps(magCacheSchedule(loop, {.ratios = curve.ratios, .threshold = curve.threshold}));
}

TEST(MagCacheSchedule, OfTheShippedCurves) {
    EXPECT_THAT(magSteps(twoExperts(40, 26, true), shippedCurve("wan2.2-t2v-a14b", 0)),
                ElementsAre(5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 23, 24, 28, 29, 31, 33));
    EXPECT_THAT(magSteps(twoExperts(40, 15, true), shippedCurve("wan2.2-i2v-a14b", 0)),
                ElementsAre(3, 4, 6, 7, 9, 10, 12, 13, 20, 21, 23, 24, 26, 27, 29, 31, 33));
    std::vector<int> ofOne{10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28,
                           29, 31, 32, 34, 35, 37, 38, 40, 41, 43, 45, 47};
    EXPECT_THAT(magSteps(oneTransformer(50, true), shippedCurve("wan2.1-t2v", 0)), ElementsAreArray(ofOne));
    EXPECT_THAT(magSteps(oneTransformer(50, true), shippedCurve("wan2.1-i2v", 720)), ElementsAreArray(ofOne));
    ofOne.push_back(49);
    EXPECT_THAT(magSteps(oneTransformer(50, false), shippedCurve("wan2.1-i2v", 0)), ElementsAreArray(ofOne));
}

TEST(MagCacheSchedule, BothHalvesMustAgree) {
    const CachedLoop loop = oneTransformer(4, false);
    const MagCacheSettings settings{.ratios = {1, 1, 1, 0.5, 0.5, 1, 1, 1}, .threshold = 0.1, .retention = 0};
    EXPECT_THAT(shortenedSteps(magCacheSchedule(loop, settings)), ElementsAre(3));
}

TEST(MagCacheSchedule, TheLimitIsStrictAndTheRowBounded) {
    const CachedLoop loop = oneTransformer(6, false);
    MagCacheSettings settings{.ratios = std::vector<double>(12, 1.0), .threshold = 0.1, .retention = 0};
    EXPECT_THAT(shortenedSteps(magCacheSchedule(loop, settings)), ElementsAre(1, 2, 4, 5));
    settings.mostInARow = 1;
    EXPECT_THAT(shortenedSteps(magCacheSchedule(loop, settings)), ElementsAre(1, 3, 5));
    settings.threshold = 0;
    EXPECT_THAT(shortenedSteps(magCacheSchedule(loop, settings)), IsEmpty());
}

TEST(MagCacheSchedule, CurvesOfOtherLengthsAreResampledToTheNearestStep) {
    const std::vector<double> curve{10, 20, 11, 21, 12, 22, 13, 23, 14, 24};
    EXPECT_EQ(resampledRatios(curve, 5), curve);
    EXPECT_THAT(resampledRatios(curve, 3), ElementsAre(10, 20, 12, 22, 14, 24));
    // Halves go to the even one: 0, 4/7·1, ... and 0.5 and 1.5 of nine steps to 0 and 2.
    EXPECT_THAT(resampledRatios(curve, 9),
                ElementsAre(10, 20, 10, 20, 11, 21, 12, 22, 12, 22, 12, 22, 13, 23, 14, 24, 14, 24));
    EXPECT_THAT(resampledRatios(curve, 1), ElementsAre(14, 24));
    EXPECT_THAT(resampledRatios(std::vector<double>{1, 1}, 3), Each(1.0));
}

TEST(MagCacheSchedule, ZonesScaleWithTheSteps) {
    const ShippedCurve curve = shippedCurve("wan2.2-t2v-a14b", 0);
    for (const int steps : {20, 40, 80}) {
        const int high = steps * 26 / 40;
        const std::vector<int> shortened = magSteps(twoExperts(steps, high, true), curve);
        ASSERT_THAT(shortened, ::testing::Not(IsEmpty()));
        for (const int step : shortened) {
            EXPECT_GE(step, high / 5) << steps;
            EXPECT_TRUE(step < high || step >= high + (steps - high) / 5) << steps;
        }
    }
}

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

std::vector<int> skippedSteps(const CacheSchedule& schedule) {
    std::vector<int> steps;
    for (std::size_t step = 0; step < schedule.size(); ++step)
        if (schedule[step] != StepWork::Everything)
            steps.push_back(static_cast<int>(step));
    return steps;
}

std::vector<int> steps(const CachedLoop& loop, const std::vector<double>& changes,
                       const TeaCacheSettings& settings) {
    return skippedSteps(teaCacheSchedule(loop, changes, settings));
}

TEST(TeaCacheSchedule, LeavesOutWhileTheSumStaysBelow) {
    const CachedLoop loop{.steps = 12};
    const std::vector<double> changes(12, 0.125);
    EXPECT_THAT(steps(loop, changes, {.curve = {1, 0}, .threshold = 0.3}), ElementsAre(5, 6, 8, 9, 11));
    // At the threshold a step is computed; a computed one begins anew.
    EXPECT_THAT(steps(loop, changes, {.curve = {1, 0}, .threshold = 0.25}), ElementsAre(5, 7, 9, 11));
    EXPECT_THAT(steps(loop, changes, {.curve = {1, 0}, .threshold = 0}), IsEmpty());
    EXPECT_THAT(steps(loop, changes, {.curve = {0, 0}, .threshold = 1}), ElementsAre(5, 6, 7, 8, 9, 10, 11));
}

TEST(TeaCacheSchedule, EachExpertBeginsWithAFullStep) {
    const CachedLoop loop{.steps = 10, .experts = 2, .highSteps = 7};
    EXPECT_THAT(steps(loop, std::vector<double>(10, 0.0), {.curve = {1, 0}, .threshold = 1}),
                ElementsAre(5, 6, 8, 9));
    EXPECT_THAT(steps({.steps = 3}, std::vector<double>(3, 0.0), {.curve = {1, 0}, .threshold = 1}),
                IsEmpty());
}

/// TeaCache4Wan2.1's loop over both halves of guidance with use_ret_steps, of the prompt's half.
std::vector<int> upstreamSteps(int all, const std::vector<double>& changes, std::span<const double> curve,
                               double threshold) {
    constexpr int retSteps = 5 * 2;
    std::vector<int> left;
    double accumulated = 0;
    for (int count = 0; count < 2 * all; count += 2) {
        const int step = count / 2;
        if (count < retSteps) {
            accumulated = 0;
            continue;
        }
        for (std::size_t power = 0; power < curve.size(); ++power)
            accumulated += curve[curve.size() - 1 - power] *
                           std::pow(changes[static_cast<std::size_t>(step)], static_cast<double>(power));
        if (accumulated < threshold)
            left.push_back(step);
        else
            accumulated = 0;
    }
    return left;
}

TEST(TeaCacheSchedule, IsUpstreamsForEveryPublishedModel) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> change(0.0, 0.08);
    for (const auto& [family, layers, height] :
         {std::tuple("wan2.1-t2v", 30, 480), std::tuple("wan2.1-t2v", 40, 720),
          std::tuple("wan2.1-i2v", 40, 480), std::tuple("wan2.1-i2v", 40, 720)}) {
        const TeaCacheRow* row = publishedTeaCache(family, layers, height);
        ASSERT_NE(row, nullptr);
        for (int trial = 0; trial < 50; ++trial) {
            std::vector<double> changes(50);
            for (double& value : changes)
                value = change(generator);
            EXPECT_EQ(steps({.steps = 50}, changes,
                            {.curve = {row->curve.begin(), row->curve.end()}, .threshold = row->threshold}),
                      upstreamSteps(50, changes, row->curve, row->threshold));
        }
    }
}

TEST(TeaCachePublications, AreOfAFamilyADepthAndAHeight) {
    EXPECT_EQ(publishedTeaCache("wan2.1-t2v", 30, 480)->threshold, 0.08);
    EXPECT_NE(publishedTeaCache("wan2.1-i2v", 40, 720)->curve,
              publishedTeaCache("wan2.1-i2v", 40, 719)->curve);
    EXPECT_EQ(publishedTeaCache("wan2.1-t2v", 2, 480), nullptr);
    EXPECT_EQ(publishedTeaCache("wan2.2-ti2v", 30, 704), nullptr);
    EXPECT_EQ(publishedTeaCache("wan2.2-t2v-a14b", 40, 720), nullptr);
}

TEST(TeaCacheChanges, AreRelativeToTheStepBefore) {
    EXPECT_THAT(relativeChanges(Tensor::from<float>({3, 2}, {1, 2, 2, 2, 0, -2})),
                ElementsAre(0.0, 1.0 / 3.0, 6.0 / 4.0));
}

}  // namespace

}  // namespace meshreel

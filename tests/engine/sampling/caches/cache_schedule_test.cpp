// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/caches/cache_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/base/paths.h"
#include "engine/sampling/caches/mag_cache.h"
#include "engine/weights/formats/json_file.h"

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

}  // namespace
}  // namespace meshreel

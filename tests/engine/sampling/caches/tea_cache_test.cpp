// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/caches/tea_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tuple>

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/context_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

/// Clips, lengths, overlaps and levels of all sorts, the same ones in every run.
std::vector<ContextWindows> manyWindows() {
    std::mt19937 random(7);
    const auto below = [&random](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<unsigned>(end));
    };
    std::vector<ContextWindows> many;
    for (int trial = 0; trial < 2000; ++trial) {
        ContextWindows windows{.frames = 2 + below(90), .length = 2 + below(40)};
        if (windows.length >= windows.frames)
            continue;
        windows.overlap = below(windows.length);
        windows.levels = fittingLevels(windows.frames, windows.length, 1 + below(4));
        windows.schedule = windowSchedules()[static_cast<std::size_t>(below(3))].schedule;
        windows.fuse = windowFuses()[static_cast<std::size_t>(below(3))].fuse;
        many.push_back(windows);
    }
    return many;
}

TEST(ContextWindows, EveryWindowIsWholeAndEveryFrameIsInOne) {
    for (const ContextWindows& windows : manyWindows())
        for (int step = 0; step < 24; ++step) {
            std::set<std::int64_t> seen;
            for (const WindowFrames& window : windows.ofStep(step)) {
                ASSERT_EQ(std::ssize(window), windows.length);
                const std::set<std::int64_t> own(window.begin(), window.end());
                ASSERT_EQ(own.size(), window.size()) << "a frame is in a window once";
                seen.insert(own.begin(), own.end());
            }
            ASSERT_EQ(std::ssize(seen), windows.frames);
            ASSERT_EQ(*seen.begin(), 0);
            ASSERT_EQ(*seen.rbegin(), windows.frames - 1);
        }
}

TEST(ContextWindows, AStepWithFramesThatComfyUiLeavesOutGetsOneWindowMore) {
    const ContextWindows windows{
        .schedule = WindowSchedule::Uniform, .frames = 27, .length = 13, .overlap = 4, .levels = 2};
    constexpr int step = 12;
    EXPECT_EQ(windows.ofStep(step).size(), listWindows(windows, step, false).size() + 1);
    EXPECT_EQ(windows.ofStep(0), listWindows(windows, 0, false));
}

TEST(ContextWindows, SharesOfAFrameAddUpToOne) {
    for (const ContextWindows& windows : manyWindows()) {
        const auto list = windows.ofStep(3);
        const auto shares = windowShares(windows, list);
        std::vector<double> sums(static_cast<std::size_t>(windows.frames), 0.0);
        for (std::size_t index = 0; index < list.size(); ++index)
            for (std::size_t place = 0; place < list[index].size(); ++place)
                sums[static_cast<std::size_t>(list[index][place])] += double{shares[index][place]};
        EXPECT_THAT(sums, ::testing::Each(::testing::DoubleNear(1.0, 1e-6)));
    }
}

TEST(ContextWindows, AFrameOfOneWindowIsItsPredictionToTheBit) {
    const ContextWindows windows{.frames = 8, .length = 5, .overlap = 2};
    for (const WindowFuseRow& row : windowFuses()) {
        ContextWindows own = windows;
        own.fuse = row.fuse;
        const auto shares = windowShares(own, own.ofStep(0));
        EXPECT_THAT(std::vector(shares[0].begin(), shares[0].begin() + 3), ElementsAre(1.0F, 1.0F, 1.0F));
    }
}

TEST(ContextWindows, OnlyStaticOnesRecur) {
    ContextWindows windows{.frames = 41, .length = 21, .overlap = 4};
    EXPECT_EQ(windows.ofStep(0), windows.ofStep(5));
    windows.schedule = WindowSchedule::Uniform;
    EXPECT_NE(windows.ofStep(0), windows.ofStep(5));
    EXPECT_FALSE(windows.recur());
}

TEST(ContextWindows, LoopedOnesReachFromTheEndIntoTheBeginning) {
    const ContextWindows windows{.schedule = WindowSchedule::Looped, .frames = 12, .length = 8, .overlap = 4};
    EXPECT_THAT(windows.ofStep(0).back(), ElementsAre(8, 9, 10, 11, 0, 1, 2, 3));
}

TEST(ContextWindows, LoopedOnesFadeOnBothSidesOfTheSeam) {
    const ContextWindows windows{.schedule = WindowSchedule::Looped,
                                 .fuse = WindowFuse::Linear,
                                 .frames = 12,
                                 .length = 8,
                                 .overlap = 2};
    const std::vector<double> weights = windowWeights(windows, {8, 9, 10, 11, 0, 1, 2, 3});
    EXPECT_LT(weights.front(), 1e-30);
    EXPECT_LT(weights.back(), 1e-30);
    EXPECT_EQ(weights[4], 1.0);
}

TEST(ContextWindows, LevelsWhoseWindowsAreLongerThanTheClipDoNotFit) {
    EXPECT_EQ(fittingLevels(41, 21, 4), 1);
    EXPECT_EQ(fittingLevels(42, 21, 4), 2);
    EXPECT_EQ(fittingLevels(84, 21, 4), 3);
    EXPECT_EQ(fittingLevels(84, 21, 2), 2);
}

TEST(ContextWindows, FreeNoiseShufflesEarlierFramesAndKeepsTheFirstWindow) {
    const ContextWindows windows{.frames = 33, .length = 8};
    const auto order = freeNoiseOrder(windows, 5);
    std::vector<std::int64_t> first(8);
    std::iota(first.begin(), first.end(), 0);
    EXPECT_TRUE(std::ranges::equal(std::span(order).first(8), first));
    for (std::size_t begin = 8; begin + 8 <= order.size(); begin += 8)
        EXPECT_TRUE(std::ranges::is_permutation(std::span(order).subspan(begin, 8), first));
    EXPECT_NE(order, freeNoiseOrder(windows, 6));
}

TEST(ContextWindows, EveryWindowHasTheReferences) {
    const ContextWindows windows{
        .fuse = WindowFuse::Flat, .frames = 5, .length = 3, .overlap = 1, .leading = 1};
    const std::vector<SharedWindow> shared = sharedWindows(windows, 0);
    ASSERT_EQ(shared.size(), 2U);
    EXPECT_THAT(shared[0].frames, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(shared[1].frames, ElementsAre(0, 3, 4, 5));
    EXPECT_THAT(shared[1].shares, ElementsAre(0.5F, 0.5F, 1, 1));
    EXPECT_EQ(windows.passFrames(), 4);
}

TEST(ContextWindows, FramesComeBackToTheirPlaces) {
    const Tensor clip = Tensor::from(
        {1, 2, 4, 1, 2}, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
    const WindowFrames frames{3, 0};
    const Tensor window = framesOf(clip, frames);
    EXPECT_EQ(window.shape(), Shape({1, 2, 2, 1, 2}));
    EXPECT_THAT(window.data<float>(), ElementsAre(6, 7, 0, 1, 14, 15, 8, 9));
    Tensor sum = Tensor::zeros(clip.shape());
    addWindow(sum, window, frames, std::vector<float>{0.5F, 1.0F});
    EXPECT_THAT(sum.data<float>(), ElementsAre(0, 1, 0, 0, 0, 0, 3, 3.5F, 8, 9, 0, 0, 0, 0, 7, 7.5F));
}

TEST(ContextWindows, ShareOutPromptsByTheirMiddles) {
    // Windows of 5 latent frames: their middles are 2, 5, 8 and 10 of 13.
    const std::vector<SharedWindow> shared = sharedWindows({.frames = 13, .length = 5, .overlap = 2}, 0);
    std::vector<std::size_t> prompts;
    for (const SharedWindow& window : shared)
        prompts.push_back(window.promptOf(3));
    EXPECT_THAT(prompts, ElementsAre(0U, 1U, 1U, 2U));
    for (const SharedWindow& window : shared)
        EXPECT_EQ(window.promptOf(1), 0U);
}

TEST(ContextWindows, ReferencesDoNotMoveTheMiddle) {
    const ContextWindows plain{.frames = 13, .length = 5, .overlap = 2};
    ContextWindows referred = plain;
    referred.leading = 2;
    EXPECT_EQ(sharedWindows(plain, 0).back().centre, sharedWindows(referred, 0).back().centre);
}

}  // namespace
}  // namespace meshreel

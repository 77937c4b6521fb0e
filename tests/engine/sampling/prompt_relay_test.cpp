// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/prompt_relay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace meshreel {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<LatentTime> everyFrame(std::int64_t frames) {
    std::vector<LatentTime> times;
    for (std::int64_t frame = 0; frame < frames; ++frame)
        times.emplace_back(static_cast<double>(frame));
    return times;
}

// The time is 10 frames from the middle at 10; two at each end fade.
TEST(PromptRelay, IsFreeWithinThePartAndFallsBeyond) {
    const std::vector<float> bias = relayBias({0.25, 0.75}, 21, 1e-3, everyFrame(21));
    const double sigma = 1 / std::log(1e3);
    for (std::size_t frame = 0; frame < bias.size(); ++frame) {
        const double beyond = std::max(std::abs(static_cast<double>(frame) - 10) - 3, 0.0);
        EXPECT_NEAR(bias[frame], -beyond * beyond / (2 * sigma * sigma), 1e-3) << frame;
    }
}

TEST(PromptRelay, LeavesEveryPartAFrame) {
    for (const RelaySpan span :
         {RelaySpan{0.31, 0.32}, RelaySpan{0, 0}, RelaySpan{1, 1}, RelaySpan{0.5, 0.5}}) {
        const std::vector<float> bias = relayBias(span, 6, 1e-3, everyFrame(6));
        EXPECT_EQ(std::ranges::max(bias), 0.0F) << span.begin;
    }
}

TEST(PromptRelay, ALargerEpsilonIsSofter) {
    const std::vector<float> hard = relayBias({0, 0.5}, 21, 1e-3, everyFrame(21));
    const std::vector<float> soft = relayBias({0, 0.5}, 21, 0.5, everyFrame(21));
    EXPECT_LT(hard[12], soft[12]);
    EXPECT_LT(soft[12], 0.0F);
}

TEST(PromptRelay, ReferencesHaveNoTime) {
    std::vector<LatentTime> times = everyFrame(5);
    times.insert(times.begin(), LatentTime());
    const std::vector<float> bias = relayBias({0.5, 1}, 5, 1e-3, times);
    const std::vector<float> alone = relayBias({0.5, 1}, 5, 1e-3, everyFrame(5));
    EXPECT_EQ(bias.front(), 0.0F);
    EXPECT_TRUE(std::ranges::equal(alone, std::vector(bias.begin() + 1, bias.end())));
}

TEST(PromptRelay, ASegmentIsItsPartOfTheWhole) {
    const std::vector<float> whole = relayBias({0.2, 0.6}, 21, 1e-3, everyFrame(21));
    const std::vector<float> segment =
        relayBias({0.2, 0.6}, 21, 1e-3, std::vector<LatentTime>{7.0, 8.0, 9.0});
    EXPECT_THAT(segment, ElementsAre(whole[7], whole[8], whole[9]));
}

TEST(PromptRelay, WhatHoldsAllTheTimeIsFreeInTheMiddle) {
    const std::vector<float> bias = relayBias({0, 1}, 21, 1e-3, everyFrame(21));
    EXPECT_THAT(std::vector(bias.begin() + 2, bias.end() - 2), Each(0.0F));
}

}  // namespace
}  // namespace meshreel

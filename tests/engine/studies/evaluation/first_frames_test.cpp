// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/first_frames.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "drawn_clip.h"
#include "engine/base/error.h"
#include "engine/studies/evaluation/background.h"
#include "engine/studies/evaluation/held_out_prompts.h"

namespace meshreel {
namespace {

Tensor shownTwice(const Tensor& picture) {
    Tensor frames = Tensor::empty({2, picture.extent(0), picture.extent(1), 3}, DType::U8);
    const auto pixels = picture.data<std::uint8_t>();
    const auto to = frames.data<std::uint8_t>();
    std::ranges::copy(pixels, std::ranges::copy(pixels, to.begin()).out);
    return frames;
}

TEST(FirstFrames, EachShowsTheBackgroundOfItsPrompt) {
    const std::vector<HeldOutPrompt> prompts = readHeldOutPrompts(heldOutPromptsFile());
    const std::vector<Tensor> frames = readFirstFrames(firstFramesFile(), prompts.size());
    ASSERT_EQ(frames.size(), prompts.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        ASSERT_EQ(frames[i].shape(), (Shape{64, 64, 3}));
        EXPECT_EQ(PlainBackground(ClipPixels(shownTwice(frames[i]))).name(), prompts[i].background)
            << prompts[i].prompt;
    }
}

TEST(FirstFrames, ASheetOfTooFewIsRefused) {
    EXPECT_THROW((void)readFirstFrames(firstFramesFile(), 201), Error);
    EXPECT_THROW((void)readFirstFrames("no-such-sheet.png", 1), Error);
}

TEST(FirstFrames, OnlyModelsThatNeedOneGetOne) {
    EXPECT_FALSE(needsFirstFrame("tiny-wan-t2v"));
    EXPECT_TRUE(needsFirstFrame("tiny-wan-i2v"));
}

TEST(FirstFrames, WhatIsKeptIsMeasuredInDecibels) {
    const Tensor clip = testing::drawClip({});
    const Shape shape{clip.extent(1), clip.extent(2), 3};
    const Tensor first = clip.slice(0, 1).reshaped(shape);
    EXPECT_DOUBLE_EQ(*firstFrameKept(clip, first), 100.0);
    Tensor darker = Tensor::empty(shape, DType::U8);
    std::ranges::transform(
        first.data<std::uint8_t>(), darker.data<std::uint8_t>().begin(),
        [](std::uint8_t level) { return std::uint8_t(level >= 10 ? level - 10 : level + 10); });
    EXPECT_NEAR(*firstFrameKept(clip, darker), 28.13, 0.01);  // 20 log10(255 / 10)
    EXPECT_FALSE(firstFrameKept(clip, Tensor::zeros({8, 8, 3}, DType::U8)).has_value());
}

}  // namespace
}  // namespace meshreel

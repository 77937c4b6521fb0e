// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/first_frames.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "drawn_clip.h"
#include "engine/base/error.h"
#include "engine/studies/evaluation/background.h"
#include "engine/studies/evaluation/held_out_prompts.h"
#include "engine/tensor/joined.h"

namespace meshreel {
namespace {

TEST(FirstFrames, EachShowsTheBackgroundOfItsPrompt) {
    const std::vector<HeldOutPrompt> prompts = readHeldOutPrompts(heldOutPromptsFile());
    const std::vector<Tensor> frames = readFirstFrames(firstFramesFile(), prompts.size());
    ASSERT_EQ(frames.size(), prompts.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        ASSERT_EQ(frames[i].shape(), (Shape{64, 64, 3}));
        const Tensor frame = frames[i].reshaped({1, 64, 64, 3});
        EXPECT_EQ(Background(Clip(joined({frame, frame}, 0))).name(), prompts[i].background)
            << prompts[i].prompt;
    }
}

TEST(FirstFrames, ASheetOfTooFewIsRefused) {
    EXPECT_THROW((void)readFirstFrames(firstFramesFile(), 201), Error);
    EXPECT_THROW((void)readFirstFrames("no-such-sheet.png", 1), Error);
}

TEST(FirstFrames, OnlyModelsThatNeedOneGetOne) {
    EXPECT_FALSE(needsFirstFrame("tiny-wan-t2v"));
}

TEST(FirstFrames, WhatIsKeptIsMeasuredInDecibels) {
    const Tensor clip = testing::drawClip({});
    const Shape shape{clip.extent(1), clip.extent(2), 3};
    const Tensor first = sliced(clip, 0, 0, 1).reshaped(shape);
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

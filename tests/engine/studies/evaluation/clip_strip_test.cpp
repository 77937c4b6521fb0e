// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/clip_strip.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/studies/evaluation/contact_sheet.h"

namespace meshreel {
namespace {

/// Every frame of one level: its number, plus `first`.
Tensor numberedFrames(std::int64_t frames, std::uint8_t first = 0) {
    Tensor clip = Tensor::empty({frames, 4, 6, 3}, DType::U8);
    for (std::int64_t t = 0; t < frames; ++t)
        std::ranges::fill(clip.slice(t, t + 1).data<std::uint8_t>(), static_cast<std::uint8_t>(first + t));
    return clip;
}

std::uint8_t levelAt(const Tensor& picture, std::int64_t y, std::int64_t x) {
    return picture.data<std::uint8_t>()[static_cast<std::size_t>((y * picture.extent(1) + x) * 3)];
}

TEST(ClipStrip, HoldsTheFramesSideBySide) {
    Tensor clip = numberedFrames(5);
    const Tensor strip = stripOf(clip);
    EXPECT_EQ(strip.shape(), Shape({4, 30, 3}));
    EXPECT_EQ(levelAt(strip, 3, 5), 0);
    EXPECT_EQ(levelAt(strip, 3, 6), 1);
    EXPECT_EQ(levelAt(strip, 0, 29), 4);
    const Tensor again = framesOf(strip, 5);
    EXPECT_EQ(again.shape(), clip.shape());
    EXPECT_TRUE(std::ranges::equal(again.data<std::uint8_t>(), clip.data<std::uint8_t>()));
    EXPECT_THROW(framesOf(strip, 4), Error);
}

TEST(ContactSheet, ShowsFirstAndLastFramesInTwoColumns) {
    const Tensor sheet =
        contactSheet({numberedFrames(17, 10), numberedFrames(17, 50), numberedFrames(17, 90)});
    EXPECT_EQ(sheet.shape(), Shape({4 + 4 + 4, 36 + 4 + 36, 3}));
    EXPECT_EQ(levelAt(sheet, 0, 0), 10);
    EXPECT_EQ(levelAt(sheet, 3, 35), 26);
    EXPECT_EQ(levelAt(sheet, 0, 37), 0);  // the gap
    EXPECT_EQ(levelAt(sheet, 0, 40), 50);
    EXPECT_EQ(levelAt(sheet, 8, 0), 90);
    EXPECT_EQ(levelAt(sheet, 8, 40), 0);  // there is no fourth
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/base/error.h"

namespace meshreel {
namespace {

Tensor frameNoise(std::int64_t time, std::int64_t height, std::int64_t width, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> values(static_cast<std::size_t>(time * height * width * 3));
    for (std::uint8_t& value : values)
        value = static_cast<std::uint8_t>(random() % 256);
    return Tensor::from<std::uint8_t>({time, height, width, 3}, values);
}

Tensor plain(std::int64_t height, std::int64_t width, std::uint8_t level) {
    const auto size = static_cast<std::size_t>(height * width * 3);
    return Tensor::from<std::uint8_t>({1, height, width, 3}, std::vector<std::uint8_t>(size, level));
}

TEST(FrameComparison, EqualFramesAreOneAndInfinite) {
    const Tensor frames = frameNoise(2, 20, 30, 1);
    const std::vector<FrameDistance> likeness = compareFrames(frames, frames);
    ASSERT_EQ(likeness.size(), 2U);
    for (const FrameDistance& frame : likeness) {
        EXPECT_TRUE(std::isinf(frame.psnr));
        EXPECT_NEAR(frame.ssim, 1, 1e-12);
    }
    EXPECT_TRUE(std::isinf(overall(likeness).psnr));
}

// Plain pictures have no structure: only the first factor of SSIM is left, and the error is their distance.
TEST(FrameComparison, PlainFramesAreAsTheFormulasSay) {
    const FrameDistance likeness = compareFrames(plain(16, 16, 100), plain(16, 16, 110)).front();
    EXPECT_NEAR(likeness.psnr, 10 * std::log10(255.0 * 255.0 / 100.0), 1e-9);
    const double c1 = 2.55 * 2.55;
    EXPECT_NEAR(likeness.ssim, (2 * 100.0 * 110.0 + c1) / (100.0 * 100.0 + 110.0 * 110.0 + c1), 1e-6);
}

TEST(FrameComparison, ShorterOneCountsAndSmallOnesWork) {
    EXPECT_EQ(compareFrames(frameNoise(3, 8, 6, 4), frameNoise(2, 8, 6, 5)).size(), 2U);
    EXPECT_EQ(frameDifferences(frameNoise(3, 8, 6, 4), frameNoise(2, 8, 6, 5), 1).extent(0), 2);
    EXPECT_EQ(overall({}).ssim, 0);
}

TEST(FrameComparison, DifferencesAreAmplifiedAndClipped) {
    const Tensor differences = frameDifferences(plain(2, 2, 200), plain(2, 2, 190), 4);
    EXPECT_EQ(differences.data<std::uint8_t>()[0], 40);
    EXPECT_EQ(frameDifferences(plain(2, 2, 0), plain(2, 2, 200), 4).data<std::uint8_t>()[0], 255);
}

TEST(FrameComparison, RefusesOtherSizesAndStops) {
    EXPECT_THROW(compareFrames(frameNoise(1, 8, 8, 1), frameNoise(1, 8, 16, 1)), Error);
    StopSource stop;
    stop.request_stop();
    EXPECT_THROW(compareFrames(frameNoise(1, 8, 8, 1), frameNoise(1, 8, 8, 1), stop.get_token()), Error);
}

}  // namespace
}  // namespace meshreel

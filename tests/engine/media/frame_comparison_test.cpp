// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/base/error.h"
#include "engine/media/frame_comparison.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

Tensor noise(const Shape& shape, std::uint32_t seed) {
    Tensor frames = Tensor::empty(shape, DType::U8);
    const Tensor values = testing::randomTensor(shape, seed);
    std::ranges::transform(values.data<float>(), frames.data<std::uint8_t>().begin(), [](float value) {
        return static_cast<std::uint8_t>(std::clamp(128.0F + 40.0F * value, 0.0F, 255.0F));
    });
    return frames;
}

TEST(FrameDistance, OfEqualVideosIsNone) {
    const Tensor frames = noise({1, 2, 16, 20, 3}, 1);
    const FrameDistance distance = measureDistance(frames, frames.clone());
    EXPECT_TRUE(std::isinf(distance.psnr));
    EXPECT_DOUBLE_EQ(distance.ssim, 1);
}

TEST(FrameDistance, PsnrIsThatOfTheMeanSquare) {
    Tensor frames = noise({1, 1, 12, 12, 3}, 1);
    Tensor moved = frames.clone();
    for (std::uint8_t& value : moved.data<std::uint8_t>())
        value = static_cast<std::uint8_t>(value < 250 ? value + 5 : value - 5);
    EXPECT_NEAR(measureDistance(moved, frames).psnr, 10 * std::log10(255.0 * 255 / 25), 1e-9);
}

TEST(FrameDistance, SsimOfFlatFramesIsThatOfTheirMeans) {
    Tensor dark = Tensor::zeros({1, 1, 11, 11, 3}, DType::U8);
    Tensor light = dark.clone();
    std::ranges::fill(dark.data<std::uint8_t>(), std::uint8_t{50});
    std::ranges::fill(light.data<std::uint8_t>(), std::uint8_t{100});
    const double c1 = (0.01 * 255) * (0.01 * 255);
    EXPECT_NEAR(measureDistance(dark, light).ssim, (2 * 50.0 * 100 + c1) / (50.0 * 50 + 100.0 * 100 + c1),
                1e-9);
}

TEST(FrameDistance, FallsAsNoiseGrowsOnFramesOfAnySize) {
    for (const auto& [height, width] : {std::pair{4, 4}, {11, 9}, {32, 24}}) {
        const Tensor frames = noise({1, 2, height, width, 3}, 1);
        const Tensor other = noise({1, 2, height, width, 3}, 2);
        Tensor between = frames.clone();
        for (std::size_t at = 0; at < between.data<std::uint8_t>().size(); ++at)
            between.data<std::uint8_t>()[at] = static_cast<std::uint8_t>(
                (3 * frames.data<std::uint8_t>()[at] + other.data<std::uint8_t>()[at]) / 4);
        EXPECT_GT(measureDistance(between, frames).ssim, measureDistance(other, frames).ssim);
        EXPECT_GT(measureDistance(between, frames).psnr, measureDistance(other, frames).psnr);
    }
}

TEST(FrameDistance, OfOtherSizesIsRefused) {
    EXPECT_THROW(static_cast<void>(measureDistance(noise({1, 1, 8, 8, 3}, 1), noise({1, 1, 8, 9, 3}, 1))),
                 Error);
}

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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
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
    const FrameDistance distance = distanceOf(frames, frames.clone());
    EXPECT_TRUE(std::isinf(distance.psnr));
    EXPECT_DOUBLE_EQ(distance.ssim, 1);
}

TEST(FrameDistance, PsnrIsThatOfTheMeanSquare) {
    Tensor frames = noise({1, 1, 12, 12, 3}, 1);
    Tensor moved = frames.clone();
    for (std::uint8_t& value : moved.data<std::uint8_t>())
        value = static_cast<std::uint8_t>(value < 250 ? value + 5 : value - 5);
    EXPECT_NEAR(distanceOf(moved, frames).psnr, 10 * std::log10(255.0 * 255 / 25), 1e-9);
}

TEST(FrameDistance, SsimOfFlatFramesIsThatOfTheirMeans) {
    Tensor dark = Tensor::zeros({1, 1, 11, 11, 3}, DType::U8);
    Tensor light = dark.clone();
    std::ranges::fill(dark.data<std::uint8_t>(), std::uint8_t{50});
    std::ranges::fill(light.data<std::uint8_t>(), std::uint8_t{100});
    const double c1 = (0.01 * 255) * (0.01 * 255);
    EXPECT_NEAR(distanceOf(dark, light).ssim, (2 * 50.0 * 100 + c1) / (50.0 * 50 + 100.0 * 100 + c1), 1e-9);
}

TEST(FrameDistance, FallsAsNoiseGrowsOnFramesOfAnySize) {
    for (const auto& [height, width] : {std::pair{4, 4}, {11, 9}, {32, 24}}) {
        const Tensor frames = noise({1, 2, height, width, 3}, 1);
        const Tensor other = noise({1, 2, height, width, 3}, 2);
        Tensor between = frames.clone();
        for (std::size_t at = 0; at < between.data<std::uint8_t>().size(); ++at)
            between.data<std::uint8_t>()[at] = static_cast<std::uint8_t>(
                (3 * frames.data<std::uint8_t>()[at] + other.data<std::uint8_t>()[at]) / 4);
        EXPECT_GT(distanceOf(between, frames).ssim, distanceOf(other, frames).ssim);
        EXPECT_GT(distanceOf(between, frames).psnr, distanceOf(other, frames).psnr);
    }
}

TEST(FrameDistance, OfOtherSizesIsRefused) {
    EXPECT_THROW(static_cast<void>(distanceOf(noise({1, 1, 8, 8, 3}, 1), noise({1, 1, 8, 9, 3}, 1))), Error);
}

}  // namespace
}  // namespace meshreel

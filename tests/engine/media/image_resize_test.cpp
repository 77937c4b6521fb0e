// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/image_resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr Resampling filters[] = {Resampling::Bilinear, Resampling::Bicubic, Resampling::Lanczos};

Tensor randomImage(std::int64_t height, std::int64_t width, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::uniform_int_distribution<int> bytes(0, 255);
    Tensor image = Tensor::empty({height, width, 3}, DType::U8);
    for (std::uint8_t& byte : image.data<std::uint8_t>())
        byte = static_cast<std::uint8_t>(bytes(generator));
    return image;
}

Tensor transposed(const Tensor& image) {
    Tensor result = Tensor::empty({image.extent(1), image.extent(0), 3}, DType::U8);
    for (std::int64_t row = 0; row < image.extent(0); ++row)
        for (std::int64_t column = 0; column < image.extent(1); ++column)
            std::copy_n(image.data<std::uint8_t>().data() + (row * image.extent(1) + column) * 3, 3,
                        result.data<std::uint8_t>().data() + (column * image.extent(0) + row) * 3);
    return result;
}

void expectSame(const Tensor& found, const Tensor& expected) {
    ASSERT_EQ(found.shape(), expected.shape());
    EXPECT_THAT(found.data<std::uint8_t>(), ::testing::ElementsAreArray(expected.data<std::uint8_t>()));
}

TEST(ImageResize, TheSameSizeIsTheSameImage) {
    const Tensor image = randomImage(7, 11, 1);
    for (const Resampling filter : filters)
        expectSame(resizeImage(image, 7, 11, filter), image);
}

TEST(ImageResize, OneColourStaysOneColour) {
    for (const int value : {0, 1, 127, 254, 255}) {
        Tensor image = Tensor::empty({9, 13, 3}, DType::U8);
        std::ranges::fill(image.data<std::uint8_t>(), static_cast<std::uint8_t>(value));
        for (const Resampling filter : filters)
            for (const auto& [height, width] : {std::pair{3, 50}, std::pair{40, 2}, std::pair{1, 1}}) {
                const Tensor resized = resizeImage(image, height, width, filter);
                EXPECT_THAT(resized.data<std::uint8_t>(), ::testing::Each(value));
            }
    }
}

TEST(ImageResize, HalvesByMeansOfPixels) {
    // A step of two: the triangle of width two weighs the pixels 1, 3, 3 and 1 eighths, inside.
    Tensor image = Tensor::zeros({1, 8, 1}, DType::U8);
    image.data<std::uint8_t>()[3] = 80;
    const Tensor half = resizeImage(image, 1, 4, Resampling::Bilinear);
    EXPECT_THAT(half.data<std::uint8_t>(), ::testing::ElementsAre(0, 30, 10, 0));
}

TEST(ImageResize, OvershootEndsAtBlackAndWhite) {
    Tensor image = Tensor::zeros({1, 8, 1}, DType::U8);
    std::ranges::fill(image.data<std::uint8_t>().subspan(4), std::uint8_t{255});
    for (const Resampling filter : {Resampling::Bicubic, Resampling::Lanczos}) {
        const Tensor wide = resizeImage(image, 1, 32, filter);
        EXPECT_EQ(wide.data<std::uint8_t>().front(), 0);
        EXPECT_EQ(wide.data<std::uint8_t>().back(), 255);
        EXPECT_TRUE(std::ranges::is_sorted(wide.data<std::uint8_t>().subspan(12, 8)));
    }
}

TEST(ImageResize, AxesAreTreatedAlikeWhereOnlyOneChanges) {
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        std::mt19937 generator(seed);
        std::uniform_int_distribution<int> sides(1, 40);
        const std::int64_t height = sides(generator);
        const std::int64_t width = sides(generator);
        const std::int64_t other = sides(generator);
        const Tensor image = randomImage(height, width, seed);
        for (const Resampling filter : filters)
            expectSame(resizeImage(image, height, other, filter),
                       transposed(resizeImage(transposed(image), other, height, filter)));
    }
}

TEST(ImageResize, RefusesSizesThatCannotBe) {
    const Tensor image = randomImage(4, 4, 1);
    const std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {
        {0, 4}, {4, -1}, {1 << 20, 4}, {1 << 16, 1 << 16}};
    for (const auto& [height, width] : sizes)
        EXPECT_THROW(static_cast<void>(resizeImage(image, height, width, Resampling::Lanczos)), Error);
}

TEST(ImageResize, WhatLiesOutsideACropIsBlack) {
    const Tensor image = randomImage(3, 3, 2);
    const Tensor part = cropImage(image, -1, 1, 3, 3);
    for (const std::int64_t column : {0, 1, 2}) {
        const auto pixel = part.data<std::uint8_t>().subspan(static_cast<std::size_t>(column) * 3, 3);
        EXPECT_THAT(pixel, ::testing::Each(0));
    }
    expectSame(cropImage(part, 1, 0, 2, 2), cropImage(image, 0, 1, 2, 2));
    expectSame(cropToCentre(cropToCentre(image, 7, 5), 3, 3), image);
}

TEST(ImageResize, CoversWithoutChangingTheForm) {
    const Tensor image = randomImage(20, 60, 3);
    expectSame(resizeToCover(image, 20, 30, Resampling::Lanczos), cropImage(image, 0, 15, 20, 30));
    EXPECT_EQ(resizeToCover(image, 64, 32, Resampling::Lanczos).shape(), (Shape{64, 32, 3}));
    const Tensor wide = resizeImage(image, 40, 120, Resampling::Bicubic);
    expectSame(resizeToCover(image, 40, 100, Resampling::Bicubic), cropImage(wide, 0, 10, 40, 100));
}

TEST(PlaneInterpolation, DoublesAsTorchDoes) {
    // torch.nn.functional.interpolate([[[0, 1, 4]]], scale 2, bilinear, align_corners=False)
    const Tensor row = Tensor::from<float>({1, 1, 3}, {0.0F, 1.0F, 4.0F});
    EXPECT_THAT(interpolatePlanes(row, 1, 6, Interpolation::Bilinear).data<float>(),
                ::testing::ElementsAre(0.0F, 0.25F, 0.75F, 1.75F, 3.25F, 4.0F));
    const Tensor same = interpolatePlanes(row, 1, 3, Interpolation::Bicubic);
    EXPECT_THAT(same.data<float>(), ::testing::ElementsAre(0.0F, 1.0F, 4.0F));
}

TEST(PlaneInterpolation, ReproducesLinesInside) {
    Tensor line = Tensor::empty({2, 1, 12});
    for (std::size_t i = 0; i < 24; ++i)
        line.data<float>()[i] = static_cast<float>(i % 12);
    for (const Interpolation interpolation : {Interpolation::Bilinear, Interpolation::Bicubic}) {
        const Tensor wide = interpolatePlanes(line, 1, 30, interpolation);
        ASSERT_EQ(wide.shape(), (Shape{2, 1, 30}));
        for (std::size_t plane : {0U, 1U})
            for (std::size_t i = 6; i < 24; ++i)
                EXPECT_NEAR(wide.data<float>()[plane * 30 + i], (static_cast<float>(i) + 0.5F) * 0.4F - 0.5F,
                            1e-4F + (interpolation == Interpolation::Bicubic ? 0.05F : 0.0F));
    }
}

TEST(PlaneInterpolation, RefusesEmptySizes) {
    EXPECT_THROW(static_cast<void>(interpolatePlanes(Tensor::zeros({1, 2, 2}), 0, 2, Interpolation::Bicubic)),
                 Error);
}

}  // namespace
}  // namespace meshreel

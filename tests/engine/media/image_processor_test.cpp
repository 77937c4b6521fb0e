// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/error.h"
#include "engine/media/image_processor.h"

namespace meshreel {
namespace {

using nlohmann::json;

Tensor grey(std::int64_t height, std::int64_t width, std::uint8_t value) {
    Tensor image = Tensor::empty({height, width, 3}, DType::U8);
    std::ranges::fill(image.data<std::uint8_t>(), value);
    return image;
}

TEST(ImageProcessor, DefaultsAreThoseOfClip) {
    const ImageProcessor processor = ImageProcessor::fromJson(json::object(), "preprocessor_config.json");
    EXPECT_EQ(processor.shortestEdge, 224);
    EXPECT_EQ(processor.cropHeight, 224);
    EXPECT_EQ(processor.resampling, Resampling::Bicubic);
    const Tensor pixels = processor.toPixels(grey(300, 500, 51));
    ASSERT_EQ(pixels.shape(), (Shape{1, 3, 224, 224}));
    EXPECT_NEAR(pixels.data<float>().front(), (0.2F - 0.48145466F) / 0.26862954F, 1e-6F);
    EXPECT_NEAR(pixels.data<float>().back(), (0.2F - 0.40821073F) / 0.27577711F, 1e-6F);
}

TEST(ImageProcessor, TheShorterEdgeDecides) {
    const ImageProcessor processor = ImageProcessor::forSide(28);
    EXPECT_EQ(processor.resized(grey(40, 56, 1)).shape(), (Shape{28, 39, 3}));  // 39.2 is cut off
    EXPECT_EQ(processor.resized(grey(60, 33, 1)).shape(), (Shape{50, 28, 3}));
    EXPECT_EQ(processor.resized(grey(7, 7, 1)).shape(), (Shape{28, 28, 3}));
}

TEST(ImageProcessor, EveryStepCanBeLeftOut) {
    const ImageProcessor processor = ImageProcessor::fromJson(
        json::parse(R"({"do_resize": false, "do_center_crop": false, "do_rescale": false,
                        "do_normalize": false})"),
        "preprocessor_config.json");
    const Tensor pixels = processor.toPixels(grey(3, 5, 77));
    ASSERT_EQ(pixels.shape(), (Shape{1, 3, 3, 5}));
    EXPECT_THAT(pixels.data<float>(), ::testing::Each(77.0F));
}

TEST(ImageProcessor, OtherSizesAndFilters) {
    const ImageProcessor processor = ImageProcessor::fromJson(
        json::parse(R"({"size": {"height": 20, "width": 30}, "crop_size": 16, "resample": 1,
                        "image_mean": [0, 0, 0], "image_std": [1, 1, 1], "rescale_factor": 0.5})"),
        "preprocessor_config.json");
    EXPECT_EQ(processor.resampling, Resampling::Lanczos);
    EXPECT_EQ(processor.resized(grey(5, 5, 9)).shape(), (Shape{20, 30, 3}));
    const Tensor pixels = processor.toPixels(grey(5, 5, 9));
    ASSERT_EQ(pixels.shape(), (Shape{1, 3, 16, 16}));
    EXPECT_THAT(pixels.data<float>(), ::testing::Each(4.5F));
}

TEST(ImageProcessor, StretchesAsWanDoes) {
    const Tensor pixels = ImageProcessor::forSide(8).stretchedPixels(grey(10, 40, 255));
    ASSERT_EQ(pixels.shape(), (Shape{1, 3, 8, 8}));
    EXPECT_NEAR(pixels.data<float>().front(), (1.0F - 0.48145466F) / 0.26862954F, 1e-5F);
}

TEST(ImageProcessor, RefusalsNameFileAndKey) {
    const std::pair<const char*, const char*> refusals[] = {
        {R"({"resample": 0})", "resample"},
        {R"({"size": {"shortest_edge": 0}})", "size"},
        {R"({"size": "large"})", "size"},
        {R"({"crop_size": {"height": 8, "width": 1e9}})", "crop_size"},
        {R"({"image_mean": [1, 2]})", "image_mean"},
        {R"({"image_std": [1, 0, 1]})", "image_std"},
        {R"({"do_resize": 1})", "do_resize"},
        {R"({"rescale_factor": -1})", "rescale_factor"},
        {R"([])", "image processor"}};
    for (const auto& [text, key] : refusals) {
        try {
            static_cast<void>(ImageProcessor::fromJson(json::parse(text), "some.json"));
            ADD_FAILURE() << "accepted " << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_THAT(error.what(), ::testing::HasSubstr(std::string("some.json, key ") + key));
        }
    }
}

TEST(VideoPixels, LieBetweenMinusOneAndOne) {
    Tensor frames = Tensor::zeros({2, 1, 1, 3}, DType::U8);
    frames.data<std::uint8_t>()[1] = 255;
    frames.data<std::uint8_t>()[5] = 51;
    const Tensor pixels = videoPixels(frames);
    EXPECT_EQ(pixels.shape(), (Shape{3, 2, 1, 1}));
    EXPECT_THAT(pixels.data<float>(),
                ::testing::ElementsAre(-1.0F, -1.0F, 1.0F, -1.0F, -1.0F, ::testing::FloatNear(-0.6F, 1e-6F)));
}

}  // namespace

}  // namespace meshreel

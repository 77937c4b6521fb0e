// SPDX-License-Identifier: GPL-3.0-or-later
// What plans count as work for images, control, poses and faces, against every product listed by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine/estimates/work.h"

namespace meshreel {
namespace {

constexpr std::int64_t clipTokens = 257;

/// A matrix product [rows, inner] x [inner, columns], done so many times.
struct Product {
    double times;
    double rows;
    double inner;
    double columns;
};

double flops(const std::vector<Product>& products) {
    double sum = 0;
    for (const Product& product : products)
        sum += 2 * product.times * product.rows * product.inner * product.columns;
    return sum;
}

/// Wan 2.1 14B's sizes: 40 blocks of 5120 features.
WanTransformerConfig large() {
    return {.heads = 40, .headDim = 128, .ffnDim = 13824, .layers = 40};
}

constexpr double tokens = 32760;
constexpr double text = 512;

/// Of `blocks` blocks beside what images and faces add.
std::vector<Product> blockProducts(double blocks) {
    return {{blocks * 4, tokens, 5120, 5120},    // self-attention's q, k, v, output
            {blocks * 40, tokens, 128, tokens},  // scores of each head
            {blocks * 40, tokens, tokens, 128},  // sums of values
            {blocks * 2, tokens, 5120, 5120},    // cross-attention's q, output
            {blocks * 40, tokens, 128, text},    //
            {blocks * 40, tokens, text, 128},    //
            {blocks, tokens, 5120, 13824},       // feed-forward
            {blocks, tokens, 13824, 5120}};
}

double with(std::vector<Product> products, const std::vector<Product>& more) {
    products.insert(products.end(), more.begin(), more.end());
    return flops(products);
}

TEST(TaskFlops, ImagesAreAttendedToInEveryBlock) {
    WanTransformerConfig config = large();
    config.inChannels = 36;
    config.imageDim = 1280;
    const std::vector<Product> ends{{1, tokens, 36 * 4, 5120}, {1, tokens, 5120, 16 * 4}};
    for (const std::int64_t image : {clipTokens, 2 * clipTokens}) {
        config.imagePositions = image == clipTokens ? 0 : image;  // of a first and a last frame
        std::vector<Product> more = ends;
        more.push_back({40 * 40, tokens, 128, static_cast<double>(image)});
        more.push_back({40 * 40, tokens, static_cast<double>(image), 128});
        EXPECT_DOUBLE_EQ(transformerPassFlops(config, 32760, 512), with(blockProducts(40), more));
        // Keys and values of the text and, with weights of their own, of the image.
        EXPECT_DOUBLE_EQ(
            textContextFlops(config, 512),
            flops({{40 * 2, text, 5120, 5120}, {40 * 2, static_cast<double>(image), 5120, 5120}}));
    }
}

TEST(TaskFlops, VaceHasBlocksAndProjectionsBesides) {
    WanTransformerConfig config = large();
    config.vaceLayers = {0, 5, 10, 15, 20, 25, 30, 35};
    config.vaceChannels = 96;
    EXPECT_DOUBLE_EQ(transformerPassFlops(config, 32760, 512),
                     with(blockProducts(40 + 8), {{1, tokens, 16 * 4, 5120},
                                                  {1, tokens, 96 * 4, 5120},  // the control's patches
                                                  {1, tokens, 5120, 5120},    // in front of the first
                                                  {8, tokens, 5120, 5120},    // a hint behind each
                                                  {1, tokens, 5120, 16 * 4}}));
    EXPECT_DOUBLE_EQ(textContextFlops(config, 512), flops({{48 * 2, text, 5120, 5120}}));
}

TEST(TaskFlops, AnimateHasFaceAdaptersAndAPose) {
    WanTransformerConfig config = large();
    config.inChannels = 36;
    config.imageDim = 1280;
    config.animate = AnimateConfig();
    EXPECT_DOUBLE_EQ(
        transformerPassFlops(config, 32760, 512),
        with(blockProducts(40), {{1, tokens, 36 * 4, 5120},
                                 {1, tokens, 16 * 4, 5120},  // the pose's patches
                                 {40 * 40, tokens, 128, 257},
                                 {40 * 40, tokens, 257, 128},
                                 {8 * 2, tokens, 5120, 5120},  // behind every fifth block, q and output
                                 {8, tokens, 5120, 5},         // of the five tokens of the frame's face
                                 {8, tokens, 5, 5120},
                                 {1, tokens, 5120, 16 * 4}}));
}

TEST(TaskFlops, FacesGoThroughTheMotionEncodersConvolutions) {
    WanTransformerConfig config;
    config.animate = AnimateConfig{.faceSide = 16, .channels = {4, 8, 16}, .styleDim = 32};
    // Two blocks: 3x3 at the same width, 3x3 with stride 2 to the next, and a 1x1 shortcut; then 3x3 ... of
    // the last four pixels' features one linear layer each.
    const double one = flops({{1, 16 * 16, 4 * 9, 4},
                              {1, 8 * 8, 4 * 9, 8},
                              {1, 8 * 8, 4, 8},
                              {1, 8 * 8, 8 * 9, 8},
                              {1, 4 * 4, 8 * 9, 16},
                              {1, 4 * 4, 8, 16},
                              {1, 4 * 4, 16, 32}});
    EXPECT_DOUBLE_EQ(faceFlops(config, 77), 77 * one);
}

/// A residual block of 3x3x3 convolutions.
std::vector<Product> residual(double positions, double in, double out) {
    std::vector<Product> products{{1, positions, 27 * in, out}, {1, positions, 27 * out, out}};
    if (in != out)
        products.push_back({1, positions, in, out});
    return products;
}

TEST(VaeWork, EncodingIsTheSumOfItsConvolutions) {
    const WanVaeConfig config;  // Wan 2.1's: 96, 192, 384, 384 channels
    const double p = 64.0 * 96;
    std::vector<Product> all{{1, 9 * p, 27 * 3, 96}};
    const auto add = [&all](const std::vector<Product>& more) {
        all.insert(all.end(), more.begin(), more.end());
    };
    add(residual(9 * p, 96, 96));
    add(residual(9 * p, 96, 96));
    add({{1, 9 * p / 4, 9 * 96, 96}});  // half the sides
    add(residual(9 * p / 4, 96, 192));
    add(residual(9 * p / 4, 192, 192));
    add({{1, 9 * p / 16, 9 * 192, 192}, {1, 4 * p / 16, 3 * 192, 192}});  // and 9 frames to 5
    add(residual(5 * p / 16, 192, 384));
    add(residual(5 * p / 16, 384, 384));
    add({{1, 5 * p / 64, 9 * 384, 384}, {1, 2 * p / 64, 3 * 384, 384}});  // 5 frames to 3
    for (int block = 0; block < 4; ++block)  // two of the level, two around the attention
        add(residual(3 * p / 64, 384, 384));
    add({{1, 3 * p / 64, 384, 4 * 384}, {3, p / 64, 384, p / 64}, {3, p / 64, p / 64, 384}});
    add({{1, 3 * p / 64, 27 * 384, 32}, {1, 3 * p / 64, 32, 32}});
    EXPECT_DOUBLE_EQ(vaeEncodeWork(config, {.frames = 9, .height = 64, .width = 96}).flops, flops(all));
}

TEST(VaeWork, AnImageCostsNoProductsOverTime) {
    const WanVaeConfig config;
    const double image = vaeEncodeWork(config, {.frames = 1, .height = 64, .width = 64}).flops;
    const double video = vaeEncodeWork(config, {.frames = 5, .height = 64, .width = 64}).flops;
    EXPECT_LT(video, 5 * image);
    EXPECT_GT(video, 2 * image);
}

TEST(VaeWork, OfAnImageAThirdOfEachCausalKernelIsComputed) {
    const double p = 64.0 * 64;
    WanVaeConfig oneLevel;
    oneLevel.dimMult = {1};
    oneLevel.temporalDownsample = {};
    const auto skipped = [&](std::int64_t frames) {
        const VaeWork work = vaeEncodeWork(oneLevel, {.frames = frames, .height = 64, .width = 64});
        return work.flops - work.computedFlops;
    };
    const VaeWork nine = vaeEncodeWork(oneLevel, {.frames = 9, .height = 64, .width = 64});
    EXPECT_DOUBLE_EQ(nine.layers, 9 * 12) << "no level halves the frames";
    const double perRead = 2 * p * 9 * (3 * 96 + 8 * 96 * 96 + 96 * 32);
    EXPECT_DOUBLE_EQ(skipped(1), 2 * perRead);
    EXPECT_DOUBLE_EQ(skipped(2), 3 * perRead);
    EXPECT_DOUBLE_EQ(skipped(9), 3 * perRead);
}

}  // namespace
}  // namespace meshreel

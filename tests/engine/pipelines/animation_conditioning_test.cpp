// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/animation_conditioning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/pipelines/input_media.h"
#include "engine/tensor/joined.h"

namespace meshreel {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<float> animationValues(const Tensor& tensor) {
    const auto values = tensor.data<float>();
    return {values.begin(), values.end()};
}

/// Every frame of 16 x 16 pixels is filled with a number of its own.
Tensor numbered(std::int64_t channels, const std::vector<float>& frames) {
    Tensor video = Tensor::empty({1, channels, std::ssize(frames), 16, 16});
    auto out = video.data<float>().begin();
    for (std::int64_t channel = 0; channel < channels; ++channel)
        for (const float value : frames)
            out = std::fill_n(out, 16 * 16, value);
    return video;
}

/// Of one channel: the first pixel of every frame that a latent begins with.
Tensor encodeByPicking(const Tensor& video) {
    const std::int64_t frames = (video.extent(2) - 1) / 4 + 1;
    Tensor latents = Tensor::empty({1, 1, frames, 2, 2});
    for (std::int64_t frame = 0; frame < frames; ++frame) {
        const auto from = static_cast<std::size_t>(frame == 0 ? 0 : 4 * frame - 3);
        std::fill_n(latents.data<float>().begin() + 4 * frame, 4, video.data<float>()[from * 16 * 16]);
    }
    return latents;
}

constexpr VideoGeometry geometry{.frames = 5, .height = 16, .width = 16};
constexpr VideoSegments segments{.count = 2, .frames = 5, .overlap = 1};

VisualInputs inputs() {
    VisualInputs given;
    given.image = numbered(3, {9});
    given.pose = numbered(3, {0, 1, 2, 3, 4, 5, 6, 7, 8});
    given.faces = numbered(3, {10, 11, 12, 13, 14, 15, 16, 17, 18});
    return given;
}

/// Of a channel every latent frame's first value.
std::vector<float> channel(const Tensor& latents, std::int64_t index) {
    std::vector<float> frames;
    for (std::int64_t frame = 0; frame < latents.extent(2); ++frame)
        frames.push_back(latents.data<float>()[static_cast<std::size_t>(
            (index * latents.extent(2) + frame) * latents.extent(3) * latents.extent(4))]);
    return frames;
}

TEST(AnimationConditioning, TheFirstSegmentIsGivenTheReferenceOnly) {
    const VisualConditioning visual =
        conditionOnSegment(inputs(), geometry, segments, 0, std::nullopt, encodeByPicking);
    ASSERT_EQ(visual.channels->shape(), (Shape{1, 5, 3, 2, 2}));
    for (std::int64_t mask = 0; mask < 4; ++mask)
        EXPECT_THAT(channel(*visual.channels, mask), ElementsAre(1, 0, 0));
    EXPECT_THAT(channel(*visual.channels, 4), ElementsAre(9, 0, 0));
    EXPECT_THAT(channel(*visual.pose, 0), ElementsAre(0, 1));
    EXPECT_EQ(visual.faces->shape(), (Shape{1, 3, 5, 16, 16}));
    EXPECT_EQ(visual.faces->data<float>()[0], 10);
}

TEST(AnimationConditioning, LaterOnesBeginWithTheLastFramesBefore) {
    const Tensor before = numbered(3, {7});
    const VisualConditioning visual =
        conditionOnSegment(inputs(), geometry, segments, 1, before, encodeByPicking);
    for (std::int64_t mask = 0; mask < 4; ++mask)
        EXPECT_THAT(channel(*visual.channels, mask), ElementsAre(1, 1, 0));
    EXPECT_THAT(channel(*visual.channels, 4), ElementsAre(9, 7, 0));
    EXPECT_THAT(channel(*visual.pose, 0), ElementsAre(4, 5));
    EXPECT_EQ(visual.faces->data<float>()[0], 14);
}

TEST(AnimationConditioning, AReplacementKeepsTheBackgroundWhereTheMaskIsBlack) {
    VisualInputs given = inputs();
    given.background = numbered(3, {20, 21, 22, 23, 24, 25, 26, 27, 28});
    given.mask = numbered(1, {1, 1, 0, 1, 0, 0, 0, 1, 1});
    const VisualConditioning first =
        conditionOnSegment(given, geometry, segments, 0, std::nullopt, encodeByPicking);
    EXPECT_THAT(channel(*first.channels, 4), ElementsAre(9, 20, 21));
    // The first frame four times, then frames 1 to 4.
    EXPECT_THAT(channel(*first.channels, 0), ElementsAre(1, 0, 0));
    EXPECT_THAT(channel(*first.channels, 1), ElementsAre(1, 0, 1));
    EXPECT_THAT(channel(*first.channels, 2), ElementsAre(1, 0, 0));
    EXPECT_THAT(channel(*first.channels, 3), ElementsAre(1, 0, 1));
    const VisualConditioning second =
        conditionOnSegment(given, geometry, segments, 1, numbered(3, {7}), encodeByPicking);
    EXPECT_THAT(channel(*second.channels, 4), ElementsAre(9, 7, 25));
    EXPECT_THAT(channel(*second.channels, 0), ElementsAre(1, 1, 1));
    EXPECT_THAT(channel(*second.channels, 3), ElementsAre(1, 1, 0));
}

TEST(AnimationConditioning, TheCharacterKeepsItsFormOnBlack) {
    Tensor wide = Tensor::empty({10, 40, 3}, DType::U8);
    std::ranges::fill(wide.data<std::uint8_t>(), std::uint8_t{255});
    const Tensor pixels = characterPixels(wide, 16, 32);
    ASSERT_EQ(pixels.shape(), (Shape{1, 3, 1, 16, 32}));
    const auto row = [&](std::int64_t y) {
        return animationValues(pixels.reshaped({48, 32}).slice(y, y + 1));
    };
    EXPECT_THAT(row(3), Each(-1.0F));
    EXPECT_THAT(row(4), Each(1.0F));
    EXPECT_THAT(row(11), Each(1.0F));
    EXPECT_THAT(row(12), Each(-1.0F));
}

TEST(AnimationConditioning, GreyIsPillows) {
    const Tensor frames = Tensor::from<std::uint8_t>({1, 1, 3, 3}, {255, 255, 255, 0, 0, 0, 200, 10, 90});
    // (200 * 19595 + 10 * 38470 + 90 * 7471 + 32768) / 65536 = 76.4
    EXPECT_THAT(animationValues(greyOf(frames)), ElementsAre(1.0F, 0.0F, 76.0F / 255.0F));
}

}  // namespace
}  // namespace meshreel

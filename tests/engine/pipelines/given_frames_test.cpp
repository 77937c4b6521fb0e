// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/given_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine/estimates/video_shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr VideoGeometry clip{.frames = 9, .height = 8, .width = 8};

/// So many frames, all of one value.
Tensor flatFrames(std::int64_t frames, float value, std::int64_t side = 8) {
    return Tensor::filled({1, 3, frames, side, side}, value);
}

/// One value of each frame, of the first channel.
std::vector<float> valuesOfFrames(const Tensor& video) {
    std::vector<float> values;
    const auto area = static_cast<std::size_t>(video.extent(3) * video.extent(4));
    for (std::size_t frame = 0; frame < static_cast<std::size_t>(video.extent(2)); ++frame)
        values.push_back(video.data<float>()[frame * area]);
    return values;
}

std::vector<float> rowsOfMask(const Tensor& mask) {
    std::vector<float> rows;
    for (std::int64_t latent = 0; latent < mask.extent(2); ++latent)
        for (std::int64_t channel = 0; channel < 4; ++channel)
            rows.push_back(mask.data<float>()[static_cast<std::size_t>(channel * mask.extent(2) + latent)]);
    return rows;
}

TEST(GivenVideo, IsGreyElsewhere) {
    const Tensor video = givenVideo(
        {{.first = 2, .pixels = flatFrames(2, 0.5F)}, {.first = 8, .pixels = flatFrames(1, -1)}}, clip);
    EXPECT_EQ(video.shape(), (Shape{1, 3, 9, 8, 8}));
    EXPECT_THAT(valuesOfFrames(video), ElementsAre(0, 0, 0.5F, 0.5F, 0, 0, 0, 0, -1));
    EXPECT_EQ(video.data<float>()[(2 * 9 + 8) * 64 + 63], -1) << "all pixels of the last channel";
}

TEST(GivenMask, HasTheFirstFrameInFourRowsAndOthersInOne) {
    EXPECT_THAT(rowsOfMask(givenMask({{.first = 0, .pixels = flatFrames(1, 1)}}, clip, 1, 1)),
                ElementsAre(1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_THAT(rowsOfMask(givenMask(
                    {{.first = 0, .pixels = flatFrames(2, 1)}, {.first = 8, .pixels = flatFrames(1, 1)}},
                    clip, 1, 1)),
                ElementsAre(1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1));
}

TEST(GivenMask, MarksTheWholeLatentAsStronglyAsEachExpertIsTold) {
    const GivenFrames given{{.first = 4, .pixels = flatFrames(1, 1), .marks = {{0.75F, 0.25F}}}};
    EXPECT_THAT(rowsOfMask(givenMask(given, clip, 1, 1, 1)),
                ElementsAre(0, 0, 0, 0, 0.75F, 0.75F, 0.75F, 0.75F, 0, 0, 0, 0));
    EXPECT_THAT(rowsOfMask(givenMask(given, clip, 1, 1, 2)),
                ElementsAre(0, 0, 0, 0, 0.25F, 0.25F, 0.25F, 0.25F, 0, 0, 0, 0));
}

TEST(PutGiven, TakesTheFramesOutOfWhatIsMadeAnew) {
    Tensor video = flatFrames(9, 0.25F);
    Tensor mask = flatFrames(9, 1);
    putGiven({{.first = 3, .pixels = flatFrames(2, -1)}}, video, mask);
    EXPECT_THAT(valuesOfFrames(video), ElementsAre(0.25F, 0.25F, 0.25F, -1, -1, 0.25F, 0.25F, 0.25F, 0.25F));
    EXPECT_THAT(valuesOfFrames(mask), ElementsAre(1, 1, 1, 0, 0, 1, 1, 1, 1));
}

/// Latents whose values are the frames that they end with; remembers what it was given.
class CountingEncoder {
  public:
    [[nodiscard]] EncodeVideo function() {
        return [this](const Tensor& video) {
            seen.push_back(valuesOfFrames(video));
            const std::int64_t frames = (video.extent(2) - 1) / 4 + 1;
            std::vector<float> values;
            for (std::int64_t frame = 0; frame < frames; ++frame)
                values.push_back(seen.back()[static_cast<std::size_t>(4 * frame)]);
            return Tensor::from({1, 1, frames, 1, 1}, values);
        };
    }

    std::vector<std::vector<float>> seen;
};

TEST(EncodeGiven, AFrameBetweenTheEndsFollowsItself) {
    CountingEncoder encoder;
    const std::vector<GivenLatents> latents = encodeGiven({{.first = 0, .pixels = flatFrames(1, 1)},
                                                           {.first = 1, .pixels = flatFrames(1, 2)},
                                                           {.first = 8, .pixels = flatFrames(1, 3)}},
                                                          clip, encoder.function());
    EXPECT_THAT(encoder.seen, ElementsAre(ElementsAre(1), ElementsAre(2, 2, 2, 2, 2), ElementsAre(3)));
    ASSERT_EQ(latents.size(), 3U);
    EXPECT_EQ(latents[0].first, 0);
    EXPECT_EQ(latents[1].first, 1);
    EXPECT_EQ(latents[2].first, 2);
    for (const GivenLatents& each : latents)
        EXPECT_EQ(each.latents.extent(2), 1);
    const Tensor noise = Tensor::zeros({2, 1, 3, 1, 1});
    EXPECT_THAT(valuesOfFrames(withGiven(noise, latents)), ElementsAre(1, 2, 3));
    EXPECT_THAT(valuesOfFrames(withGiven(noise, {latents[1]}).slice(1, 2)), ElementsAre(0, 2, 0));
    EXPECT_THAT(valuesOfFrames(withGiven(noise, {})), Each(0));
}

TEST(EncodeGiven, SeveralAtTheBeginningAreEncodedTogether) {
    CountingEncoder encoder;
    const std::vector<GivenLatents> latents =
        encodeGiven({{.first = 0, .pixels = flatFrames(5, 1)}}, clip, encoder.function());
    ASSERT_EQ(latents.size(), 1U);
    EXPECT_EQ(latents.front().latents.extent(2), 2);
    EXPECT_THAT(encoder.seen, ElementsAre(ElementsAre(1, 1, 1, 1, 1)));
}

}  // namespace
}  // namespace meshreel

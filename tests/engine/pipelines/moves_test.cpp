// SPDX-License-Identifier: GPL-3.0-or-later
// What Wan-Move is given of a picture's latents. `meshreel verify` compares it with upstream's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/estimates/video_shape.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/pipelines/denoise.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/project/track_file.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/tensor_operations.h"
#include "tests/support/generated.h"
#include "tests/support/random_tensor.h"
#include "tests/support/random_wan.h"

namespace meshreel {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::randomTensor;
using testing::rowValues;

VideoGeometry geometryOfMoves(std::int64_t frames) {
    return {.frames = frames, .height = 16, .width = 24, .spatialFactor = 8, .temporalFactor = 4};
}

/// Latents [1, 3, F, 2, 3] of a video of 16 x 24 pixels: the mean of each latent's first frame, in each
/// colour.
Tensor encodeMeans(const Tensor& video) {
    const std::int64_t frames = (video.extent(frameAxis) - 1) / 4 + 1;
    Tensor latents = Tensor::zeros({1, 3, frames, 2, 3});
    auto out = latents.data<float>().begin();
    for (std::int64_t colour = 0; colour < 3; ++colour)
        for (std::int64_t frame = 0; frame < frames; ++frame)
            for (std::int64_t row = 0; row < 2; ++row)
                for (std::int64_t column = 0; column < 3; ++column, ++out)
                    for (std::int64_t y = row * 8; y < row * 8 + 8; ++y)
                        for (std::int64_t x = column * 8; x < column * 8 + 8; ++x) {
                            const std::int64_t pixel =
                                ((colour * video.extent(frameAxis) + 4 * frame) * 16 + y) * 24 + x;
                            *out += video.data<float>()[static_cast<std::size_t>(pixel)] / 64;
                        }
    return latents;
}

TEST(FramedTracks, HaveAPlaceForEachFrameAndAreOutOfSightBehindTheirEnd) {
    const std::vector<PointTrack> tracks{{{1, 2}, {3, 4, false}, {5, 6}}, {{7, 8}}};
    const Tensor framed = framedTracks(tracks, 4);
    EXPECT_EQ(framed.shape(), (Shape{4, 2, 3}));
    EXPECT_THAT(rowValues(framed.slice(0, 1)), ElementsAre(1, 2, 1, 7, 8, 1));
    EXPECT_THAT(rowValues(framed.slice(1, 2)), ElementsAre(0, 0, 0, 0, 0, 0));
    EXPECT_THAT(rowValues(framed.slice(2, 3)), ElementsAre(5, 6, 1, 0, 0, 0));
    EXPECT_THAT(rowValues(framed.slice(3, 4)), Each(0.0F));
}

TEST(CopiedAlongTracks, TheLastTrackCountsWhereTwoMeet) {
    // Of 9 frames those of latents count: 0, 4 and 8.
    PointTrack first(9, {20, 3});
    first[0] = {4, 12};
    first[8] = {24, 3};  // beyond the right edge
    PointTrack second(9, {23.9F, 0});
    second[0] = {12, 1};
    PointTrack hidden(9, {1, 1});
    hidden[0].seen = false;
    const Tensor latents = randomTensor({1, 2, 3, 2, 3}, 1);
    const Tensor moved =
        copiedAlongTracks(latents, framedTracks({first, second, hidden}, 9), geometryOfMoves(9));
    const auto at = [](const Tensor& tensor, std::int64_t channel, std::int64_t frame, std::int64_t row,
                       std::int64_t column) {
        return tensor.data<float>()[static_cast<std::size_t>(((channel * 3 + frame) * 2 + row) * 3 + column)];
    };
    for (std::int64_t channel = 0; channel < 2; ++channel)
        for (std::int64_t frame = 0; frame < 3; ++frame)
            for (std::int64_t row = 0; row < 2; ++row)
                for (std::int64_t column = 0; column < 3; ++column) {
                    const bool isMoved = frame > 0 && row == 0 && column == 2;
                    EXPECT_EQ(
                        at(moved, channel, frame, row, column),
                        isMoved ? at(latents, channel, 0, 0, 1) : at(latents, channel, frame, row, column))
                        << channel << " " << frame << " " << row << " " << column;
                }
}

TEST(ConditionOnMoves, ThePromptSeesThePictureAlongTracksAndTheNegativePromptDoesNot) {
    VisualInputs inputs;
    inputs.image = randomTensor({1, 3, 1, 16, 24}, 1);
    inputs.imageTokens = randomTensor({1, 5, 4}, 2);
    PointTrack track(9, {20, 3});
    track[0] = {4, 12};
    inputs.tracks = framedTracks({track}, 9);
    const VisualConditioning moved =
        conditionOn(WanTask::MoveToVideo, false, inputs, geometryOfMoves(9), encodeMeans);
    const VisualConditioning still =
        conditionOn(WanTask::ImageToVideo, false, inputs, geometryOfMoves(9), encodeMeans);
    ASSERT_TRUE(moved.negativeChannels);
    EXPECT_EQ(rowValues(*moved.negativeChannels), rowValues(*still.channels));
    EXPECT_TRUE(moved.imageTokens);
    const auto part = [](const Tensor& channels, std::int64_t first, std::int64_t end) {
        return rowValues(sliced(channels, channelAxis, first, end));
    };
    EXPECT_EQ(part(*moved.channels, 0, 4), part(*still.channels, 0, 4)) << "the mask stays";
    EXPECT_EQ(part(*moved.channels, 4, 7),
              rowValues(copiedAlongTracks(sliced(*still.channels, channelAxis, 4, 7), *inputs.tracks,
                                          geometryOfMoves(9))));
    EXPECT_NE(part(*moved.channels, 4, 7), part(*still.channels, 4, 7));

    const Tensor latents = randomTensor({2, 3, 3, 2, 3}, 3);
    EXPECT_EQ(rowValues(sliced(modelLatents(moved, latents), channelAxis, 3, 10)),
              rowValues(repeated(*moved.channels, 2)));
    EXPECT_EQ(rowValues(sliced(modelLatents(moved, latents, true), channelAxis, 3, 10)),
              rowValues(repeated(*moved.negativeChannels, 2)));
}

TEST(ConditionOnMoves, TracksGoOnFromTheLastFrameOfTheClipBefore) {
    VisualInputs inputs;
    inputs.image = randomTensor({1, 3, 5, 16, 24}, 1);  // of nine
    PointTrack track(5, {20, 3});
    track[0] = {4, 12};
    inputs.tracks = framedTracks({track}, 5);
    const VisualConditioning visual =
        conditionOn(WanTask::MoveToVideo, false, inputs, geometryOfMoves(9), encodeMeans);
    const Tensor begin = encodeMeans(sliced(*inputs.image, frameAxis, 4, 5));
    const auto place = [](const Tensor& latents, std::int64_t channel, std::int64_t frame, std::int64_t row,
                          std::int64_t column) {
        const std::int64_t plane = channel * latents.extent(frameAxis) + frame;
        return latents.data<float>()[static_cast<std::size_t>((plane * 2 + row) * 3 + column)];
    };
    for (std::int64_t colour = 0; colour < 3; ++colour) {
        EXPECT_EQ(place(*visual.channels, 4 + colour, 2, 0, 2), place(begin, colour, 0, 1, 0));
        EXPECT_EQ(place(*visual.negativeChannels, 4 + colour, 2, 0, 2), 0.0F) << "grey";
        for (std::int64_t frame = 0; frame < 2; ++frame)
            EXPECT_EQ(place(*visual.channels, 4 + colour, frame, 0, 2),
                      place(*visual.negativeChannels, 4 + colour, frame, 0, 2))
                << "what is given stays";
    }
}

/// Prompt and negative prompt see other channels: each half is a pass of its own.
TEST(MoveGuidance, EachHalfIsPredictedFromItsOwnChannels) {
    const WanTransformerConfig config{.heads = 2,
                                      .headDim = 16,
                                      .inChannels = 10,
                                      .outChannels = 4,
                                      .textDim = 12,
                                      .freqDim = 16,
                                      .ffnDim = 24,
                                      .layers = 2};
    const testing::RandomWan random(config, 5);
    const WanTransformer transformer(config, random.checkpoint(), planAttentions({}, config));
    WorkerPool pool({.workers = 1});
    LoneDevice lone({pool, {}});
    VisualConditioning visual;
    visual.channels = randomTensor({1, 6, 3, 4, 4}, 1);
    visual.negativeChannels = randomTensor({1, 6, 3, 4, 4}, 2);
    const Tensor latents = randomTensor({2, 4, 3, 4, 4}, 3);
    const TextConditioning text{randomTensor({2, 6, 12}, 4), randomTensor({2, 6, 12}, 5)};
    SchedulerConfig schedulerConfig;
    schedulerConfig.className = "FlowMatchEulerDiscreteScheduler";
    const auto scheduler = makeScheduler(schedulerConfig);
    scheduler->setTimesteps(2);
    StepPrediction prediction;
    static_cast<void>(denoise(lone.device(), transformer, *scheduler, text, visual,
                              {.guidanceScale = 5, .endStep = 1}, latents.clone(),
                              [&](const DenoiseStep& done) { prediction = done.prediction; }));
    ASSERT_TRUE(prediction.uncond);
    const auto predicted = [&](std::int64_t video, const Tensor& channels, const Tensor& prompts) {
        const auto time = static_cast<float>(scheduler->timesteps().front());
        const WanInputs inputs{.latents = joined({latents.slice(video, video + 1), channels}, channelAxis),
                               .timesteps = Tensor::from({1}, std::vector<float>{time})};
        return rowValues(
            transformer.forward(lone.device(), inputs, {.text = prompts.slice(video, video + 1)}));
    };
    for (std::int64_t video = 0; video < 2; ++video) {
        EXPECT_EQ(rowValues(prediction.cond.slice(video, video + 1)),
                  predicted(video, *visual.channels, text.prompt));
        EXPECT_EQ(rowValues(prediction.uncond->slice(video, video + 1)),
                  predicted(video, *visual.negativeChannels, *text.negative));
    }
}

}  // namespace
}  // namespace meshreel

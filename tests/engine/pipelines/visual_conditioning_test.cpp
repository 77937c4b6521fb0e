// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/pipelines/given_frames.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/tensor/tensor_operations.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<float> visualValues(const Tensor& tensor) {
    const auto values = tensor.data<float>();
    return {values.begin(), values.end()};
}

Tensor counted(const Shape& shape) {
    Tensor tensor = Tensor::empty(shape);
    std::iota(tensor.data<float>().begin(), tensor.data<float>().end(), 0.0F);
    return tensor;
}

VideoGeometry smallGeometry() {
    return {.frames = 9, .height = 16, .width = 16, .spatialFactor = 8, .temporalFactor = 4};
}

TEST(VisualOfWindow, EachPartHasTheWindowsFrames) {
    VisualConditioning visual;  // of a reference and five frames
    visual.channels = counted({1, 1, 6, 1, 1});
    visual.control = counted({1, 1, 6, 1, 1});
    visual.pose = counted({1, 1, 5, 1, 1});
    visual.faces = counted({1, 1, 17, 1, 1});
    ContextWindows windows{.frames = 5, .length = 3, .overlap = 1, .leading = 1};
    VisualConditioning seen = visualOfWindow(visual, windows.placed({2, 3, 4}), windows);
    EXPECT_THAT(visualValues(*seen.channels), ElementsAre(0, 3, 4, 5));
    EXPECT_THAT(visualValues(*seen.control), ElementsAre(0, 3, 4, 5));
    EXPECT_THAT(visualValues(*seen.pose), ElementsAre(2, 3, 4));
    EXPECT_FALSE(seen.faces) << "their motion is encoded once, and cut";
    windows.retainsFirst = true;
    seen = visualOfWindow(visual, windows.placed({3, 4, 0}), windows);
    EXPECT_THAT(visualValues(*seen.channels), ElementsAre(0, 1, 5, 1));
    EXPECT_THAT(visualValues(*seen.control), ElementsAre(0, 4, 5, 1));
}

TEST(FacesOfWindow, AreOneOfTheFirstLatentAndAllOfOthers) {
    const ContextWindows windows{.frames = 5, .length = 3, .overlap = 1, .leading = 1};
    EXPECT_THAT(facesOfWindow(windows.placed({2, 3, 4})), ElementsAre(8, 9, 10, 11, 12, 13, 14, 15, 16));
    EXPECT_THAT(facesOfWindow(windows.placed({0, 2, 4})), ElementsAre(0, 5, 6, 7, 8, 13, 14, 15, 16));
}

TEST(VisualOfExpert, TheSecondHasChannelsOfItsOwnWhereTheyDiffer) {
    VisualConditioning visual;
    visual.channels = counted({1, 1, 2, 1, 1});
    EXPECT_THAT(visualValues(*visualOfExpert(visual, 2).channels), ElementsAre(0, 1));
    visual.secondChannels = Tensor::filled({1, 1, 2, 1, 1}, 7);
    EXPECT_THAT(visualValues(*visualOfExpert(visual, 1).channels), ElementsAre(0, 1));
    EXPECT_THAT(visualValues(*visualOfExpert(visual, 2).channels), ElementsAre(7, 7));
}

TEST(FoldedMask, EveryPixelOfALatentIsAChannel) {
    VideoGeometry geometry = smallGeometry();
    geometry.spatialFactor = 2;
    const Tensor folded = foldedMask(counted({1, 1, 1, 2, 4}), geometry);
    EXPECT_EQ(folded.shape(), (Shape{1, 4, 1, 1, 2}));
    EXPECT_THAT(visualValues(folded), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
}

TEST(FoldedMask, FramesAreTheNearestOnes) {
    VideoGeometry geometry = smallGeometry();
    geometry.spatialFactor = 1;
    // 9 frames to 3: the middles lie at 1.5, 4.5 and 7.5.
    EXPECT_THAT(visualValues(foldedMask(counted({1, 1, 9, 1, 1}), geometry)), ElementsAre(1, 4, 7));
}

TEST(Letterboxed, IsCentredOnWhite) {
    Tensor image = Tensor::zeros({1, 1, 1, 2, 2});
    const Tensor boxed = letterboxed(image, 2, 4);
    EXPECT_THAT(visualValues(boxed), ElementsAre(1, 0, 0, 1, 1, 0, 0, 1));
}

/// Encodes 8 × 8 pixels of a frame to their first, frames 0, 4, 8, …; remembers what it was given.
class FakeEncoder {
  public:
    [[nodiscard]] EncodeVideo function() {
        return [this](const Tensor& video) {
            seen.push_back(video);
            const std::int64_t frames = (video.extent(2) - 1) / 4 + 1;
            Tensor latents = Tensor::empty({1, 3, frames, video.extent(3) / 8, video.extent(4) / 8});
            auto out = latents.data<float>().begin();
            for (std::int64_t colour = 0; colour < 3; ++colour)
                for (std::int64_t frame = 0; frame < frames; ++frame)
                    for (std::int64_t y = 0; y < video.extent(3); y += 8)
                        for (std::int64_t x = 0; x < video.extent(4); x += 8)
                            *out++ = video.data<float>()[static_cast<std::size_t>(
                                ((colour * video.extent(2) + 4 * frame) * video.extent(3) + y) *
                                    video.extent(4) +
                                x)];
            return latents;
        };
    }

    std::vector<Tensor> seen;
};

TEST(ConditionOn, AnImageStandsBeforeGreyFrames) {
    FakeEncoder encoder;
    VisualInputs inputs;
    inputs.image = testing::randomTensor({1, 3, 1, 16, 16}, 1);
    const VisualConditioning visual =
        conditionOn(WanTask::ImageToVideo, false, inputs, smallGeometry(), encoder.function());
    ASSERT_EQ(encoder.seen.size(), 1U);
    EXPECT_EQ(encoder.seen.front().shape(), (Shape{1, 3, 9, 16, 16}));
    EXPECT_EQ(visualValues(sliced(encoder.seen.front(), 2, 0, 1)), visualValues(*inputs.image));
    EXPECT_THAT(visualValues(sliced(encoder.seen.front(), 2, 1, 9)), Each(0.0F));
    ASSERT_TRUE(visual.channels);
    EXPECT_EQ(visual.channels->shape(), (Shape{1, 4 + 3, 3, 2, 2}));

    const Tensor latents = testing::randomTensor({2, 5, 3, 2, 2}, 2);
    const Tensor given = modelLatents(visual, latents);
    EXPECT_EQ(given.shape(), (Shape{2, 5 + 7, 3, 2, 2}));
    EXPECT_EQ(visualValues(sliced(given, 1, 0, 5)), visualValues(latents));
    EXPECT_EQ(visualValues(sliced(given, 1, 5, 12).slice(1, 2)), visualValues(*visual.channels));
    EXPECT_EQ(visualValues(finishedLatents(visual, 0, latents)), visualValues(latents));
}

TEST(ConditionOn, TheLastImageEndsTheVideo) {
    FakeEncoder encoder;
    VisualInputs inputs;
    inputs.image = testing::randomTensor({1, 3, 1, 16, 16}, 1);
    inputs.lastImage = testing::randomTensor({1, 3, 1, 16, 16}, 2);
    static_cast<void>(
        conditionOn(WanTask::FirstLastFrame, false, inputs, smallGeometry(), encoder.function()));
    EXPECT_EQ(visualValues(sliced(encoder.seen.front(), 2, 8, 9)), visualValues(*inputs.lastImage));
}

TEST(ConditionOn, AFrameBetweenTheEndsIsMarkedForEachExpert) {
    FakeEncoder encoder;
    VisualInputs inputs;
    inputs.given = {
        {.first = 0, .pixels = testing::randomTensor({1, 3, 1, 16, 16}, 1)},
        {.first = 4, .pixels = testing::randomTensor({1, 3, 1, 16, 16}, 2), .marks = {{0.75F, 0.25F}}}};
    const VisualConditioning visual =
        conditionOn(WanTask::KeyframesToVideo, false, inputs, smallGeometry(), encoder.function());
    ASSERT_EQ(encoder.seen.size(), 1U) << "both experts get the same latents";
    EXPECT_EQ(visualValues(sliced(encoder.seen.front(), 2, 4, 5)), visualValues(inputs.given[1].pixels));
    ASSERT_TRUE(visual.secondChannels);
    const auto maskOf = [](const Tensor& channels) { return sliced(sliced(channels, 1, 0, 4), 2, 1, 2); };
    EXPECT_THAT(visualValues(maskOf(*visual.channels)), Each(0.75F));
    EXPECT_THAT(visualValues(maskOf(*visual.secondChannels)), Each(0.25F));
    EXPECT_EQ(visualValues(sliced(*visual.channels, 1, 4, 7)),
              visualValues(sliced(*visual.secondChannels, 1, 4, 7)));
}

/// Where the plan puts the subjects of tests.
constexpr std::int64_t subjectsAt = 3;
std::vector<GroupShape> subjectGroup(std::int64_t pictures) {
    return {{.name = "subjects", .latents = {1, 3, pictures, 2, 2}, .firstFrame = subjectsAt}};
}

TEST(ConditionOn, SubjectsAreATokenGroupInTheirOrder) {
    FakeEncoder encoder;
    VisualInputs inputs;
    for (const std::uint32_t seed : {1U, 2U})
        inputs.references.push_back(testing::randomTensor({1, 3, 1, 16, 16}, seed));
    const VisualConditioning visual = conditionOn(WanTask::SubjectsToVideo, false, inputs, smallGeometry(),
                                                  encoder.function(), subjectGroup(2));
    ASSERT_EQ(encoder.seen.size(), 2U) << "each by itself";
    ASSERT_EQ(visual.groups.size(), 1U);
    const Tensor& subjects = visual.groups.front().latents;
    EXPECT_EQ(subjects.shape(), (Shape{1, 3, 2, 2, 2}));
    EXPECT_EQ(visual.groups.front().firstFrame, subjectsAt);
    FakeEncoder again;
    EXPECT_EQ(visualValues(sliced(subjects, 2, 1, 2)),
              visualValues(again.function()(inputs.references.back())));

    const Tensor latents = testing::randomTensor({2, 3, 3, 2, 2}, 3);  // of two videos
    EXPECT_EQ(visualValues(modelLatents(visual, latents)), visualValues(latents));
    EXPECT_EQ(visualValues(finishedLatents(visual, 0, latents)), visualValues(latents));
    const std::vector<TokenGroup> given = modelGroups(visual, 2, 1);
    ASSERT_EQ(given.size(), 1U);
    EXPECT_EQ(given.front().firstFrame, subjectsAt);
    for (std::int64_t video = 0; video < 2; ++video)
        EXPECT_EQ(visualValues(given.front().latents.slice(video, video + 1)), visualValues(subjects));
    const std::vector<TokenGroup> blank = modelGroups(visual, 2, 0);
    EXPECT_EQ(blank.front().latents.shape(), given.front().latents.shape());
    EXPECT_THAT(visualValues(blank.front().latents), Each(0.0F));
}

TEST(ConditionOn, WhatNoisesLatentsBeginsWithThoseOfTheClipBefore) {
    VisualInputs inputs;
    inputs.clip = testing::randomTensor({1, 3, 5, 16, 16}, 1);
    inputs.video = testing::randomTensor({1, 3, 9, 16, 16}, 2);
    inputs.references = {testing::randomTensor({1, 3, 1, 16, 16}, 3)};
    for (const WanTask task : {WanTask::TextToVideo, WanTask::SubjectsToVideo, WanTask::VideoToVideo}) {
        SCOPED_TRACE(rowOf(task).name);
        FakeEncoder encoder;
        inputs.clipLatents.reset();
        const VisualConditioning encoded =
            conditionOn(task, false, inputs, smallGeometry(), encoder.function(), subjectGroup(1));
        ASSERT_TRUE(encoded.begun);
        EXPECT_EQ(visualValues(*encoded.begun), visualValues(encoder.function()(*inputs.clip)));
        inputs.clipLatents = testing::randomTensor({1, 3, 2, 2, 2}, 4);
        const VisualConditioning kept =
            conditionOn(task, false, inputs, smallGeometry(), encoder.function(), subjectGroup(1));
        EXPECT_EQ(visualValues(*kept.begun), visualValues(*inputs.clipLatents));

        const Tensor latents = testing::randomTensor({2, 3, 3, 2, 2}, 5);  // of two videos
        const Tensor made = finishedLatents(kept, 0, latents);
        ASSERT_EQ(made.extent(2), 3);
        EXPECT_EQ(visualValues(sliced(made, 2, 0, 2).slice(1, 2)), visualValues(*inputs.clipLatents));
        EXPECT_EQ(visualValues(sliced(made, 2, 2, 3)), visualValues(sliced(latents, 2, 2, 3)));
    }
}

TEST(ConditionOn, TracksGoOnFromTheLastFrameOfTheClipBefore) {
    VideoGeometry geometry = smallGeometry();
    geometry.frames = 13;
    VisualInputs inputs;
    inputs.image = testing::randomTensor({1, 3, 5, 16, 16}, 1);
    inputs.tracks = Tensor::zeros({9, 1, 3});  // from that frame on: seen in the middle
    for (std::int64_t frame = 0; frame < 9; ++frame)
        inputs.tracks->data<float>()[static_cast<std::size_t>(frame * 3 + 2)] = 1;
    FakeEncoder encoder;
    const VisualConditioning visual =
        conditionOn(WanTask::TracksToVideo, false, inputs, geometry, encoder.function());
    ASSERT_EQ(encoder.seen.size(), 2U);
    const Tensor whole = encoder.seen[0];
    EXPECT_EQ(visualValues(sliced(whole, 2, 0, 5)), visualValues(*inputs.image));
    EXPECT_THAT(visualValues(sliced(whole, 2, 5, 13)), Each(0.0F));
    EXPECT_EQ(visualValues(encoder.seen[1]), visualValues(sliced(*inputs.image, 2, 4, 5)));

    // The clip's two latents are known; what moves behind them is as if a video began with its last frame.
    ASSERT_EQ(visual.channels->shape(), (Shape{1, 4 + 3, 4, 2, 2}));
    const Tensor known = sliced(*visual.channels, 2, 0, 2);
    EXPECT_THAT(visualValues(sliced(known, 1, 0, 4)), Each(1.0F));
    EXPECT_EQ(visualValues(sliced(known, 1, 4, 7)), visualValues(sliced(encoder.function()(whole), 2, 0, 2)));
    VisualInputs alone = inputs;
    alone.image = sliced(*inputs.image, 2, 4, 5);
    const VisualConditioning fresh =
        conditionOn(WanTask::TracksToVideo, false, alone, smallGeometry(), encoder.function());
    EXPECT_EQ(visualValues(sliced(*visual.channels, 2, 2, 4)),
              visualValues(sliced(*fresh.channels, 2, 1, 3)));
}

TEST(ConditionOn, KeyframesStandBehindTheClipBefore) {
    VisualInputs inputs;
    inputs.given = {{.first = 0, .pixels = testing::randomTensor({1, 3, 5, 16, 16}, 1)},
                    {.first = 8, .pixels = testing::randomTensor({1, 3, 1, 16, 16}, 2)}};
    FakeEncoder encoder;
    const VisualConditioning masked =
        conditionOn(WanTask::KeyframesToVideo, false, inputs, smallGeometry(), encoder.function());
    const Tensor mask = sliced(*masked.channels, 1, 0, 4);
    EXPECT_THAT(visualValues(sliced(mask, 2, 0, 2)), Each(1.0F));
    EXPECT_THAT(visualValues(sliced(sliced(mask, 1, 0, 3), 2, 2, 3)), Each(0.0F));
    EXPECT_THAT(visualValues(sliced(sliced(mask, 1, 3, 4), 2, 2, 3)), Each(1.0F)) << "the last frame";
    const VisualConditioning timed =
        conditionOn(WanTask::KeyframesToVideo, true, inputs, smallGeometry(), encoder.function());
    ASSERT_EQ(timed.given.size(), 2U);
    EXPECT_EQ(timed.given[0].latents.extent(2), 2);
    EXPECT_EQ(timed.given[1].first, 2);
}

TEST(ConditionOn, OfTokensWithTimestepsTheFirstFrameStays) {
    FakeEncoder encoder;
    VisualInputs inputs;
    inputs.image = testing::randomTensor({1, 3, 1, 16, 16}, 1);
    const VisualConditioning visual =
        conditionOn(WanTask::ImageToVideo, true, inputs, smallGeometry(), encoder.function());
    ASSERT_EQ(visual.given.size(), 1U);
    const Tensor latents = testing::randomTensor({1, 3, 3, 2, 2}, 2);
    for (const Tensor& made : {modelLatents(visual, latents), finishedLatents(visual, 0, latents)}) {
        EXPECT_EQ(visualValues(sliced(made, 2, 0, 1)), visualValues(visual.given.front().latents));
        EXPECT_EQ(visualValues(sliced(made, 2, 1, 3)), visualValues(sliced(latents, 2, 1, 3)));
    }
    EXPECT_THAT(visualValues(tokenTimesteps(2, 3, 6, 500, visual.given)),
                ElementsAre(0, 0, 500, 500, 500, 500, 0, 0, 500, 500, 500, 500));
}

TEST(ConditionOn, OfTokensWithTimestepsTheLastFrameStaysToo) {
    FakeEncoder encoder;
    VisualInputs inputs;
    inputs.image = testing::randomTensor({1, 3, 1, 16, 16}, 1);
    inputs.lastImage = testing::randomTensor({1, 3, 1, 16, 16}, 2);
    const VisualConditioning visual =
        conditionOn(WanTask::FirstLastFrame, true, inputs, smallGeometry(), encoder.function());
    ASSERT_EQ(visual.given.size(), 2U);
    const Tensor latents = testing::randomTensor({2, 3, 3, 2, 2}, 3);
    for (const Tensor& made : {modelLatents(visual, latents), finishedLatents(visual, 0, latents)}) {
        EXPECT_EQ(visualValues(sliced(made, 2, 0, 1).slice(1, 2)),
                  visualValues(visual.given.front().latents));
        EXPECT_EQ(visualValues(sliced(made, 2, 1, 2)), visualValues(sliced(latents, 2, 1, 2)));
        EXPECT_EQ(visualValues(sliced(made, 2, 2, 3).slice(1, 2)), visualValues(visual.given.back().latents));
    }
    EXPECT_THAT(visualValues(tokenTimesteps(1, 3, 6, 500, visual.given)), ElementsAre(0, 0, 500, 500, 0, 0));
}

TEST(ConditionOn, OfTokensWithTimestepsAnyFrameMayStay) {
    FakeEncoder encoder;
    VisualInputs inputs;
    inputs.given = {{.first = 1, .pixels = testing::randomTensor({1, 3, 4, 16, 16}, 1)}};
    const VisualConditioning visual =
        conditionOn(WanTask::KeyframesToVideo, true, inputs, smallGeometry(), encoder.function());
    ASSERT_EQ(visual.given.size(), 1U);
    EXPECT_EQ(encoder.seen.front().extent(2), 5) << "behind its first frame";
    const Tensor latents = testing::randomTensor({1, 3, 3, 2, 2}, 2);
    const Tensor made = finishedLatents(visual, 0, latents);
    EXPECT_EQ(visualValues(sliced(made, 2, 0, 1)), visualValues(sliced(latents, 2, 0, 1)));
    EXPECT_EQ(visualValues(sliced(made, 2, 1, 2)), visualValues(visual.given.front().latents));
    EXPECT_EQ(visualValues(sliced(made, 2, 2, 3)), visualValues(sliced(latents, 2, 2, 3)));
    EXPECT_THAT(visualValues(tokenTimesteps(1, 3, 6, 500, visual.given)),
                ElementsAre(500, 500, 0, 0, 500, 500));
}

TEST(ConditionOn, AnEditSplitsTheVideoAtItsMaskAndPutsReferencesInFront) {
    FakeEncoder encoder;
    VisualInputs inputs;
    inputs.video = testing::randomTensor({1, 3, 9, 16, 16}, 1);
    inputs.mask = Tensor::zeros({1, 3, 9, 16, 16});
    std::ranges::fill(inputs.mask->data<float>().first(9 * 16 * 16), 0.75F);  // red is made anew
    inputs.references = {testing::randomTensor({1, 3, 1, 16, 16}, 2),
                         testing::randomTensor({1, 3, 1, 16, 16}, 3)};
    const VisualConditioning visual =
        conditionOn(WanTask::VaceEditing, false, inputs, smallGeometry(), encoder.function());
    ASSERT_EQ(encoder.seen.size(), 4U);
    EXPECT_THAT(visualValues(sliced(encoder.seen[0], 1, 0, 1)), Each(0.0F));
    EXPECT_EQ(visualValues(sliced(encoder.seen[0], 1, 1, 3)), visualValues(sliced(*inputs.video, 1, 1, 3)));
    EXPECT_EQ(visualValues(sliced(encoder.seen[1], 1, 0, 1)), visualValues(sliced(*inputs.video, 1, 0, 1)));
    EXPECT_THAT(visualValues(sliced(encoder.seen[1], 1, 1, 3)), Each(0.0F));
    ASSERT_TRUE(visual.control);
    EXPECT_EQ(visual.control->shape(), (Shape{1, 3 + 3 + 64, 2 + 3, 2, 2}));
    // Of a reference, the last one first, only the inactive half is something.
    EXPECT_EQ(visual.control->data<float>()[0], inputs.references[1].data<float>()[0]);
    EXPECT_THAT(visualValues(sliced(sliced(*visual.control, 2, 0, 2), 1, 3, 70)), Each(0.0F));
    EXPECT_THAT(visualValues(sliced(sliced(*visual.control, 2, 2, 5), 1, 6, 70)), Each(0.75F));
    const Tensor sampled = testing::randomTensor({1, 3, 5, 2, 2}, 4);
    EXPECT_EQ(visualValues(modelLatents(visual, sampled)), visualValues(sampled));
    EXPECT_EQ(finishedLatents(visual, 2, sampled).shape(), (Shape{1, 3, 3, 2, 2}));
}

TEST(ConditionOn, AnEditIsGivenExactlyTheLatentsOfTheClipItContinues) {
    for (std::int64_t frames = 5; frames <= 121; frames += 4)
        for (std::int64_t shared = 1; shared < frames; shared += 4) {
            VideoGeometry geometry = smallGeometry();
            geometry.frames = frames;
            geometry.height = 8;
            geometry.width = 8;
            VisualInputs inputs;
            inputs.clip = Tensor::zeros({1, 3, shared, 8, 8});
            inputs.video = Tensor::zeros({1, 3, frames, 8, 8});
            inputs.mask = Tensor::filled({1, 3, frames, 8, 8}, 1);
            putGiven({{.first = 0, .pixels = *inputs.clip}}, *inputs.video, *inputs.mask);
            FakeEncoder encoder;
            const VisualConditioning visual =
                conditionOn(WanTask::VaceEditing, false, inputs, geometry, encoder.function());
            const std::int64_t latents = (frames - 1) / 4 + 1;
            const std::int64_t given = (shared - 1) / 4 + 1;
            const Tensor marks = sliced(*visual.control, 1, 6, 70);
            ASSERT_EQ(marks.extent(2), latents);
            ASSERT_THAT(visualValues(sliced(marks, 2, 0, given)), Each(0.0F)) << shared << " of " << frames;
            ASSERT_THAT(visualValues(sliced(marks, 2, given, latents)), Each(1.0F))
                << shared << " of " << frames;
        }
}

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

TEST(AnimationConditioning, TheFirstOneBeginsWithTheClipBeforeAsLaterOnesWithTheSegment) {
    const VisualConditioning visual =
        conditionOnSegment(inputs(), geometry, segments, 0, numbered(3, {7}), encodeByPicking);
    for (std::int64_t mask = 0; mask < 4; ++mask)
        EXPECT_THAT(channel(*visual.channels, mask), ElementsAre(1, 1, 0));
    EXPECT_THAT(channel(*visual.channels, 4), ElementsAre(9, 7, 0));
    EXPECT_THAT(channel(*visual.pose, 0), ElementsAre(0, 1));
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

TEST(SpeechConditioning, TheFirstClipSeesThePictureAlone) {
    VisualInputs given;
    given.image = numbered(3, {9});
    given.sound = counted({1, 2, 3, 160});
    const VisualConditioning visual =
        conditionOnClip(given, planSpeechClips(100), 0, std::nullopt, encodeByPicking);
    ASSERT_EQ(visual.groups.size(), 1U);
    EXPECT_EQ(visual.groups.front().firstFrame, 30);
    EXPECT_THAT(channel(visual.groups.front().latents, 0), ElementsAre(9));
    EXPECT_EQ(visual.pose->shape(), (Shape{1, 1, 20, 2, 2}));
    EXPECT_THAT(visualValues(*visual.pose), Each(0.0F));
    ASSERT_EQ(visual.sound->shape(), (Shape{1, 2, 3, 80}));
    EXPECT_EQ(visual.sound->data<float>()[80], 160);

    const Tensor finished = finishedLatents(visual, 0, counted({1, 1, 20, 2, 2}));
    ASSERT_EQ(finished.extent(2), 39);
    std::vector<float> lead = channel(finished, 0);
    lead.resize(19);
    EXPECT_EQ(lead.back(), 9);
    lead.pop_back();
    EXPECT_THAT(lead, Each(0.0F));
}

TEST(SpeechConditioning, LaterClipsSeeTheMotionBefore) {
    VisualInputs given;
    given.image = numbered(3, {9});
    given.sound = counted({1, 2, 3, 160});
    std::vector<float> frames(73);
    std::iota(frames.begin(), frames.end(), 0.0F);
    const VisualConditioning visual =
        conditionOnClip(given, planSpeechClips(100), 1, numbered(3, frames), encodeByPicking);
    ASSERT_EQ(visual.groups.size(), 2U);
    EXPECT_EQ(visual.groups[1].embedding, PatchEmbedding::Motion);
    EXPECT_EQ(visual.groups[1].latents.extent(2), 19);
    EXPECT_EQ(channel(finishedLatents(visual, 0, counted({1, 1, 20, 2, 2})), 0)[18], 69);
    EXPECT_EQ(visual.sound->data<float>()[0], 80);
    EXPECT_EQ(modelGroups(visual, 1, 2)[1].embedding, PatchEmbedding::Motion);
}

TEST(SpeechConditioning, PosesStandStillBeforeTheVideoAndAreBlackBehindTheirEnd) {
    const Tensor pose = numbered(3, {5, 6, 7});
    const std::vector<float> first = channel(posesOfClip(pose, planSpeechClips(100), 0), 0);
    ASSERT_EQ(first.size(), 81U);
    EXPECT_THAT(std::vector(first.begin(), first.begin() + 8), ElementsAre(5, 5, 5, 5, 5, 6, 7, -1));
    EXPECT_EQ(first.back(), -1);
    EXPECT_THAT(channel(posesOfClip(pose, planSpeechClips(100), 1), 0), Each(-1.0F));
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
    EXPECT_THAT(animationValues(toGrey(frames)), ElementsAre(1.0F, 0.0F, 76.0F / 255.0F));
}

}  // namespace

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
// What Fun Control is given. `meshreel verify` compares its channels with upstream's.
#include "engine/pipelines/control_conditioning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/tensor/tensor_operations.h"
#include "tests/support/generated.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using ::testing::Each;
using testing::randomTensor;
using testing::rowValues;

constexpr VideoGeometry controlGeometry{
    .frames = 9, .height = 16, .width = 24, .spatialFactor = 8, .temporalFactor = 4};

/// Latents [1, 3, F, 2, 3]: a pixel of each latent's first frame.
Tensor encodeCorners(const Tensor& video) {
    const std::int64_t frames = (video.extent(frameAxis) - 1) / 4 + 1;
    Tensor latents = Tensor::empty({1, 3, frames, 2, 3});
    auto out = latents.data<float>().begin();
    for (std::int64_t colour = 0; colour < 3; ++colour)
        for (std::int64_t frame = 0; frame < frames; ++frame)
            for (std::int64_t row = 0; row < 2; ++row)
                for (std::int64_t column = 0; column < 3; ++column) {
                    const std::int64_t line = (colour * video.extent(frameAxis) + 4 * frame) * 16 + row * 8;
                    *out++ = video.data<float>()[static_cast<std::size_t>(line * 24 + column * 8)];
                }
    return latents;
}

VisualInputs controlledInputs() {
    VisualInputs inputs;
    inputs.video = randomTensor({1, 3, 9, 16, 24}, 1);
    inputs.image = randomTensor({1, 3, 1, 16, 24}, 2);
    return inputs;
}

std::vector<GroupShape> oneReference() {
    return {{.name = "reference",
             .latents = {1, 3, 1, 2, 3},
             .firstFrame = -1,
             .embedding = PatchEmbedding::Reference}};
}

TEST(ControlConditioning, AFirstFrameIsGivenInEveryStepWhereTokensHaveTimes) {
    const VisualInputs inputs = controlledInputs();
    const VisualConditioning plain =
        conditionOnControl(inputs, controlGeometry, encodeCorners, {.marks = true}, {});
    EXPECT_TRUE(plain.given.empty());
    const VisualConditioning timed = conditionOnControl(inputs, controlGeometry, encodeCorners,
                                                        {.marks = true, .tokenTimesteps = true}, {});
    EXPECT_EQ(rowValues(*timed.channels), rowValues(*plain.channels));
    ASSERT_EQ(timed.given.size(), 1U);
    const Tensor first = encodeCorners(*inputs.image);
    EXPECT_EQ(rowValues(timed.given.front().latents), rowValues(first));

    const Tensor latents = randomTensor({1, 3, 3, 2, 3}, 3);
    const Tensor seen = modelLatents(timed, latents);
    EXPECT_EQ(seen.extent(channelAxis), 3 + 3 + 4 + 3);
    EXPECT_EQ(rowValues(sliced(sliced(seen, channelAxis, 0, 3), frameAxis, 0, 1)), rowValues(first));
    EXPECT_EQ(rowValues(sliced(seen, channelAxis, 3, 13)), rowValues(*timed.channels));
    EXPECT_EQ(rowValues(sliced(finishedLatents(timed, 0, latents), frameAxis, 0, 1)), rowValues(first));
    EXPECT_EQ(finishedLatents(timed, 0, latents).shape(), latents.shape()) << "without the channels";
}

TEST(ControlConditioning, WithoutAFirstFrameNothingIsGiven) {
    VisualInputs inputs = controlledInputs();
    inputs.image.reset();
    const VisualConditioning timed = conditionOnControl(inputs, controlGeometry, encodeCorners,
                                                        {.marks = true, .tokenTimesteps = true}, {});
    EXPECT_TRUE(timed.given.empty());
    EXPECT_THAT(rowValues(sliced(*timed.channels, channelAxis, 3, 10)), Each(0.0F));
}

TEST(ControlConditioning, AReferenceIsATokenGroupWithOrWithoutAPicture) {
    VisualInputs inputs = controlledInputs();
    const std::vector<GroupShape> groups = oneReference();
    const VisualConditioning none = conditionOnControl(inputs, controlGeometry, encodeCorners, {}, groups);
    ASSERT_EQ(none.groups.size(), 1U);
    EXPECT_THAT(rowValues(none.groups.front().latents), Each(0.0F));
    inputs.references = {randomTensor({1, 3, 1, 16, 24}, 4)};
    const VisualConditioning shown = conditionOnControl(inputs, controlGeometry, encodeCorners, {}, groups);
    EXPECT_EQ(rowValues(shown.groups.front().latents), rowValues(encodeCorners(inputs.references.front())));
    for (const TokenGroup& group : modelGroups(shown, 2, false)) {
        EXPECT_EQ(group.latents.extent(0), 2);
        EXPECT_EQ(group.firstFrame, -1);
        EXPECT_EQ(group.embedding, PatchEmbedding::Reference);
    }
}

TEST(TokenTimesteps, OfGroupsAreThoseOfTheStep) {
    const std::vector<GivenLatents> given{{.first = 0, .latents = Tensor::zeros({1, 3, 1, 2, 2})}};
    const Tensor times = tokenTimesteps(2, 3, 6, 250, given, 2);
    EXPECT_EQ(times.shape(), (Shape{2, 8}));
    const std::vector<float> ofVideo{0, 0, 250, 250, 250, 250, 250, 250};
    EXPECT_EQ(rowValues(times.slice(0, 1)), ofVideo);
    EXPECT_EQ(rowValues(times.slice(1, 2)), ofVideo);
}

}  // namespace
}  // namespace meshreel

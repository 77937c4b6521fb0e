// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/clip_chain.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine/estimates/video_shape.h"
#include "engine/pipelines/given_frames.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

TEST(ClipChain, GivesAnchorLastLatentAndZerosAndMarksTheAnchorAlone) {
    VisualInputs inputs;
    inputs.image = Tensor::filled({1, 3, 1, 8, 8}, 0.5F);
    inputs.clip = Tensor::filled({1, 3, 9, 8, 8}, 0.25F);
    const VideoGeometry geometry{.frames = 17, .height = 8, .width = 8};
    int calls = 0;
    const EncodeVideo encode = [&](const Tensor& video) {
        ++calls;
        const std::int64_t frames = (video.extent(frameAxis) - 1) / 4 + 1;
        return Tensor::filled({1, 2, frames, 1, 1}, video.data<float>().front());
    };
    const auto valuesOf = [](const VisualConditioning& visual) {
        const auto values = visual.channels->data<float>();
        return std::vector<float>(values.begin(), values.end());
    };
    const std::vector<float> next = valuesOf(conditionOnChain(inputs, geometry, encode));
    const std::vector<float> mask{1, 0, 0, 0, 0};
    const std::vector<float> latents{0.5F, 0.25F, 0, 0, 0};
    std::vector<float> expected;
    for (int channel = 0; channel < 4; ++channel)
        expected.insert(expected.end(), mask.begin(), mask.end());
    for (int channel = 0; channel < 2; ++channel)
        expected.insert(expected.end(), latents.begin(), latents.end());
    EXPECT_EQ(next, expected);
    EXPECT_EQ(calls, 2);
    inputs.clipLatents = Tensor::filled({1, 2, 1, 1, 1}, 0.75F);
    EXPECT_EQ(valuesOf(conditionOnChain(inputs, geometry, encode))[21], 0.75F) << "kept latents come first";
    EXPECT_EQ(calls, 3);
    inputs.clip.reset();
    inputs.clipLatents.reset();
    EXPECT_EQ(valuesOf(conditionOnChain(inputs, geometry, encode))[21], 0) << "a first clip has none before";
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens beside the video's. wan_mesh_test.cpp compares meshes and modes.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/base/error.h"
#include "engine/models/wan/token_sequence.h"
#include "engine/tensor/tensor_operations.h"
#include "tests/support/random_tensor.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

using testing::randomTensor;

/// Axis of latents [videos, channels, frames, rows, columns].
constexpr std::size_t groupFrameAxis = 2;

/// Two videos of three latent frames, on a small transformer.
class TokenGroups : public ::testing::Test {
  protected:
    static WanTransformerConfig config() {
        return {.heads = 2,
                .headDim = 16,
                .inChannels = 4,
                .outChannels = 4,
                .textDim = 12,
                .freqDim = 16,
                .ffnDim = 24,
                .layers = 2};
    }

    TokenGroups()
        : m_random(config(), 5),
          m_transformer(config(), m_random.checkpoint(), planAttentions({}, config())),
          m_pool({.workers = 1}),
          m_lone({m_pool, {}}) {}

    [[nodiscard]] Tensor predict(const WanInputs& inputs) {
        return m_transformer.forward(m_lone.device(), inputs, m_call.conditions);
    }

    [[nodiscard]] Tensor predictWith(const Tensor& group, std::int64_t firstFrame) {
        WanInputs inputs = m_call.inputs;
        inputs.groups = {{.latents = group, .firstFrame = firstFrame}};
        return predict(inputs);
    }

    static bool haveSameBits(const Tensor& one, const Tensor& other) {
        return one.shape() == other.shape() && std::ranges::equal(one.data<float>(), other.data<float>());
    }

    testing::RandomWan m_random;
    WanTransformer m_transformer;
    WorkerPool m_pool;
    LoneDevice m_lone;
    testing::WanCall m_call = testing::WanCall::random(config(), {2, 3, 4, 6}, 5, 8);
};

TEST_F(TokenGroups, BehindTheVideoAreMoreFramesOfWhichNothingIsPredicted) {
    const Tensor behind = randomTensor({2, 4, 2, 4, 6}, 3);
    WanInputs longer = m_call.inputs;
    longer.latents = joined({m_call.inputs.latents, behind}, groupFrameAxis);
    const Tensor expected = sliced(predict(longer), groupFrameAxis, 0, 3);
    EXPECT_TRUE(haveSameBits(predictWith(behind, 3), expected));

    WanInputs two = m_call.inputs;
    two.groups = {{.latents = sliced(behind, groupFrameAxis, 0, 1), .firstFrame = 3},
                  {.latents = sliced(behind, groupFrameAxis, 1, 2), .firstFrame = 4}};
    EXPECT_TRUE(haveSameBits(predict(two), expected)) << "or of one group after the other";
}

TEST_F(TokenGroups, OfAnotherSizeChangeTheVideoAndNotItsShape) {
    const Tensor small = randomTensor({2, 4, 1, 2, 10}, 3);
    const Tensor found = predictWith(small, 0);
    EXPECT_EQ(found.shape(), m_call.inputs.latents.shape());
    EXPECT_FALSE(haveSameBits(found, predict(m_call.inputs)));
    EXPECT_FALSE(haveSameBits(predictWith(small, 1), found)) << "its place in time counts";
    EXPECT_FALSE(haveSameBits(predictWith(randomTensor({2, 4, 1, 2, 10}, 4), 0), found));
}

TEST_F(TokenGroups, ATimeForEachTokenIsOneForThoseOfGroupsToo) {
    const Tensor small = randomTensor({2, 4, 1, 2, 10}, 3);
    WanInputs inputs = m_call.inputs;
    inputs.groups = {{.latents = small, .firstFrame = 0}};
    const std::int64_t tokens = 3 * 2 * 3 + 1 * 1 * 5;
    inputs.timesteps = Tensor::empty({2, tokens});
    for (std::int64_t video = 0; video < 2; ++video)
        std::ranges::fill(inputs.timesteps.slice(video, video + 1).data<float>(),
                          m_call.inputs.timesteps.data<float>()[static_cast<std::size_t>(video)]);
    EXPECT_LE(testing::relativeError(predict(inputs), predictWith(small, 0)), 1e-5);
    inputs.timesteps = Tensor::zeros({2, tokens - 5});
    EXPECT_THROW(static_cast<void>(predict(inputs)), Error);
}

TEST_F(TokenGroups, ThatDoNotFitAreRefused) {
    EXPECT_THROW(static_cast<void>(predictWith(randomTensor({1, 4, 1, 4, 6}, 3), 0)), Error)
        << "of another number of videos";
    EXPECT_THROW(static_cast<void>(predictWith(randomTensor({2, 5, 1, 4, 6}, 3), 0)), Error)
        << "of other channels";
    EXPECT_THROW(static_cast<void>(predictWith(randomTensor({2, 4, 1, 3, 6}, 3), 0)), Error)
        << "of half a patch";
    EXPECT_THROW(static_cast<void>(predictWith(randomTensor({2, 4, 1, 4, 6}, 3), config().rotaryMaxLength)),
                 Error)
        << "beyond the positions that the model knows";
}

TEST_F(TokenGroups, AreCutWhereTheDevicesShare) {
    const WanPatches patches(config());
    WanInputs inputs = m_call.inputs;
    inputs.groups = {{.latents = randomTensor({2, 4, 1, 2, 10}, 3), .firstFrame = 7},
                     {.latents = randomTensor({2, 4, 2, 2, 2}, 4), .firstFrame = 0}};
    const TokenSequence sequence(patches, inputs.latents.shape(), inputs.groups);
    ASSERT_EQ(sequence.tokens(), 18 + 5 + 2);
    const Execution execution{m_pool, {}};
    const Tensor whole = sequence.cut(execution, patches, inputs, {0, sequence.tokens()});
    EXPECT_EQ(whole.shape(), (Shape{2, 25, 4 * 4}));
    const RotaryTable table = sequence.rotary(config().headDim, {0, sequence.tokens()});
    for (const ShardRange own :
         {ShardRange{0, 7}, ShardRange{16, 24}, ShardRange{19, 20}, ShardRange{23, 25}, ShardRange{25, 25}}) {
        EXPECT_TRUE(haveSameBits(sequence.cut(execution, patches, inputs, own), tokensOfEach(whole, own)))
            << own.begin;
        EXPECT_TRUE(
            haveSameBits(sequence.rotary(config().headDim, own).cos, table.cos.slice(own.begin, own.end)));
    }
    EXPECT_TRUE(haveSameBits(tokensOfEach(whole, {18, 23}),
                             patches.cut(execution, inputs.groups[0].latents, {0, 5})));
}

}  // namespace
}  // namespace meshreel

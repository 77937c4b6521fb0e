// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of a reference, which ref_conv makes. `meshreel verify` compares them with upstream's formulas;
// wan_mesh_test.cpp compares meshes and modes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/error.h"
#include "engine/models/wan/token_sequence.h"
#include "engine/tensor/tensor_operations.h"
#include "tests/support/random_tensor.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

using testing::randomTensor;

constexpr std::int64_t ofReference = 3;  // channels

class ReferenceGroups : public ::testing::Test {
  protected:
    static WanTransformerConfig config() {
        return {.heads = 2,
                .headDim = 16,
                .inChannels = 4,
                .outChannels = 4,
                .textDim = 12,
                .freqDim = 16,
                .ffnDim = 24,
                .layers = 2,
                .imageDim = 10,
                .addedKvDim = 32,
                .referenceChannels = ofReference};
    }

    ReferenceGroups()
        : m_random(config(), 5),
          m_transformer(config(), m_random.checkpoint(), planAttentions({}, config())),
          m_pool({.workers = 1}),
          m_lone({m_pool, {}}) {}

    [[nodiscard]] Tensor predict(const std::vector<TokenGroup>& groups) {
        WanInputs inputs = m_call.inputs;
        inputs.groups = groups;
        return m_transformer.forward(m_lone.device(), inputs, m_call.conditions);
    }

    static TokenGroup reference(std::uint32_t seed, std::int64_t channels = ofReference) {
        return {.latents = randomTensor({2, channels, 1, 4, 6}, seed),
                .firstFrame = -1,
                .embedding = PatchEmbedding::Reference};
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

TEST_F(ReferenceGroups, ShowThePictureAndKeepTheVideosShape) {
    const Tensor found = predict({reference(1)});
    EXPECT_EQ(found.shape(), m_call.inputs.latents.shape());
    EXPECT_FALSE(haveSameBits(found, predict({})));
    EXPECT_FALSE(haveSameBits(found, predict({reference(2)})));
    TokenGroup later = reference(1);
    later.firstFrame = 3;
    EXPECT_FALSE(haveSameBits(found, predict({later}))) << "its place in time counts";
}

TEST_F(ReferenceGroups, AFrameBeforeTheVideoMovesItOn) {
    const Tensor before = randomTensor({2, 4, 1, 4, 6}, 3);
    WanInputs longer = m_call.inputs;
    constexpr std::size_t frames = 2;
    longer.latents = joined({before, m_call.inputs.latents}, frames);
    const Tensor whole = m_transformer.forward(m_lone.device(), longer, m_call.conditions);
    EXPECT_LE(
        testing::relativeError(predict({{.latents = before, .firstFrame = -1}}), sliced(whole, frames, 1, 4)),
        1e-5)
        << "as the first of four frames";
}

TEST_F(ReferenceGroups, AreCutWhereTheDevicesShare) {
    const WanPatches patches(config());
    WanInputs inputs = m_call.inputs;
    inputs.groups = {{.latents = randomTensor({2, 4, 1, 2, 10}, 3), .firstFrame = 0}, reference(4)};
    const TokenSequence sequence(patches, inputs.latents.shape(), inputs.groups);
    ASSERT_EQ(sequence.tokens(), 18 + 5 + 6);
    EXPECT_EQ(sequence.video().firstFrame, 1);
    const Execution execution{m_pool, {}};
    const auto whole = sequence.cutReferences(execution, patches, inputs, {0, sequence.tokens()});
    ASSERT_EQ(whole.size(), 1U);
    EXPECT_EQ(whole.front().first, 23);
    EXPECT_EQ(whole.front().patches.shape(), (Shape{2, 6, ofReference * 4}));
    const auto part = sequence.cutReferences(execution, patches, inputs, {20, 26});
    ASSERT_EQ(part.size(), 1U);
    EXPECT_EQ(part.front().first, 3);
    EXPECT_TRUE(haveSameBits(part.front().patches, tokensOfEach(whole.front().patches, {0, 3})));
    EXPECT_TRUE(sequence.cutReferences(execution, patches, inputs, {0, 23}).empty());
    const Tensor others = sequence.cut(execution, patches, inputs, {20, 26});
    EXPECT_EQ(others.shape(), (Shape{2, 6, 4 * 4}));
    EXPECT_TRUE(std::ranges::all_of(tokensOfEach(others, {3, 6}).data<float>(),
                                    [](float value) { return value == 0.0F; }));
}

TEST_F(ReferenceGroups, OfOtherChannelsAreRefused) {
    EXPECT_THROW(static_cast<void>(predict({reference(1, 4)})), Error);
}

TEST_F(ReferenceGroups, WithoutAPictureOneTokenOfZerosSaysWhatManyDo) {
    m_call.conditions.image = Tensor::zeros({2, 7, 10});
    const Tensor many = predict({reference(1)});
    m_call.conditions.image = Tensor::zeros({2, 1, 10});
    EXPECT_LE(testing::relativeError(predict({reference(1)}), many), 1e-5);
}

}  // namespace
}  // namespace meshreel

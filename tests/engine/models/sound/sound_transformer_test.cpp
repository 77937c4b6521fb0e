// SPDX-License-Identifier: GPL-3.0-or-later
// What an S2V transformer hears and sees beside its video. Numbers are those of the golden cases s2v_* and
// dit_s2v; wan_mesh_test.cpp compares meshes and modes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/models/families/architecture.h"
#include "engine/models/sound/frame_packer.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/wan/token_sequence.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/tensor_names.h"
#include "tests/support/random_tensor.h"
#include "tests/support/refusal.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

using testing::randomTensor;

/// One video of two latent frames, on a small transformer with an injector behind its first block.
class SoundTransformer : public ::testing::Test {
  protected:
    static WanTransformerConfig config() {
        WanTransformerConfig config{.heads = 2,
                                    .headDim = 16,
                                    .inChannels = 4,
                                    .outChannels = 4,
                                    .textDim = 12,
                                    .freqDim = 16,
                                    .ffnDim = 24,
                                    .layers = 2};
        config.sound =
            SoundConfig{.width = 6, .states = 3, .localTokens = 2, .poseChannels = 4, .layers = {0}};
        return config;
    }

    SoundTransformer()
        : m_random(config(), 5),
          m_transformer(config(), m_random.checkpoint(), planAttentions({}, config())),
          m_pool({.workers = 1}),
          m_lone({m_pool, {}}) {
        m_call.inputs.soundScale = 1.0F;
    }

    [[nodiscard]] Tensor predict() {
        return m_transformer.forward(m_lone.device(), m_call.inputs, m_call.conditions);
    }

    static bool haveSameBits(const Tensor& one, const Tensor& other) {
        return one.shape() == other.shape() && std::ranges::equal(one.data<float>(), other.data<float>());
    }

    testing::RandomWan m_random;
    WanTransformer m_transformer;
    WorkerPool m_pool;
    LoneDevice m_lone;
    testing::WanCall m_call = testing::WanCall::random(config(), {1, 2, 8, 12}, 5, 8);
};

TEST_F(SoundTransformer, HearsItsSound) {
    const Tensor expected = predict();
    EXPECT_EQ(expected.shape(), m_call.inputs.latents.shape());
    m_call.conditions.sound = randomTensor(m_call.conditions.sound->shape(), 77);
    EXPECT_FALSE(haveSameBits(predict(), expected));
}

TEST_F(SoundTransformer, WithAScaleOfZeroHearsNothing) {
    m_call.inputs.soundScale = 0.0F;
    const Tensor expected = predict();
    m_call.conditions.sound = randomTensor(m_call.conditions.sound->shape(), 77);
    EXPECT_TRUE(haveSameBits(predict(), expected));
}

TEST_F(SoundTransformer, SeesItsReferenceItsMotionAndItsPose) {
    const Tensor expected = predict();
    const WanInputs inputs = m_call.inputs;
    m_call.inputs.groups[0].latents = randomTensor(inputs.groups[0].latents.shape(), 70);
    EXPECT_FALSE(haveSameBits(predict(), expected)) << "the reference";
    m_call.inputs = inputs;
    m_call.inputs.groups[1].latents = randomTensor(inputs.groups[1].latents.shape(), 71);
    EXPECT_FALSE(haveSameBits(predict(), expected)) << "the motion";
    m_call.inputs = inputs;
    m_call.inputs.groups.pop_back();
    const Tensor without = predict();
    EXPECT_FALSE(haveSameBits(without, expected)) << "no motion is other than some";
    m_call.inputs = inputs;
    m_call.inputs.pose = Tensor::zeros(inputs.pose->shape());
    EXPECT_FALSE(haveSameBits(predict(), expected)) << "the pose";
}

TEST_F(SoundTransformer, MotionOfFewFramesStandsBehindZeros) {
    Tensor& motion = m_call.inputs.groups[1].latents;
    const Tensor few = randomTensor(motion.shape().with(2, 5), 3);
    motion = joined({Tensor::zeros(motion.shape().with(2, motionLatentFrames - 5)), few}, 2);
    const Tensor expected = predict();
    motion = few;
    EXPECT_TRUE(haveSameBits(predict(), expected));
    motion = joined(
        {randomTensor(few.shape(), 4), Tensor::zeros(few.shape().with(2, motionLatentFrames - 5)), few}, 2);
    EXPECT_TRUE(haveSameBits(predict(), expected)) << "of more only the last ones are seen";
}

TEST_F(SoundTransformer, ATimeForEachTokenIsThatOfTheVideoAndZeroBehindIt) {
    const Tensor expected = predict();
    const WanPatches patches(config());
    const TokenSequence sequence(patches, m_call.inputs.latents.shape(), m_call.inputs.groups);
    Tensor times = Tensor::zeros({1, sequence.tokens()});
    std::ranges::fill(times.data<float>().first(static_cast<std::size_t>(sequence.video().tokens())),
                      m_call.inputs.timesteps.data<float>().front());
    m_call.inputs.timesteps = times;
    EXPECT_TRUE(haveSameBits(predict(), expected));
}

TEST_F(SoundTransformer, RefusesWhatDoesNotFit) {
    const testing::WanCall call = m_call;
    m_call.conditions.sound.reset();
    EXPECT_THROW(static_cast<void>(predict()), Error) << "no sound";
    m_call = call;
    m_call.conditions.sound = randomTensor({1, 3, 6, 12}, 3);
    EXPECT_THROW(static_cast<void>(predict()), Error) << "the sound of three frames";
    m_call = call;
    m_call.conditions.sound = randomTensor({1, 2, 6, 8}, 3);
    EXPECT_THROW(static_cast<void>(predict()), Error) << "of another encoder";
    m_call = call;
    m_call.inputs.pose.reset();
    EXPECT_THROW(static_cast<void>(predict()), Error) << "no pose";
    m_call = call;
    std::ranges::reverse(m_call.inputs.groups);
    EXPECT_THROW(static_cast<void>(predict()), Error) << "a group behind that of motion";
}

TEST(SoundTokens, OfMotionAreCountedAsTheyArePlaced) {
    for (const auto& [rows, columns] :
         {std::pair{60, 104}, std::pair{8, 12}, std::pair{12, 20}, std::pair{6, 4}}) {
        std::int64_t placed = 0;
        for (const TokenPlaces& places : motionPlaces({1, 16, motionLatentFrames, rows, columns}))
            placed += places.tokens();
        EXPECT_EQ(placed, motionTokens(rows, columns)) << rows << " x " << columns;
    }
    EXPECT_EQ(motionTokens(60, 104), 1560 + 390 + 4 * 7 * 13);
}

TEST(SoundNames, OfTheOriginalModelLeadThereAndBack) {
    WanTransformerConfig config;
    config.layers = 1;
    config.sound = SoundConfig();
    config.sound->layers = {0};
    const NameMap names(ModelPart::Transformer);
    int own = 0;
    for (const TensorSpec& tensor : wanTensors(config, DType::F32)) {
        const auto original = names.toOriginal(tensor.name);
        ASSERT_TRUE(original.has_value()) << tensor.name;
        const std::vector<MappedName> back = names.toDiffusers(original->name);
        ASSERT_EQ(back.size(), 1U) << original->name;
        EXPECT_EQ(back.front().name, tensor.name);
        own += original->name.starts_with("audio_injector.injector") ? 1 : 0;
    }
    EXPECT_EQ(own, 12) << "of one injector: four projections with biases, two norms, a scale and a shift";
}

TEST(SoundConfigs, AreThoseOfTheReleasedModel) {
    const auto released =
        WanTransformerConfig::fromJson(configOf(requireArchitecture("wan2.2-s2v-14b")), "s2v");
    ASSERT_TRUE(released.sound.has_value());
    EXPECT_EQ(*released.sound, SoundConfig());
    EXPECT_EQ(released.innerDim(), 5120);
    EXPECT_EQ(SoundConfig::framesOf(SoundConfig::leadColumns), motionLatentFrames);
    EXPECT_EQ(SoundConfig::layersOf(12), SoundConfig().layers);
    EXPECT_EQ(SoundConfig::layersOf(8).back(), 27);
    EXPECT_TRUE(SoundConfig::layersOf(3).empty());
}

TEST(SoundConfigs, OfVariantsThatWereNeverReleasedAreRefused) {
    for (const nlohmann::json& change : {nlohmann::json::object({{"enable_motioner", true}}),
                                         nlohmann::json::object({{"zero_timestep", false}}),
                                         nlohmann::json::object({{"framepack_drop_mode", "drop"}}),
                                         nlohmann::json::object({{"adain_mode", "norm"}}),
                                         nlohmann::json::object({{"audio_inject_layers", {0, 40}}}),
                                         nlohmann::json::object({{"audio_inject_layers", {4, 0}}})}) {
        nlohmann::json config = configOf(requireArchitecture("wan2.2-s2v-14b"));
        config.update(change);
        EXPECT_TRUE(testing::refusalOf(ErrorKind::Input, [&] {
            static_cast<void>(WanTransformerConfig::fromJson(config, "config.json"));
        })) << change;
    }
}

}  // namespace
}  // namespace meshreel

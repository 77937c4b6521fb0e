// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/umt5.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "engine/models/probe.h"
#include "engine/tensor/tensor_memory.h"
#include "tests/support/golden_folder.h"
#include "tests/support/random_umt5.h"

namespace meshreel {
namespace {

class Umt5Test : public ::testing::Test {
  protected:
    Umt5Test()
        : golden("umt5"),
          pool({.workers = 2}),
          execution{pool, {}},
          encoder(Umt5Config::fromJson(readJsonObject(golden.file("config.json")), "config.json"),
                  Checkpoint::open(golden.file("weights.safetensors"))) {}

    GoldenFolder golden;
    WorkerPool pool;
    Execution execution;
    Umt5Encoder encoder;
};

TEST_F(Umt5Test, EveryIntermediateOfTheGoldenCase) {
    for (const std::string variant : {"a", "b", "c"}) {
        const Tensor ids = golden.tensor(variant + ".in.input_ids");
        const std::string maskName = variant + ".in.attention_mask";
        const Tensor mask = golden.has(maskName) ? golden.tensor(maskName) : Tensor();
        const Tensor hidden = encoder.encode(execution, ids, mask, golden.probe(variant));
        if (golden.has(variant + ".prompt_embeds"))
            golden.expectNear(variant + ".prompt_embeds", maskPadding(hidden, mask));
    }
    EXPECT_THAT(golden.unchecked(), ::testing::UnorderedElementsAre("bucket.rel_pos", "bucket.index"));
}

TEST_F(Umt5Test, Bf16IsWithinItsRounding) {
    const Umt5Encoder half(encoder.config(), encoder.checkpoint(), Arithmetic::BF16);
    const Tensor ids = golden.tensor("a.in.input_ids");
    const Tensor expected = encoder.encode(execution, ids, Tensor());
    const Tensor found = half.encode(execution, ids, Tensor());
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i) {
        const auto wanted = static_cast<double>(expected.data<float>()[i]);
        difference += std::pow(static_cast<double>(found.data<float>()[i]) - wanted, 2);
        size += wanted * wanted;
    }
    EXPECT_GT(difference, 0);
    EXPECT_LE(std::sqrt(difference / size), 0.02);
}

TEST_F(Umt5Test, BucketsAreThoseOfF32) {
    const Tensor positions = golden.tensor("bucket.rel_pos");
    const Tensor buckets = golden.tensor("bucket.index");
    for (std::size_t i = 0; i < positions.data<std::int64_t>().size(); ++i)
        EXPECT_EQ(relativePositionBucket(positions.data<std::int64_t>()[i], 32, 128),
                  buckets.data<std::int64_t>()[i])
            << "relative position " << positions.data<std::int64_t>()[i];
}

TEST_F(Umt5Test, PaddingDoesNotReachTheTokens) {
    const Tensor ids = Tensor::from<std::int64_t>({1, 6}, {5, 9, 1, 0, 0, 0});
    const Tensor padded =
        encoder.encode(execution, ids, Tensor::from<std::int64_t>({1, 6}, {1, 1, 1, 0, 0, 0}));
    const Tensor alone = encoder.encode(execution, ids.reshaped({6}).slice(0, 3).reshaped({1, 3}), Tensor());
    for (std::size_t i = 0; i < alone.data<float>().size(); ++i)
        ASSERT_NEAR(padded.data<float>()[i], alone.data<float>()[i], 1e-5);
}

TEST_F(Umt5Test, RefusesWhatItCannotDo) {
    const Tensor beyond = Tensor::from<std::int64_t>({1, 1}, {encoder.config().vocabSize});
    EXPECT_THROW(static_cast<void>(encoder.encode(execution, beyond, Tensor())), Error);

    nlohmann::json config = readJsonObject(golden.file("config.json"));
    config["feed_forward_proj"] = "relu";
    EXPECT_THROW(Umt5Config::fromJson(config, "config.json"), Error);
    config = readJsonObject(golden.file("config.json"));
    config["num_heads"] = -3;
    EXPECT_THROW(Umt5Config::fromJson(config, "config.json"), Error);
}

TEST_F(Umt5Test, StopsWhenAsked) {
    StopSource source;
    source.request_stop();
    const Execution stopped{pool, source.get_token()};
    try {
        static_cast<void>(encoder.encode(stopped, golden.tensor("a.in.input_ids"), Tensor()));
        FAIL() << "went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
}

Umt5Config streamedConfig(std::int64_t layers) {
    return {.vocabSize = 50, .dModel = 96, .dKv = 16, .dFf = 256, .layers = layers, .heads = 6};
}

/// f32 bytes of one layer of streamedConfig().
constexpr std::size_t streamedLayerBytes = (4 * 96 * 96 + 3 * 96 * 256 + 32 * 6 + 2 * 96) * sizeof(float);

Umt5Input parsePrompt(std::vector<std::int64_t> ids) {
    const auto length = static_cast<std::int64_t>(ids.size());
    return {Tensor::from<std::int64_t>({1, length}, ids), Tensor()};
}

class Umt5StreamTest : public ::testing::TestWithParam<DType> {
  protected:
    WorkerPool pool{{.workers = 3}};
    Execution execution{pool, {}};
    std::vector<Umt5Input> prompts = {parsePrompt({7, 3, 49, 12, 1}), parsePrompt({4, 1}),
                                      parsePrompt({9, 9, 9, 1})};
};

TEST_P(Umt5StreamTest, HoldsOneLayerWhateverTheirNumber) {
    std::vector<std::size_t> peaks;
    for (const std::int64_t layers : {1, 2, 9}) {
        const testing::RandomUmt5 model(streamedConfig(layers), GetParam(), 11);
        const auto meter = std::make_shared<MemoryMeter>();
        const MeterScope scope(meter);
        const Umt5Encoder encoder(model.config(), model.checkpoint());
        static_cast<void>(encoder.encode(execution, prompts));
        peaks.push_back(meter->peak());
        EXPECT_LT(meter->current(), streamedLayerBytes / 8) << "the encoder keeps a layer";
    }
    EXPECT_EQ(peaks[0], peaks[1]);
    EXPECT_EQ(peaks[0], peaks[2]);
    constexpr std::size_t activations = streamedLayerBytes / 4;  // of prompts this short
    EXPECT_LT(peaks[2], (GetParam() == DType::F32 ? 0 : streamedLayerBytes) + activations);
}

TEST_P(Umt5StreamTest, PromptsTogetherHaveTheBitsOfEachAlone) {
    const testing::RandomUmt5 model(streamedConfig(4), GetParam(), 5);
    const Umt5Encoder encoder(model.config(), model.checkpoint());
    const std::vector<Tensor> together = encoder.encode(execution, prompts);
    ASSERT_EQ(together.size(), prompts.size());
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        Tensor ones = Tensor::empty(prompts[i].ids.shape(), DType::I64);
        std::ranges::fill(ones.data<std::int64_t>(), 1);
        const Tensor alone = encoder.encode(execution, prompts[i].ids, ones);
        EXPECT_EQ(together[i].shape(), alone.shape());
        EXPECT_TRUE(std::ranges::equal(together[i].data<float>(), alone.data<float>())) << "prompt " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, Umt5StreamTest, ::testing::Values(DType::F32, DType::BF16),
                         [](const auto& type) { return std::string(nameOf(type.param)); });

}  // namespace
}  // namespace meshreel

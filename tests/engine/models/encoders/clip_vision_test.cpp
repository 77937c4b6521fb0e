// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/clip_vision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "engine/models/families/architecture.h"
#include "engine/tensor/tensor_memory.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/golden_folder.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

class ClipVisionTest : public ::testing::Test {
  protected:
    [[nodiscard]] ClipVisionEncoder encoder(Arithmetic arithmetic = Arithmetic::F32) const {
        return {config, Checkpoint::open(golden.file("weights.safetensors")), arithmetic};
    }

    GoldenFolder golden{"clip_vision"};
    ClipVisionConfig config =
        ClipVisionConfig::fromJson(readJsonObject(golden.file("config.json")), "config.json");
    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};
};

TEST_F(ClipVisionTest, EveryIntermediateOfTheGoldenCase) {
    for (const std::string variant : {"a", "b", "c"}) {
        const Tensor pixels = golden.tensor(variant + ".hf_pixel_values");
        const Tensor states = encoder().encode(execution, pixels, golden.probe(variant));
        golden.expectNear(variant + ".penultimate", states);
        const Tensor alone = encoder().encode(execution, pixels);
        EXPECT_TRUE(std::ranges::equal(alone.data<float>(), states.data<float>()))
            << "probing changed the result";
    }
}

TEST_F(ClipVisionTest, ImagesOfABatchAreIndependent) {
    const Tensor one = golden.tensor("a.hf_pixel_values");
    const Tensor two = golden.tensor("b.hf_pixel_values");
    Tensor both = Tensor::empty({2, 3, config.imageSize, config.imageSize});
    std::ranges::copy(two.data<float>(),
                      std::ranges::copy(one.data<float>(), both.data<float>().begin()).out);
    const Tensor states = encoder().encode(execution, both);
    ASSERT_EQ(states.shape(), (Shape{2, config.tokens(), config.hiddenSize}));
    golden.expectNear("a.penultimate", states.slice(0, 1));
    golden.expectNear("b.penultimate", states.slice(1, 2));
}

TEST_F(ClipVisionTest, BFloat16StaysNear) {
    constexpr double largestError = 0.06;  // of values up to 7
    const Tensor states = encoder(Arithmetic::BF16).encode(execution, golden.tensor("a.hf_pixel_values"));
    const Tensor expected = golden.tensor("a.penultimate");
    double error = 0.0;
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i)
        error = std::max(error, std::abs(static_cast<double>(states.data<float>()[i]) -
                                         static_cast<double>(expected.data<float>()[i])));
    EXPECT_LE(error, largestError);
    EXPECT_GT(error, 1e-4) << "it was not computed in bf16";
}

TEST_F(ClipVisionTest, HalfPrecisionFilesComeIntoMemoryALayerAtATime) {
    const testing::TemporaryFolder folder;
    const SafetensorsFile stored = SafetensorsFile::open(golden.file("weights.safetensors"));
    std::vector<NamedTensor> tensors;
    std::size_t bytes = 0;
    for (const std::string& name : stored.names()) {
        const Tensor values = stored.get(name);
        Tensor rounded = Tensor::empty(values.shape(), DType::BF16);
        std::ranges::transform(values.data<float>(), rounded.data<BFloat16>().begin(), toBFloat16);
        tensors.push_back({name, rounded});
        bytes += values.bytes();
    }
    writeSafetensors(folder / "model.safetensors", tensors);
    const ClipVisionEncoder half(config, Checkpoint::open(folder / "model.safetensors"));
    const auto meter = std::make_shared<MemoryMeter>();
    const Tensor pixels = golden.tensor("a.hf_pixel_values");
    const MeterScope scope(meter);
    const Tensor states = half.encode(execution, pixels);
    EXPECT_LT(meter->peak(), bytes) << "all layers lay in memory at once";
    const Tensor expected = golden.tensor("a.penultimate");
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i)
        ASSERT_NEAR(states.data<float>()[i], expected.data<float>()[i], 0.1) << "at " << i;
}

TEST_F(ClipVisionTest, RefusesOtherSizesAndMissingTensors) {
    for (const Shape& shape : {Shape{1, 3, 28, 27}, Shape{1, 1, 28, 28}, Shape{3, 28, 28}})
        EXPECT_THROW(static_cast<void>(encoder().encode(execution, Tensor::zeros(shape))), Error);
    ClipVisionConfig deeper = config;
    deeper.layers = 5;
    EXPECT_THROW(ClipVisionEncoder(deeper, Checkpoint::open(golden.file("weights.safetensors"))), Error);
}

TEST(ClipVisionConfig, IsThatOfTheReleasedEncoder) {
    const ClipVisionConfig config =
        ClipVisionConfig::fromJson(configOf(requireArchitecture("clip-vit-h")), "config.json");
    EXPECT_EQ(config.tokens(), 257);
    EXPECT_EQ(config.hiddenSize, 1280);
    EXPECT_EQ(config.layers, 32);
    EXPECT_EQ(config.activation, geluErf);
    const auto whole =
        nlohmann::json::parse(R"({"vision_config": {"hidden_size": 64, "hidden_act": "quick_gelu"}})");
    EXPECT_EQ(ClipVisionConfig::fromJson(whole, "config.json").hiddenSize, 64);
    EXPECT_EQ(ClipVisionConfig::fromJson(whole, "config.json").activation, geluQuick);
}

TEST(ClipVisionConfig, RefusalsNameFileAndKey) {
    const std::pair<const char*, const char*> refusals[] = {
        {R"({"hidden_act": "relu"})", "hidden_act"},
        {R"({"num_attention_heads": 7})", "num_attention_heads"},
        {R"({"num_channels": 4})", "num_channels"},
        {R"({"patch_size": 500})", "patch_size"}};
    for (const auto& [text, key] : refusals) {
        try {
            static_cast<void>(ClipVisionConfig::fromJson(nlohmann::json::parse(text), "some.json"));
            ADD_FAILURE() << "accepted " << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_THAT(error.what(), ::testing::HasSubstr(std::string("some.json, key ") + key));
        }
    }
}

}  // namespace
}  // namespace meshreel

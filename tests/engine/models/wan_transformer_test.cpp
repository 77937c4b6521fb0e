// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "engine/attention/context_split.h"
#include "engine/mesh/lone_device.h"
#include "engine/models/non_finite.h"
#include "tests/support/golden_folder.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

class WanTransformerTest : public ::testing::Test {
  protected:
    WanTransformerTest()
        : golden("dit_t2v"), json(readJsonObject(golden.file("config.json"))), pool({.workers = 2}) {}

    [[nodiscard]] WanTransformer model(const AttentionSettings& attention) const {
        return {WanTransformerConfig::fromJson(json, "config.json"), checkpoint(), attention};
    }
    [[nodiscard]] WanTransformer model(std::string_view mode) const {
        return model({.mode = findAttentionMode(mode)});
    }
    [[nodiscard]] Checkpoint checkpoint() const {
        return Checkpoint::open(golden.file("weights.safetensors"));
    }
    [[nodiscard]] Tensor run(const WanTransformer& transformer, const std::string& variant,
                             const Probe& probe = {}) {
        return transformer.forward(lone.device(), golden.tensor(variant + ".in.hidden_states"),
                                   golden.tensor(variant + ".in.timestep"),
                                   golden.tensor(variant + ".in.encoder_hidden_states"), probe);
    }

    GoldenFolder golden;
    nlohmann::json json;
    WorkerPool pool;
    LoneDevice lone{{pool, {}}};
};

TEST_F(WanTransformerTest, EveryIntermediateOfTheGoldenCaseWithEveryModeOfOneDevice) {
    for (const AttentionMode& mode : attentionModes()) {
        const AttentionSettings settings{.mode = &mode,
                                         .blocks = {.blockQ = 7, .blockKv = 12, .blockKvCompute = 4},
                                         .ulyssesShards = mode.hybrid ? 1 : -1};
        if (!attentionProblems(settings, {}, {}, 1, 1).empty())
            continue;
        SCOPED_TRACE(mode.name);
        const WanTransformer transformer = model(settings);
        for (const std::string variant : {"a", "b", "c"})
            golden.expectNear(variant + ".out", run(transformer, variant, golden.probe(variant)));
    }
    EXPECT_THAT(golden.unchecked(), ::testing::IsEmpty());
}

TEST_F(WanTransformerTest, APreparedTextGivesTheSameBits) {
    const WanTransformer transformer = model("flash");
    const TextContext text =
        transformer.prepareText(lone.device(), golden.tensor("b.in.encoder_hidden_states"));
    const Tensor once = run(transformer, "b");
    const Tensor again = transformer.forward(lone.device(), golden.tensor("b.in.hidden_states"),
                                             golden.tensor("b.in.timestep"), text);
    EXPECT_EQ(std::memcmp(once.raw(), again.raw(), once.bytes()), 0);
}

TEST_F(WanTransformerTest, ABatchIsItsParts) {
    const WanTransformer transformer = model("flash");
    const Tensor both = run(transformer, "a");
    for (std::int64_t index = 0; index < 2; ++index) {
        const auto part = [&](const std::string& name) {
            return golden.tensor("a.in." + name).slice(index, index + 1);
        };
        const Tensor one = transformer.forward(lone.device(), part("hidden_states"), part("timestep"),
                                               part("encoder_hidden_states"));
        const Tensor expected = both.slice(index, index + 1);
        for (std::size_t i = 0; i < one.data<float>().size(); ++i)
            ASSERT_NEAR(one.data<float>()[i], expected.data<float>()[i], 2e-5);
    }
}

TEST_F(WanTransformerTest, WithoutCrossNormTheQueriesSeeTheHiddenStates) {
    json["cross_attn_norm"] = false;
    const WanTransformer transformer = model("dot_product");
    Tensor out = run(transformer, "c");
    const Tensor normed = golden.tensor("c.out");
    double difference = 0.0;
    for (std::size_t i = 0; i < out.data<float>().size(); ++i)
        difference = std::max(difference, std::abs(static_cast<double>(out.data<float>()[i]) -
                                                   static_cast<double>(normed.data<float>()[i])));
    EXPECT_GT(difference, 1e-3);
}

TEST_F(WanTransformerTest, QkNormNullNeedsNoNormWeights) {
    const Checkpoint whole = checkpoint();
    std::vector<NamedTensor> tensors;
    for (const std::string& name : whole.names())
        if (name.find("norm_q") == std::string::npos && name.find("norm_k") == std::string::npos)
            tensors.emplace_back(name, whole.get(name));
    const std::filesystem::path file =
        std::filesystem::path(::testing::TempDir()) / "wan_transformer_without_qk_norm.safetensors";
    writeSafetensors(file, tensors);
    const Checkpoint bare = Checkpoint::open(file);

    const auto make = [&] {
        return WanTransformer(WanTransformerConfig::fromJson(json, "config.json"), bare,
                              {.mode = findAttentionMode("flash")});
    };
    EXPECT_THROW(make(), Error);
    json["qk_norm"] = nullptr;
    const Tensor out = run(make(), "c");
    EXPECT_TRUE(std::isfinite(out.data<float>()[0]));
    std::filesystem::remove(file);
}

TEST_F(WanTransformerTest, NamesTheFirstBlockThatIsNotFinite) {
    const Checkpoint whole = checkpoint();
    std::vector<NamedTensor> tensors;
    for (const std::string& name : whole.names())
        tensors.emplace_back(name, whole.get(name).clone());
    for (auto& [name, tensor] : tensors)
        if (name == "blocks.1.ffn.net.2.bias")
            tensor.data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
    const std::filesystem::path file =
        std::filesystem::path(::testing::TempDir()) / "wan_transformer_with_nan.safetensors";
    writeSafetensors(file, tensors);
    const WanTransformer transformer(WanTransformerConfig::fromJson(json, "config.json"),
                                     Checkpoint::open(file), {.mode = findAttentionMode("flash")});
    try {
        static_cast<void>(run(transformer, "c"));
        FAIL() << "NaN was not seen";
    } catch (const NonFiniteError& error) {
        EXPECT_EQ(error.place(), "block 1");
        EXPECT_EQ(error.kind(), ErrorKind::Internal);
    }
    std::filesystem::remove(file);
}

TEST_F(WanTransformerTest, StopsBetweenBlocks) {
    const WanTransformer transformer = model("flash");
    StopSource source;
    std::vector<std::string> seen;
    const Probe probe = [&](std::string_view name, const Tensor&) {
        seen.emplace_back(name);
        if (name == "block0.out")
            source.request_stop();
    };
    LoneDevice stoppable({pool, source.get_token()});
    EXPECT_THROW(static_cast<void>(transformer.forward(
                     stoppable.device(), golden.tensor("c.in.hidden_states"), golden.tensor("c.in.timestep"),
                     golden.tensor("c.in.encoder_hidden_states"), probe)),
                 Error);
    EXPECT_EQ(seen.back(), "block0.out");
}

struct Refusal {
    const char* key;
    nlohmann::json value;
};

class WanTransformerConfigTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(WanTransformerConfigTest, NamesTheKeyItRefuses) {
    const nlohmann::json json{{GetParam().key, GetParam().value}};
    try {
        WanTransformerConfig::fromJson(json, "config.json");
        FAIL() << "accepted " << json;
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_THAT(error.where(), HasSubstr(GetParam().key));
        EXPECT_FALSE(error.hint().empty());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Keys, WanTransformerConfigTest,
    ::testing::Values(Refusal{"image_dim", 1280}, Refusal{"added_kv_proj_dim", 5120},
                      Refusal{"vace_layers", nlohmann::json::array({0, 2})}, Refusal{"qk_norm", "layer_norm"},
                      Refusal{"attention_head_dim", 33}, Refusal{"num_layers", 0}, Refusal{"num_layers", "2"},
                      Refusal{"eps", -1.0}, Refusal{"patch_size", nlohmann::json::array({1, 2})}),
    [](const auto& instance) { return std::to_string(instance.index) + "_" + instance.param.key; });

TEST(WanTransformerConfig, QkNormIsOnOffOrNamed) {
    const auto qkNorm = [](const nlohmann::json& value) {
        return WanTransformerConfig::fromJson({{"qk_norm", value}}, "config.json").qkNorm;
    };
    EXPECT_TRUE(qkNorm("rms_norm_across_heads"));
    EXPECT_TRUE(qkNorm(true));
    EXPECT_FALSE(qkNorm(false));
    EXPECT_FALSE(qkNorm(nullptr));
}

TEST(WanTransformerConfig, AbsentKeysAreUpstreamsDefaults) {
    const WanTransformerConfig config =
        WanTransformerConfig::fromJson(nlohmann::json::object(), "config.json");
    EXPECT_EQ(config.innerDim(), 5120);
    EXPECT_EQ(config.layers, 40);
    EXPECT_TRUE(config.qkNorm);
}

TEST_F(WanTransformerTest, RefusesLatentsThatDoNotFit) {
    const WanTransformer transformer = model("flash");
    const Tensor text = golden.tensor("c.in.encoder_hidden_states");
    const Tensor time = golden.tensor("c.in.timestep");
    for (const Shape& shape : {Shape{1, 16, 1, 7, 6}, Shape{1, 12, 1, 8, 6}, Shape{16, 1, 8, 6},
                               Shape{2, 16, 1, 8, 6}, Shape{1, 16, 1, 4096, 2}})
        EXPECT_THROW(static_cast<void>(transformer.forward(lone.device(), Tensor::zeros(shape), time, text)),
                     Error)
            << shape.text();
}

}  // namespace
}  // namespace meshreel

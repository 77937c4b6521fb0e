// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <limits>

#include "engine/attention/context_split.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/probe.h"
#include "engine/project/attention_check.h"
#include "tests/support/golden_folder.h"
#include "tests/support/golden_wan.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

class WanTransformerTest : public ::testing::Test {
  protected:
    WanTransformerTest()
        : golden("dit_t2v"), json(readJsonObject(golden.file("config.json"))), pool({.workers = 2}) {}

    [[nodiscard]] WanTransformer model(const AttentionSettings& attention) const {
        const WanTransformerConfig config = WanTransformerConfig::fromJson(json, "config.json");
        return {config, checkpoint(), planAttentions(attention, config)};
    }
    [[nodiscard]] WanTransformer model(std::string_view mode) const {
        return model({.mode = findAttentionMode(mode)});
    }
    [[nodiscard]] Checkpoint checkpoint() const {
        return Checkpoint::open(golden.file("weights.safetensors"));
    }
    [[nodiscard]] Tensor run(const WanTransformer& transformer, const std::string& variant,
                             const Probe& probe = {}) {
        return transformer.forward(lone.device(), testing::goldenInputs(golden, variant),
                                   testing::goldenConditions(golden, variant), probe);
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
                                         .ulyssesShards = mode.hybrid() ? 1 : -1};
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
    const CrossAttentionCache context =
        transformer.prepare(lone.device(), testing::goldenConditions(golden, "b"));
    const Tensor once = run(transformer, "b");
    const Tensor again = transformer.forward(lone.device(), testing::goldenInputs(golden, "b"), context);
    EXPECT_EQ(std::memcmp(once.raw(), again.raw(), once.bytes()), 0);
}

TEST_F(WanTransformerTest, ABatchIsItsParts) {
    const WanTransformer transformer = model("flash");
    const Tensor both = run(transformer, "a");
    for (std::int64_t index = 0; index < 2; ++index) {
        const auto part = [&](const std::string& name) {
            return golden.tensor("a.in." + name).slice(index, index + 1);
        };
        const Tensor one = transformer.forward(
            lone.device(), {.latents = part("hidden_states"), .timesteps = part("timestep")},
            WanConditions{.text = part("encoder_hidden_states")});
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
        const WanTransformerConfig config = WanTransformerConfig::fromJson(json, "config.json");
        return WanTransformer(config, bare, planAttentions({}, config));
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
    const WanTransformerConfig config = WanTransformerConfig::fromJson(json, "config.json");
    const WanTransformer transformer(config, Checkpoint::open(file), planAttentions({}, config));
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
    EXPECT_THROW(static_cast<void>(transformer.forward(stoppable.device(), testing::goldenInputs(golden, "c"),
                                                       testing::goldenConditions(golden, "c"), probe)),
                 Error);
    EXPECT_EQ(seen.back(), "block0.out");
}

/// Two blocks with the conditioning that a test wants.
class WanTransformerVariantTest : public ::testing::Test {
  protected:
    static WanTransformerConfig tinyConfig() {
        return {.heads = 4,
                .headDim = 12,
                .inChannels = 4,
                .outChannels = 4,
                .textDim = 20,
                .freqDim = 16,
                .ffnDim = 64,
                .layers = 2};
    }
    static WanTransformerConfig imageConfig() {
        WanTransformerConfig config = tinyConfig();
        config.imageDim = 10;
        config.addedKvDim = config.innerDim();
        return config;
    }
    Tensor predict(const testing::RandomWan& model, const testing::WanCall& call,
                   const WanPrecision& precision = {}) {
        const WanTransformer transformer(model.config(), model.checkpoint(),
                                         planAttentions({}, model.config()), {}, precision);
        return transformer.forward(lone.device(), call.inputs, call.conditions);
    }

    WorkerPool pool{{.workers = 2}};
    LoneDevice lone{{pool, {}}};
};

TEST_F(WanTransformerVariantTest, OneTimeForAVideoIsThatTimeForEveryToken) {
    const testing::RandomWan model(tinyConfig(), 1);
    testing::WanCall call = testing::WanCall::random(model.config(), {2, 3, 4, 6}, 5, 2);
    const Tensor once = predict(model, call);
    Tensor every = Tensor::empty({2, 3 * 2 * 3});
    for (std::int64_t video = 0; video < 2; ++video)
        std::ranges::fill(every.slice(video, video + 1).data<float>(),
                          call.inputs.timesteps.data<float>()[static_cast<std::size_t>(video)]);
    call.inputs.timesteps = every;
    const Tensor found = predict(model, call);
    EXPECT_EQ(std::memcmp(found.raw(), once.raw(), once.bytes()), 0);
}

/// Times that change from token to token take another way to the same sums.
TEST_F(WanTransformerVariantTest, ScatteredTimesAreTheTokensOwn) {
    for (const WanPrecision& precision :
         {WanPrecision{}, WanPrecision{.weights = Arithmetic::BF16, .activations = DType::BF16}}) {
        const testing::RandomWan model(tinyConfig(), 3);
        testing::WanCall call = testing::WanCall::random(model.config(), {1, 4, 8, 6}, 5, 4);
        constexpr std::int64_t tokens = 4 * 4 * 3;
        Tensor times = Tensor::empty({1, tokens});
        std::vector<std::string_view> seen;
        for (std::int64_t token = 0; token < tokens; ++token)
            times.data<float>()[static_cast<std::size_t>(token)] = token % 2 == 0 ? 900.0F : 0.0F;
        call.inputs.timesteps = times;
        const WanTransformer transformer(model.config(), model.checkpoint(),
                                         planAttentions({}, model.config()), {}, precision);
        const CrossAttentionCache context = transformer.prepare(lone.device(), call.conditions);
        Tensor embedded;
        const Tensor watched = transformer.forward(lone.device(), call.inputs, context,
                                                   [&](std::string_view name, const Tensor& value) {
                                                       if (name == "temb")
                                                           embedded = value.clone();
                                                   });
        ASSERT_EQ(embedded.shape(), (Shape{1, tokens, model.config().innerDim()}));
        const Tensor rows = embedded.reshaped({tokens, model.config().innerDim()});
        EXPECT_TRUE(std::ranges::equal(rows.slice(0, 1).data<float>(), rows.slice(2, 3).data<float>()));
        EXPECT_FALSE(std::ranges::equal(rows.slice(0, 1).data<float>(), rows.slice(1, 2).data<float>()));
        const Tensor found = transformer.forward(lone.device(), call.inputs, context);
        EXPECT_LE(testing::relativeError(found, watched), 1e-5);
    }
}

TEST_F(WanTransformerVariantTest, TheImageChangesTheVideoAndTheSecondOfTwoDoesToo) {
    WanTransformerConfig config = imageConfig();
    config.imagePositions = 6;
    const testing::RandomWan model(config, 5);
    testing::WanCall call = testing::WanCall::random(config, {2, 1, 4, 6}, 5, 6);
    const Tensor before = predict(model, call);
    call.conditions.image->slice(3, 4).data<float>()[0] += 5.0F;
    const Tensor after = predict(model, call);
    const auto sameVideo = [&](std::int64_t video) {
        return std::ranges::equal(before.slice(video, video + 1).data<float>(),
                                  after.slice(video, video + 1).data<float>());
    };
    EXPECT_TRUE(sameVideo(0));
    EXPECT_FALSE(sameVideo(1));
}

TEST_F(WanTransformerVariantTest, ConditionsThatDoNotFitAreInputErrors) {
    const testing::RandomWan plain(tinyConfig(), 7);
    const testing::RandomWan image(imageConfig(), 8);
    const testing::WanCall call = testing::WanCall::random(image.config(), {1, 1, 4, 6}, 5, 9);
    EXPECT_THROW(predict(plain, call), Error) << "no use for an image";
    testing::WanCall without = call;
    without.conditions.image.reset();
    EXPECT_THROW(predict(image, without), Error);
    testing::WanCall narrow = call;
    narrow.conditions.image = Tensor::zeros({1, 5, 9});
    EXPECT_THROW(predict(image, narrow), Error);
    testing::WanCall times = call;
    times.inputs.timesteps = Tensor::zeros({1, 5});
    EXPECT_THROW(predict(image, times), Error) << "six tokens";
}

struct RefusedEntry {
    const char* key;
    nlohmann::json value;
};

class WanTransformerConfigTest : public ::testing::TestWithParam<RefusedEntry> {};

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
    ::testing::Values(RefusedEntry{"image_dim", 1280}, RefusedEntry{"added_kv_proj_dim", 5120},
                      RefusedEntry{"pos_embed_seq_len", 514},
                      RefusedEntry{"vace_layers", nlohmann::json::array({0, 40})},
                      RefusedEntry{"vace_layers", nlohmann::json::array({1, 2})},
                      RefusedEntry{"vace_layers", nlohmann::json::array({0, 2, 2})},
                      RefusedEntry{"vace_layers", nlohmann::json::array()}, RefusedEntry{"vace_layers", 3},
                      RefusedEntry{"motion_encoder_size", 24}, RefusedEntry{"motion_encoder_size", 2048},
                      RefusedEntry{"qk_norm", "layer_norm"}, RefusedEntry{"attention_head_dim", 33},
                      RefusedEntry{"num_layers", 0}, RefusedEntry{"num_layers", "2"},
                      RefusedEntry{"eps", -1.0}, RefusedEntry{"patch_size", nlohmann::json::array({1, 2})}),
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

TEST(WanTransformerConfig, TheClassDecidesTheDefaults) {
    const auto vace =
        WanTransformerConfig::fromJson({{"_class_name", "WanVACETransformer3DModel"}}, "config.json");
    EXPECT_THAT(vace.vaceLayers, ::testing::ElementsAre(0, 5, 10, 15, 20, 25, 30, 35));
    EXPECT_EQ(vace.vaceChannels, 96);
    const auto animate =
        WanTransformerConfig::fromJson({{"_class_name", "WanAnimateTransformer3DModel"}}, "config.json");
    EXPECT_EQ(animate.inChannels, 36);
    EXPECT_EQ(animate.outChannels, 16);
    ASSERT_TRUE(animate.animate);
    EXPECT_THAT(animate.animate->channels, ::testing::ElementsAre(32, 64, 128, 256, 512, 512, 512, 512));
    const auto plain = WanTransformerConfig::fromJson(nlohmann::json::object(), "config.json");
    EXPECT_TRUE(plain.vaceLayers.empty());
    EXPECT_FALSE(plain.animate);
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
    const WanConditions text = testing::goldenConditions(golden, "c");
    const Tensor time = golden.tensor("c.in.timestep");
    for (const Shape& shape : {Shape{1, 16, 1, 7, 6}, Shape{1, 12, 1, 8, 6}, Shape{16, 1, 8, 6},
                               Shape{2, 16, 1, 8, 6}, Shape{1, 16, 1, 4096, 2}})
        EXPECT_THROW(static_cast<void>(transformer.forward(
                         lone.device(), {.latents = Tensor::zeros(shape), .timesteps = time}, text)),
                     Error)
            << shape.text();
}

}  // namespace
}  // namespace meshreel

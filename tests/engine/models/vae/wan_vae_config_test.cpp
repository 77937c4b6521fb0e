// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <ostream>
#include <string>

#include "engine/base/error.h"
#include "engine/models/families/architecture.h"
#include "tests/support/printed_name.h"

namespace meshreel {
namespace {

TEST(WanVaeConfig, DefaultsAreThoseOfWan21) {
    const WanVaeConfig config = WanVaeConfig::fromJson(nlohmann::json::object(), "config.json");
    EXPECT_EQ(config.baseDim, 96);
    EXPECT_EQ(config.decoderBaseDim, 96);
    EXPECT_EQ(config.zDim, 16);
    EXPECT_EQ(config.spatialFactor(), 8);
    EXPECT_EQ(config.temporalFactor(), 4);
    EXPECT_FLOAT_EQ(config.latentsMean.front(), -0.7571F);
    EXPECT_FLOAT_EQ(config.latentsStd.back(), 1.916F);
}

TEST(WanVaeConfig, LevelsDecideTheFactors) {
    const auto json = nlohmann::json::parse(R"({"base_dim": 8, "dim_mult": [1, 2, 3],
                                                "temperal_downsample": [true, false], "attn_scales": []})");
    const WanVaeConfig config = WanVaeConfig::fromJson(json, "config.json");
    EXPECT_EQ(config.decoderBaseDim, 8);
    EXPECT_EQ(config.spatialFactor(), 4);
    EXPECT_EQ(config.temporalFactor(), 2);
}

TEST(WanVaeConfig, PatchesOfWan22CountIntoTheFactor) {
    const WanVaeConfig config =
        WanVaeConfig::fromJson(configOf(requireArchitecture("wan2.2-vae")), "config.json");
    EXPECT_TRUE(config.isResidual);
    EXPECT_EQ(config.zDim, 48);
    EXPECT_EQ(config.baseDim, 160);
    EXPECT_EQ(config.decoderBaseDim, 256);
    EXPECT_EQ(config.patchSize, 2);
    EXPECT_EQ(config.videoChannelsIn(), 3);
    EXPECT_EQ(config.videoChannelsOut(), 3);
    EXPECT_EQ(config.spatialFactor(), 16);
    EXPECT_EQ(config.temporalFactor(), 4);
}

TEST(WanVaeConfig, OfASmallDecoderItTakesLatentsAsTheyAre) {
    const WanVaeConfig config =
        WanVaeConfig::fromJson(configOf(requireArchitecture("taew2_2")), "config.json");
    EXPECT_FALSE(config.encodes());
    EXPECT_EQ(config.tiny.value().widths, (std::vector<std::int64_t>{256, 128, 64, 64}));
    EXPECT_EQ(config.zDim, 48);
    EXPECT_EQ(config.outChannels, 12);
    EXPECT_EQ(config.spatialFactor(), 16);
    EXPECT_EQ(config.temporalFactor(), 4);
    EXPECT_FLOAT_EQ(config.latentsMean.back(), 0);
    EXPECT_FLOAT_EQ(config.latentsStd.back(), 1);
    EXPECT_EQ(config.forPreview().spatialFactor(), 8);
    EXPECT_EQ(config.forPreview().temporalFactor(), 1);
}

struct Refusal {
    const char* json;
    const char* says;
};

void PrintTo(const Refusal& refusal, std::ostream* out) {
    *out << refusal.json;
}

class WanVaeConfigRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(WanVaeConfigRefusal, NamesFileKeyAndReason) {
    try {
        static_cast<void>(WanVaeConfig::fromJson(nlohmann::json::parse(GetParam().json), "vae/config.json"));
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_THAT(error.what(), ::testing::HasSubstr("vae/config.json, key "));
        EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().says));
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, WanVaeConfigRefusal,
    ::testing::Values(
        Refusal{R"({"is_residual": true, "dim_mult": [1, 3, 4, 4]})", "from a level of width 1"},
        Refusal{R"({"is_residual": true, "dim_mult": [1, 2, 4, 36]})", "to one of 36"},
        Refusal{R"({"patch_size": 2})", "3 channels are not those of 2x2 pixels"},
        Refusal{R"({"patch_size": 2, "in_channels": 12})", "out_channels"},
        Refusal{R"({"patch_size": 0})", "patch_size"}, Refusal{R"({"attn_scales": [0.5]})", "attn_scales"},
        Refusal{R"({"_class_name": "AutoencoderKL"})", "AutoencoderKL"},
        Refusal{R"({"z_dim": 8})", "16 values for 8 latent channels"},
        Refusal{R"({"latents_std": [1.0]})", "1 values for 16 latent channels"},
        Refusal{R"({"z_dim": 1, "latents_mean": [0], "latents_std": [0]})", "not positive"},
        Refusal{R"({"dim_mult": [1, 2]})", "3 values for 2 levels"},
        Refusal{R"({"dim_mult": []})", "0 levels"}, Refusal{R"({"dim_mult": [1, -2, 4, 4]})", "-2"},
        Refusal{R"({"temperal_downsample": [0, 1, 1]})", "neither true nor false"},
        Refusal{R"({"base_dim": "many"})", "base_dim"}),
    testing::PrintedName());

}  // namespace
}  // namespace meshreel

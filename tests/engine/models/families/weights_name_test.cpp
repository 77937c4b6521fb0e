// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/weights_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "engine/base/error.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "high", "low" or "".
std::string expertOf(const std::string& path) {
    const auto expert = readWeightsName(path).expert;
    return !expert ? "" : *expert == Expert::High ? "high" : "low";
}

TEST(WeightsNames, PeopleSpellExpertsInManyWays) {
    for (const char* name : {"wan2.2_t2v_high_noise_14B_fp16.safetensors",
                             "Wan2.2-T2V-A14B-HighNoise-Q4_K_M.gguf",
                             "Wan2_2-T2V-A14B_HIGH_fp8_e4m3fn_scaled_KJ.safetensors",
                             "Wan2_2-I2V-A14B-HIGH_fp8_e4m3fn_scaled_KJ.safetensors",
                             "wan22-i2v-high-noise.pth",
                             "wan2.2_i2v_lightx2v_4steps_lora_v1_high_noise.safetensors",
                             "WAN_HIGHNOISE_v2.safetensors",
                             "instagirlv2.0_hinoise.safetensors",
                             "NSFW-22-H-e8.safetensors",
                             "style_noise_high.safetensors",
                             "smoothMixWan22I2VT2V_i2vHigh.safetensors",
                             "wan22i2vHighV30.safetensors",
                             "orbit_HN.safetensors",
                             "nsfwFASTMOVEV2FP8H.safetensors",
                             "wan2.2-high2.safetensors",
                             "WAN22_HIGH_detail_lora.safetensors",
                             "高噪模型.safetensors",
                             "high_noise_model.safetensors",
                             "low_poly_high_noise.safetensors",
                             "high_noise_model/diffusion_pytorch_model.safetensors.index.json",
                             "HighNoise/model-Q4_K_M.gguf",
                             "loras/high/style.safetensors",
                             "HighNoise/Q4/model.gguf"})
        EXPECT_EQ(expertOf(name), "high") << name;
    for (const char* name :
         {"wan2.2_t2v_low_noise_14B_fp16.safetensors", "Wan2.2-T2V-A14B-LowNoise-Q4_K_M.gguf",
          "Wan2_2-I2V-A14B-LOW_fp8_e4m3fn_scaled_KJ.safetensors", "NSFW-22-L-e8.safetensors",
          "instagirlv2.0_lownoise.safetensors", "transformer_2/diffusion_pytorch_model.safetensors",
          "transformer_2/", "transformer_2.safetensors", "低噪.safetensors",
          "Wan2.2-T2V-A14B-4steps-lora-rank64-Seko-V1.1/low_noise_model.safetensors",
          "HighNoise/wan22_low_noise.safetensors"})
        EXPECT_EQ(expertOf(name), "low") << name;
}

TEST(WeightsNames, OtherWordsAreNoExperts) {
    for (const char* name : {"highres_fix.safetensors",
                             "high_quality.safetensors",
                             "HighQuality.safetensors",
                             "high-res-v2.safetensors",
                             "HIGH_RES.safetensors",
                             "flow.safetensors",
                             "glow_style.safetensors",
                             "SlowMotion.safetensors",
                             "below.safetensors",
                             "yellow.safetensors",
                             "low_vram.safetensors",
                             "low_poly_style.safetensors",
                             "LowPoly.safetensors",
                             "ultra_high.safetensors",
                             "Wan2.1-T2V-14B-Q3_K_L.gguf",
                             "CLIP-ViT-H-14.safetensors",
                             "clip_vision_h.safetensors",
                             "wan2.2_high_low_merged.safetensors",
                             "high_noise_and_low_noise.safetensors",
                             "model.safetensors",
                             "low_rank_16.safetensors",
                             "high_heels.safetensors",
                             "highland.safetensors",
                             "allow.safetensors",
                             "transformer/diffusion_pytorch_model.safetensors",
                             "overflow/high_quality/model.safetensors",
                             "H_and_L.safetensors",
                             "",
                             "/"})
        EXPECT_EQ(expertOf(name), "") << name;
}

TEST(WeightsNames, SayGenerationAndTask) {
    const WeightsName kijai = readWeightsName("Wan2_2-I2V-A14B-HIGH_fp8_e4m3fn_scaled_KJ.safetensors");
    EXPECT_TRUE(kijai.wan22);
    EXPECT_FALSE(kijai.wan21);
    EXPECT_THAT(kijai.tasks, ElementsAre("i2v"));
    EXPECT_THAT(readWeightsName("wan2.2_ti2v_5B.safetensors").tasks, ElementsAre("ti2v"));
    EXPECT_THAT(readWeightsName("Wan21_VACE_14B-flf2v.safetensors").tasks, ElementsAre("flf2v", "vace"));
    EXPECT_THAT(readWeightsName("smoothMixWan2214BI2V.safetensors").tasks, ElementsAre("i2v"));
    EXPECT_THAT(readWeightsName("animated_style.safetensors").tasks, IsEmpty());
    for (const char* name : {"wan2.1", "Wan21_T2V", "wan2_1", "wan-2-1", "WanV2.1", "wan 2.1 1.3B"}) {
        EXPECT_TRUE(readGenerations(name).wan21) << name;
        EXPECT_FALSE(readGenerations(name).wan22) << name;
    }
    for (const char* name : {"wan2.2", "wan22", "smoothMixWan2214BI2V", "T2V-A14B", "wan_2.2"}) {
        EXPECT_TRUE(readGenerations(name).wan22) << name;
        EXPECT_FALSE(readGenerations(name).wan21) << name;
    }
    for (const char* name : {"wan", "wan2-14b", "wan214b", "wan2"})
        EXPECT_FALSE(readGenerations(name).wan21 || readGenerations(name).wan22) << name;
}

TEST(WeightsNames, ThePairHasOneSet) {
    const auto set = [](const char* path) { return readWeightsName(path).set; };
    EXPECT_EQ(set("a/x_high_noise_v1.1.safetensors"), set("a/xLowNoise-V1.1.safetensors"));
    EXPECT_EQ(set("HighNoise/m-Q4_K_M.gguf"), set("LowNoise/m-Q4_K_M.gguf"));
    EXPECT_NE(set("a/x_high_noise_v1.safetensors"), set("a/x_low_noise_v2.safetensors"));
}

class Counterparts : public ::testing::Test {
  protected:
    fs::path touch(const std::string& name) const {
        fs::create_directories((m_folder / name).parent_path());
        std::ofstream(m_folder / name) << "x";
        return m_folder / name;
    }
    void expectPair(const std::string& one, const std::string& other) const {
        const fs::path high = touch(one);
        const fs::path low = touch(other);
        EXPECT_EQ(findCounterpart(high), low) << one;
        EXPECT_EQ(findCounterpart(low), high) << other;
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(Counterparts, FindEachOtherHoweverTheyAreSpelled) {
    expectPair("a/Wan2_2-T2V-A14B-HIGH_fp8_KJ.safetensors", "a/Wan2_2-T2V-A14B-LOW_fp8_KJ.safetensors");
    expectPair("b/wan2.2_high_noise_14B.safetensors", "b/wan2.2-LowNoise-14B.safetensors");
    expectPair("c/NSFW-22-H-e8.safetensors", "c/NSFW-22-L-e8.safetensors");
    expectPair("d/HighNoise/W-HighNoise-Q4_K_M.gguf", "d/LowNoise/W-LowNoise-Q4_K_M.gguf");
    expectPair("e/high_noise_model/model.safetensors", "e/low_noise_model/model.safetensors");
    expectPair("f/transformer/model.safetensors", "f/transformer_2/model.safetensors");
    expectPair("g/Wan2.2-HighNoise/Q4/m.gguf", "g/Wan2.2-LowNoise/Q4/m.gguf");
    EXPECT_EQ(findCounterpart(m_folder / "f" / "transformer/"), m_folder / "f" / "transformer_2");
}

TEST_F(Counterparts, OfAnotherSetAreNone) {
    const fs::path high = touch("x_high_noise_v1.safetensors");
    touch("x_low_noise_v2.safetensors");
    touch("y_low_noise_v1.safetensors");
    touch("x_low_noise_v1.gguf");
    EXPECT_EQ(findCounterpart(high), std::nullopt);
    EXPECT_EQ(findCounterpart(touch("plain.safetensors")), std::nullopt);
}

TEST(ExpertReadings, NameAndMetadataAreBothRead) {
    const ExpertReading title = readExpert("x.safetensors", {{"modelspec.title", "Wan2.2 T2V A14B HIGH"}});
    EXPECT_EQ(title.expert(), Expert::High);
    EXPECT_EQ(title.contradiction(), "");
    EXPECT_THAT(title.words().text(), HasSubstr("modelspec.title: Wan2.2 T2V A14B HIGH"));
    const ExpertReading prose =
        readExpert("x.safetensors", {{"modelspec.description", "High detail at low cost. Very high."}});
    EXPECT_EQ(prose.expert(), std::nullopt);
    const ExpertReading both = readExpert("style_low_noise.safetensors",
                                          {{"ss_sd_model_name", "wan2.2_t2v_high_noise_14B.safetensors"}});
    EXPECT_EQ(both.expert(), Expert::Low);
    EXPECT_THAT(both.contradiction().text(), AllOf(HasSubstr("low-noise"), HasSubstr("high-noise")));
}

}  // namespace
}  // namespace meshreel

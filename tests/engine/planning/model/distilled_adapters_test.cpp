// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/distilled_adapters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace meshreel {
namespace {

const ModelFamily& family(std::string_view name) {
    return *std::ranges::find(modelFamilies(), name, &ModelFamily::name);
}

// "", "all", "high" or "low".
std::string use(const std::string& file, std::string_view familyName) {
    const DistilledName name = readDistilledName("/models/loras/" + file, family(familyName));
    return name.distilled && name.fits ? std::string(nameOf(name.expert)) : std::string();
}

TEST(DistilledNames, ReleasedFilesSayWhatTheyAreFor) {
    const std::string text21 = "Wan21_T2V_14B_lightx2v_cfg_step_distill_lora_rank32.safetensors";
    const std::string image21 = "Wan21_I2V_14B_lightx2v_cfg_step_distill_lora_rank64.safetensors";
    const std::string high22 = "wan2.2_t2v_lightx2v_4steps_lora_v1.1_high_noise.safetensors";
    const std::string low22 = "wan2.2_i2v_lightx2v_4steps_lora_v1_low_noise.safetensors";
    EXPECT_EQ(use(text21, "wan2.1-t2v"), "all");
    EXPECT_EQ(use(text21, "wan2.1-vace"), "all");
    EXPECT_EQ(use(text21, "wan2.1-i2v"), "");
    EXPECT_EQ(use(text21, "wan2.2-t2v-a14b"), "");
    EXPECT_EQ(use(image21, "wan2.1-i2v"), "all");
    EXPECT_EQ(use(image21, "wan2.2-animate"), "all");
    EXPECT_EQ(use(image21, "wan2.2-ti2v"), "");
    EXPECT_EQ(use(high22, "wan2.2-t2v-a14b"), "high");
    EXPECT_EQ(use(high22, "wan2.2-i2v-a14b"), "");
    EXPECT_EQ(use(low22, "wan2.2-i2v-a14b"), "low");
    EXPECT_EQ(use(high22, "wan2.1-t2v"), "");
    EXPECT_EQ(
        use("Wan2.2-T2V-A14B-4steps-lora-rank64-Seko-V1.1/low_noise_model.safetensors", "wan2.2-t2v-a14b"),
        "low");
}

TEST(DistilledNames, OtherAdaptersAreNotTaken) {
    EXPECT_EQ(use("style.safetensors", "wan2.1-t2v"), "");
    EXPECT_EQ(use("Wan21_CausVid_14B_T2V_lora_rank32.safetensors", "wan2.1-t2v"), "");
    EXPECT_EQ(use("mine-distilled.safetensors", "wan2.1-t2v"), "all");
}

TEST(DistilledAdapters, AreWantedWhereThePresetSaysSoAndNobodyNamesOne) {
    EXPECT_FALSE(wantsDistilledAdapter({}));
    Project project;
    project.preset = "distill-4";
    EXPECT_TRUE(wantsDistilledAdapter(project));
    project.lora = {{.file = "own.safetensors"}};
    EXPECT_FALSE(wantsDistilledAdapter(project));
    EXPECT_EQ(adaptersOf(project, family("wan2.1-t2v"), {}), project.lora);
    project = {};
    project.preset = "distilled-model-4";
    EXPECT_FALSE(wantsDistilledAdapter(project));
}

}  // namespace
}  // namespace meshreel

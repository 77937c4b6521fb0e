// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/distilled_adapters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/planning/model/model_library.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/text/plan_json.h"
#include "engine/project/project_keys.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

/// A models folder with adapters for the embedded model and for two of its transformers.
class FoundAdapters : public ::testing::Test {
  protected:
    FoundAdapters() {
        setenv("XDG_DATA_HOME", m_data.path().c_str(), 1);
        unsetenv("MESHREEL_MODELS");
        std::filesystem::create_directories(m_loras);
        testing::makeTinyModel(m_two, testing::tinyModelOf("wan2.2-t2v-a14b"));
    }

    /// Of this rank, for the queries of the first block of a transformer so wide.
    void write(const std::string& name, std::int64_t rank, std::int64_t width = 256) const {
        const std::string base = "diffusion_model.blocks.0.self_attn.q.";
        writeSafetensors(m_loras / name,
                         std::vector<NamedTensor>{{base + "lora_down.weight", Tensor::zeros({rank, width})},
                                                  {base + "lora_up.weight", Tensor::zeros({width, rank})}});
    }

    [[nodiscard]] static Project presetProject() {
        Project project;
        setFromText(project, *findProjectKey("preset"), "distill-4");
        return project;
    }

    /// Name and expert of each that was found, or what is missing.
    [[nodiscard]] std::vector<std::string> found(std::string_view familyName,
                                                 const std::filesystem::path& model) const {
        std::vector<std::string> names;
        try {
            for (const LoraChoice& choice : adaptersOf(presetProject(), family(familyName), model))
                names.push_back(std::filesystem::path(choice.file).filename().string() + " " +
                                std::string(nameOf(choice.expert)));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_EQ(error.where(), "preset");
            return {error.what()};
        }
        return names;
    }

    testing::TemporaryFolder m_data;
    std::filesystem::path m_loras = m_data / "meshreel" / "models" / "loras";
    std::filesystem::path m_one = findModel("tiny-wan-t2v");
    std::filesystem::path m_two = m_data / "two";
};

TEST_F(FoundAdapters, AreTheLargestThatFit) {
    write("style.safetensors", 64);
    testing::TinyModel narrow;
    narrow.transformer["num_attention_heads"] = 4;
    testing::makeTinyModel(m_data / "narrow", narrow);
    EXPECT_THAT(found("wan2.1-t2v", m_data / "narrow"),
                ElementsAre(AllOf(HasSubstr("needs a step-distilled adapter"), HasSubstr("models/loras"),
                                  HasSubstr("lightx2v"), HasSubstr("distilled-model-4"))));
    EXPECT_THAT(found("wan2.1-t2v", m_one), ElementsAre("tiny-wan-t2v-distill-4-steps.safetensors all"));
    write("distill-rank4.safetensors", 4);
    write("distill-rank8.safetensors", 8);
    write("distill-i2v-rank16.safetensors", 16);           // of another task
    write("distill-rank32-of-14B.safetensors", 32, 5120);  // larger, and of another width
    EXPECT_THAT(found("wan2.1-t2v", m_one), ElementsAre("distill-rank8.safetensors all"));
}

TEST_F(FoundAdapters, OfTwoExpertsAreAPair) {
    write("wan2.2_t2v_4steps_high_noise.safetensors", 4);
    EXPECT_THAT(found("wan2.2-t2v-a14b", m_two), ElementsAre(HasSubstr("needs a low-noise step-distilled")));
    write("wan2.2_t2v_4steps_low_noise.safetensors", 4);
    EXPECT_THAT(found("wan2.2-t2v-a14b", m_two), ElementsAre("wan2.2_t2v_4steps_high_noise.safetensors high",
                                                             "wan2.2_t2v_4steps_low_noise.safetensors low"));
}

TEST_F(FoundAdapters, AreWrittenIntoThePlan) {
    write("distill-rank4.safetensors", 4);
    Project project = presetProject();
    project.prompt = "a ball";
    const RunPlan plan = makePlan(project, {.workers = 1, .memoryBytes = std::uint64_t{1} << 40});
    EXPECT_TRUE(plan.presetAdapters);
    EXPECT_EQ(plan.adapters.size(), 1U);
    ASSERT_EQ(plan.project.lora.size(), 1U);
    EXPECT_EQ(plan.steps(), 4);
    EXPECT_FALSE(plan.guided);
    EXPECT_THAT(describePlan(plan), HasSubstr("lora found in the models folder"));
    EXPECT_EQ(planJson(plan).at("preset").at("taken").at("flow_shift"), "5.0");
}

}  // namespace
}  // namespace meshreel

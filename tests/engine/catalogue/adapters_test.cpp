// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/weights_inspection.h"
#include "engine/planning/plan_json.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PlannedAdaptersTest : public ::testing::Test {
  protected:
    PlannedAdaptersTest() {
        writeSafetensors(
            m_folder / "model.safetensors",
            std::vector<NamedTensor>{{"condition_embedder.time_proj.weight", Tensor::zeros({1, 1})},
                                     {"blocks.0.attn1.to_q.weight", Tensor::zeros({2, 2})},
                                     {"blocks.0.attn1.to_q.bias", Tensor::zeros({2})}});
        writeSafetensors(m_folder / "lora.safetensors",
                         std::vector<NamedTensor>{
                             {"blocks.0.attn1.to_q.lora_A.weight", Tensor::from<float>({1, 2}, {1, 2})},
                             {"blocks.0.attn1.to_q.lora_B.weight", Tensor::from<float>({2, 1}, {1, 1})}});
        m_weights.push_back(Checkpoint::open(m_folder / "model.safetensors"));
        m_weights.push_back(Checkpoint::open(m_folder / "model.safetensors"));
    }

    [[nodiscard]] PlannedAdapters plan(const LoraList& adapters, std::size_t transformers) const {
        std::vector<AdapterTarget> targets;
        for (std::size_t index = 0; index < transformers; ++index)
            targets.push_back({static_cast<int>(index) + 1, &m_weights[index]});
        return planAdapters(adapters, targets);
    }

    [[nodiscard]] Error refusal(const LoraList& adapters, std::size_t transformers) const {
        try {
            static_cast<void>(plan(adapters, transformers));
        } catch (const Error& refused) {
            return refused;
        }
        ADD_FAILURE() << "no error";
        return {ErrorKind::Internal, "no error"};
    }

    testing::TemporaryFolder m_folder;
    std::vector<Checkpoint> m_weights;
};

TEST_F(PlannedAdaptersTest, OneOfStrengthZeroIsLeftOutUnread) {
    const std::string file = (m_folder / "lora.safetensors").string();
    const PlannedAdapters planned =
        plan({{.file = (m_folder / "gone.safetensors").string(), .strength = 0}, {.file = file}}, 1);
    ASSERT_EQ(planned.size(), 1U);
    EXPECT_EQ(planned.front().adapter->strength(), 1.0);
}

TEST_F(PlannedAdaptersTest, GoIntoTheExpertsTheyAreMeantFor) {
    const std::string file = (m_folder / "lora.safetensors").string();
    const LoraList adapters{{.file = file, .strength = 1.0, .expert = ExpertChoice::High},
                            {.file = file, .strength = 2.0, .expert = ExpertChoice::Low},
                            {.file = file, .strength = 4.0}};
    const PlannedAdapters planned = plan(adapters, 2);
    ASSERT_EQ(planned.size(), 4U);
    for (const int expert : {1, 2}) {
        Checkpoint weights = m_weights[static_cast<std::size_t>(expert) - 1];
        addAdapters(planned, expert, weights);
        const Tensor merged = weights.get("blocks.0.attn1.to_q.weight");
        EXPECT_EQ(merged.data<float>()[0], expert == 1 ? 5.0F : 6.0F);
    }
    EXPECT_THAT(planned, ElementsAre(::testing::Field(&PlannedAdapter::expert, 1),
                                     ::testing::Field(&PlannedAdapter::expert, 2),
                                     ::testing::Field(&PlannedAdapter::expert, 1),
                                     ::testing::Field(&PlannedAdapter::expert, 2)));
    EXPECT_EQ(plan({{.file = file}}, 1).size(), 1U);
    try {
        static_cast<void>(plan({{.file = file, .expert = ExpertChoice::Low}}, 1));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Project);
    }
}

TEST_F(PlannedAdaptersTest, APairGoesWhereItsNamesSay) {
    const fs::path high = m_folder / "style_HIGH_e8.safetensors";
    const fs::path low = m_folder / "style_LOW_e8.safetensors";
    fs::copy(m_folder / "lora.safetensors", high);
    fs::copy(m_folder / "lora.safetensors", low);
    const PlannedAdapters planned = plan({{.file = high.string()}, {.file = low.string()}}, 2);
    ASSERT_EQ(planned.size(), 2U);
    EXPECT_EQ(planned[0].expert, 1);
    EXPECT_EQ(planned[1].expert, 2);
    EXPECT_TRUE(planned[0].byName && planned[1].byName);
    EXPECT_THAT(planned[0].remarks, IsEmpty());
    // Who wants it in both says so.
    EXPECT_EQ(plan({{.file = high.string(), .expert = ExpertChoice::All}}, 2).size(), 2U);
}

TEST_F(PlannedAdaptersTest, WhatContradictsANameIsSaidWithBothReadings) {
    const fs::path high = m_folder / "style_high_noise.safetensors";
    fs::copy(m_folder / "lora.safetensors", high);
    const PlannedAdapters told = plan({{.file = high.string(), .expert = ExpertChoice::Low}}, 2);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].expert, 2);
    ASSERT_EQ(told[0].remarks.size(), 1U);
    EXPECT_THAT(told[0].remarks[0].text(), HasSubstr("expert: low"));
    const PlannedAdapters single = plan({{.file = high.string()}}, 1);
    ASSERT_EQ(single.size(), 1U);
    ASSERT_EQ(single[0].remarks.size(), 1U);
    EXPECT_NE(testing::patternOf(single[0].remarks[0]), testing::patternOf(told[0].remarks[0]));

    const fs::path described = m_folder / "described_low.safetensors";
    writeSafetensors(
        described,
        std::vector<NamedTensor>{{"blocks.0.attn1.to_q.lora_A.weight", Tensor::from<float>({1, 2}, {1, 2})},
                                 {"blocks.0.attn1.to_q.lora_B.weight", Tensor::from<float>({2, 1}, {1, 1})}},
        {{"ss_output_name", "mine_high_noise"}});
    const PlannedAdapters both = plan({{.file = described.string()}}, 2);
    ASSERT_EQ(both.size(), 1U);
    EXPECT_EQ(both[0].expert, 2) << "the name counts";
    EXPECT_THAT(both[0].remarks, ElementsAre(HasSubstr("mine_high_noise")));
}

TEST_F(PlannedAdaptersTest, AHalfWhoseOtherHalfLiesBesideIsTold) {
    const fs::path high = m_folder / "pair-H-e8.safetensors";
    fs::copy(m_folder / "lora.safetensors", high);
    EXPECT_THAT(plan({{.file = high.string()}}, 2)[0].remarks, IsEmpty());
    fs::copy(m_folder / "lora.safetensors", m_folder / "pair-L-e8.safetensors");
    EXPECT_THAT(plan({{.file = high.string()}}, 2)[0].remarks,
                ElementsAre(HasSubstr("pair-L-e8.safetensors")));
    EXPECT_THAT(plan({{.file = high.string(), .expert = ExpertChoice::High}}, 2)[0].remarks, IsEmpty());
    EXPECT_THAT(formatInspection(inspectWeights(high)), HasSubstr("pair-L-e8.safetensors"));
}

TEST_F(PlannedAdaptersTest, AFolderOfPeftIsReadWithItsDescription) {
    const fs::path folder = m_folder / "peft";
    fs::create_directory(folder);
    EXPECT_THAT(refusal({{.file = folder.string()}}, 1).what(), HasSubstr("adapter_model.safetensors"));
    fs::copy(m_folder / "lora.safetensors", folder / "adapter_model.safetensors");
    writeFileAtomically(folder / "adapter_config.json", R"({"r": 1, "lora_alpha": 8})");
    const PlannedAdapters planned = plan({{.file = folder.string(), .strength = 0.5}}, 1);
    ASSERT_EQ(planned.size(), 1U);
    EXPECT_EQ(planned[0].adapter->path(), folder / "adapter_model.safetensors");
    EXPECT_EQ(planned[0].adapter->effectiveScale()->most, 4);
    EXPECT_THAT(describeAdapter(planned[0]), HasSubstr("adapter_config.json (lora_alpha 8, r 1)"));
    EXPECT_THAT(adaptersJson(planned).dump(), HasSubstr("adapter_config.json"));
}

TEST_F(PlannedAdaptersTest, ScalesThatDifferStandWithTheirLayers) {
    writeSafetensors(m_folder / "model.safetensors",
                     std::vector<NamedTensor>{{"condition_embedder.time_proj.weight", Tensor::zeros({1, 1})},
                                              {"blocks.0.attn1.to_q.weight", Tensor::zeros({2, 2})},
                                              {"blocks.1.attn1.to_q.weight", Tensor::zeros({2, 2})},
                                              {"blocks.0.attn1.to_k.weight", Tensor::zeros({2, 2})}});
    m_weights = {Checkpoint::open(m_folder / "model.safetensors")};
    std::vector<NamedTensor> tensors;
    for (const char* module : {"blocks.0.attn1.to_q", "blocks.1.attn1.to_q", "blocks.0.attn1.to_k"}) {
        tensors.emplace_back(std::string(module) + ".lora_A.weight", Tensor::zeros({1, 2}));
        tensors.emplace_back(std::string(module) + ".lora_B.weight", Tensor::zeros({2, 1}));
    }
    writeSafetensors(
        m_folder / "scaled.safetensors", tensors,
        {{"lora_adapter_metadata", R"({"r": 1, "lora_alpha": 3, "alpha_pattern": {"to_k": 7}})"}});
    const PlannedAdapters planned = plan({{.file = (m_folder / "scaled.safetensors").string()}}, 1);
    EXPECT_THAT(describeAdapter(planned[0]), AllOf(HasSubstr("3: blocks.*.attn1.to_q.weight (2)"),
                                                   HasSubstr("7: blocks.0.attn1.to_k.weight")));
    EXPECT_EQ(planned[0].adapter->effectiveScale()->least, 3);
    EXPECT_EQ(planned[0].adapter->effectiveScale()->most, 7);
}

TEST_F(PlannedAdaptersTest, AFileThatNamesBothExpertsReachesBoth) {
    const auto write = [&](const std::string& name,
                           std::initializer_list<std::pair<const char*, float>> experts) {
        std::vector<NamedTensor> tensors;
        for (const auto& [expert, value] : experts) {
            const std::string module = std::string(expert) + ".blocks.0.attn1.to_q.lora_";
            tensors.emplace_back(module + "A.weight", Tensor::from<float>({1, 2}, {value, 0}));
            tensors.emplace_back(module + "B.weight", Tensor::from<float>({2, 1}, {1, 1}));
        }
        writeSafetensors(m_folder / name, tensors);
        return (m_folder / name).string();
    };
    const std::string both = write("both.safetensors", {{"transformer", 3.0F}, {"transformer_2", 5.0F}});
    const auto firstWeight = [&](const PlannedAdapters& planned, int expert) {
        Checkpoint weights = m_weights[static_cast<std::size_t>(expert) - 1];
        addAdapters(planned, expert, weights);
        return weights.get("blocks.0.attn1.to_q.weight").data<float>()[0];
    };
    PlannedAdapters planned = plan({{.file = both}}, 2);
    ASSERT_EQ(planned.size(), 2U);
    EXPECT_EQ(firstWeight(planned, 1), 3.0F);
    EXPECT_EQ(firstWeight(planned, 2), 5.0F);
    planned = plan({{.file = both, .expert = ExpertChoice::Low}}, 2);
    EXPECT_EQ(firstWeight(planned, 1), 0.0F);
    EXPECT_EQ(firstWeight(planned, 2), 5.0F);
    EXPECT_EQ(refusal({{.file = both}}, 1).kind(), ErrorKind::Input);

    const std::string second = write("second.safetensors", {{"transformer_2", 7.0F}});
    planned = plan({{.file = second}}, 2);
    EXPECT_EQ(firstWeight(planned, 1), 0.0F);
    EXPECT_EQ(firstWeight(planned, 2), 7.0F);
    const Error refused = refusal({{.file = second, .expert = ExpertChoice::High}}, 2);
    EXPECT_EQ(refused.kind(), ErrorKind::Project);
    EXPECT_THAT(refused.what(), HasSubstr("transformer_2"));

    const std::string first = write("first.safetensors", {{"transformer", 2.0F}});
    planned = plan({{.file = first}}, 2);
    EXPECT_EQ(firstWeight(planned, 1), 2.0F);
    EXPECT_EQ(firstWeight(planned, 2), 2.0F) << "a file of one transformer is for both";
}

TEST_F(PlannedAdaptersTest, ChangedWeightsAreCopies) {
    const PlannedAdapters planned = plan({{.file = (m_folder / "lora.safetensors").string()}}, 1);
    const StoredLayers layers = std::make_shared<const std::vector<StoredLayer>>(
        1, StoredLayer{.prefix = "blocks.0.",
                       .parameters = {{.parameter = {.name = "attn1.to_q.weight", .shape = {2, 2}}},
                                      {.parameter = {.name = "attn1.to_q.bias", .shape = {2}}}}});
    const StoredLayers changed = adaptedLayers(planned, 1, layers);
    const LayerMemory memory = layersMemory(*changed, {}, {}, 1);
    EXPECT_EQ(memory.copied, 4 * sizeof(float));
    EXPECT_EQ(memory.mapped, 2 * sizeof(float));
    EXPECT_EQ(layersMemory(*adaptedLayers(planned, 2, layers), {}, {}, 1).copied, 0U);
}

TEST(CollapsedNames, NamesThatDifferByNumbersStandOnce) {
    const std::vector<std::string> names{"blocks.0.to_q.weight", "blocks.12.to_q.weight", "head.weight",
                                         "ffn.net.2.weight"};
    EXPECT_THAT(collapsedNames(names),
                ElementsAre("blocks.*.to_q.weight (2)", "ffn.net.2.weight", "head.weight"));
}

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

TEST(DistilledNames, FamiliesTakeThoseOfTheOneTheyGrewFrom) {
    const std::string text21 = "Wan21_T2V_14B_lightx2v_cfg_step_distill_lora_rank32.safetensors";
    const std::string image21 = "Wan21_I2V_14B_lightx2v_cfg_step_distill_lora_rank64.safetensors";
    const std::string high22 = "wan2.2_i2v_lightx2v_4steps_lora_v1_high_noise.safetensors";
    for (const char* name : {"wan2.1-phantom", "wan2.1-bernini", "wan2.2-s2v"}) {
        EXPECT_EQ(use(text21, name), "all") << name;
        EXPECT_EQ(use(image21, name), "") << name;
    }
    for (const char* name : {"wan2.1-ati", "wan2.1-move", "wan2.1-fun-control", "wan2.2-animate2",
                             "wan2.2-animate2-distilled"}) {
        EXPECT_EQ(use(image21, name), "all") << name;
        EXPECT_EQ(use(text21, name), "") << name;
    }
    EXPECT_EQ(use(high22, "wan2.2-fun-control-a14b"), "high");
    EXPECT_EQ(use(high22, "wan2.2-vace-a14b"), "");
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
    EXPECT_EQ(readAdapters(project, family("wan2.1-t2v"), {}), project.lora);
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
            for (const LoraChoice& choice : readAdapters(presetProject(), family(familyName), model))
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
    EXPECT_THAT(
        found("wan2.1-t2v", m_data / "narrow"),
        ElementsAre(AllOf(HasSubstr("models/loras"), HasSubstr("lightx2v"), HasSubstr("distilled-model-4"))));
    EXPECT_THAT(found("wan2.1-t2v", m_one), ElementsAre("tiny-wan-t2v-distill-4-steps.safetensors all"));
    write("distill-rank4.safetensors", 4);
    write("distill-rank8.safetensors", 8);
    write("distill-i2v-rank16.safetensors", 16);           // of another task
    write("distill-rank32-of-14B.safetensors", 32, 5120);  // larger, and of another width
    EXPECT_THAT(found("wan2.1-t2v", m_one), ElementsAre("distill-rank8.safetensors all"));
}

TEST_F(FoundAdapters, AreNamedForEveryFamilyThatLacksThem) {
    for (const ModelFamily& each : modelFamilies())
        EXPECT_THAT(found(each.name, m_data / "none"),
                    ElementsAre(AllOf(::testing::AnyOf(HasSubstr("lightx2v"), HasSubstr("TI2V-5B")),
                                      HasSubstr("distilled-model-4"))))
            << each.name;
}

TEST_F(FoundAdapters, OfTwoExpertsAreAPair) {
    write("wan2.2_t2v_4steps_high_noise.safetensors", 4);
    EXPECT_THAT(found("wan2.2-t2v-a14b", m_two), ElementsAre(HasSubstr("low-noise")));
    write("wan2.2_t2v_4steps_low_noise.safetensors", 4);
    EXPECT_THAT(found("wan2.2-t2v-a14b", m_two), ElementsAre("wan2.2_t2v_4steps_high_noise.safetensors high",
                                                             "wan2.2_t2v_4steps_low_noise.safetensors low"));
}

TEST_F(FoundAdapters, OfTwoExpertsAreOfOneSet) {
    write("wan2.2_t2v_4steps_v1_HIGH.safetensors", 4);
    write("wan2.2_t2v_4steps_v1_LOW.safetensors", 4);
    write("wan2.2_t2v_4steps_v2_HIGH.safetensors", 8);  // larger, and without its other half
    EXPECT_THAT(found("wan2.2-t2v-a14b", m_two), ElementsAre("wan2.2_t2v_4steps_v1_HIGH.safetensors high",
                                                             "wan2.2_t2v_4steps_v1_LOW.safetensors low"));
}

TEST_F(FoundAdapters, AreWrittenIntoThePlan) {
    write("distill-rank4.safetensors", 4);
    Project project = presetProject();
    project.prompt = "a ball";
    const PlanPtr plan = makePlan(project, {.workers = 1, .memoryBytes = std::uint64_t{1} << 40});
    EXPECT_TRUE(plan->presetAdapters);
    EXPECT_EQ(plan->adapters.size(), 1U);
    ASSERT_EQ(plan->project.lora.size(), 1U);
    EXPECT_EQ(plan->steps(), 4);
    EXPECT_FALSE(plan->guided);
    EXPECT_EQ(planJson(*plan).at("preset").at("taken").at("flow_shift"), "5.0");
}

}  // namespace

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/lora.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/random_tensor.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Names;
using testing::Refusal;

/// A transformer of one linear layer [3, 2], a norm, a modulation table and a convolution [2, 1, 1, 2, 2].
class Lora : public ::testing::Test {
  protected:
    Lora() {
        writeSafetensors(m_folder / "base.safetensors",
                         std::vector<NamedTensor>{
                             {"condition_embedder.time_proj.weight", Tensor::zeros({1, 1})},
                             {"blocks.0.attn1.to_q.weight", Tensor::from<float>({3, 2}, {0, 0, 0, 0, 0, 0})},
                             {"blocks.0.attn1.to_q.bias", Tensor::zeros({3})},
                             {"blocks.0.norm2.weight", Tensor::zeros({2})},
                             {"blocks.0.scale_shift_table", Tensor::zeros({1, 6, 1})},
                             {"patch_embedding.weight", Tensor::zeros({2, 1, 1, 2, 2})}});
    }

    /// The merged tensor NAME after the adapter of these tensors.
    std::vector<float> merged(const std::vector<NamedTensor>& adapter, const std::string& name,
                              double strength = 1.0, const SafetensorsMetadata& metadata = {}) {
        writeSafetensors(m_folder / "lora.safetensors", adapter, metadata);
        Checkpoint base = Checkpoint::open(m_folder / "base.safetensors");
        m_adapter = LoraAdapter::open(m_folder / "lora.safetensors", base, strength);
        base.addPatch(m_adapter);
        const Tensor tensor = base.get(name);
        return {tensor.data<float>().begin(), tensor.data<float>().end()};
    }

    /// The weight after PEFT's adapter of rank 1 in `folder` with this description beside it; its product is
    /// m_up · m_down.
    std::vector<float> describedBy(const std::string& folder, const std::string& description,
                                   const std::vector<NamedTensor>& more = {}) {
        std::filesystem::create_directory(m_folder / folder);
        std::vector<NamedTensor> tensors{{"base_model.model.blocks.0.attn1.to_q.lora_A.weight", m_down},
                                         {"base_model.model.blocks.0.attn1.to_q.lora_B.weight", m_up}};
        tensors.insert(tensors.end(), more.begin(), more.end());
        writeSafetensors(m_folder / (folder + "/adapter_model.safetensors"), tensors);
        writeFileAtomically(m_folder / (folder + "/adapter_config.json"), description);
        Checkpoint base = Checkpoint::open(m_folder / "base.safetensors");
        m_adapter = LoraAdapter::open(m_folder / (folder + "/adapter_model.safetensors"), base, 1);
        base.addPatch(m_adapter);
        const Tensor tensor = base.get("blocks.0.attn1.to_q.weight");
        return {tensor.data<float>().begin(), tensor.data<float>().end()};
    }

    testing::TemporaryFolder m_folder;
    std::shared_ptr<const LoraAdapter> m_adapter;
    const Tensor m_down = Tensor::from<float>({1, 2}, {1, 2});
    const Tensor m_up = Tensor::from<float>({3, 1}, {1, 10, 100});
};

TEST_F(Lora, EverySpellingOfAModuleIsFound) {
    struct Spelling {
        const char* down;
        const char* up;
    };
    for (const auto& [down, up] :
         {Spelling{"transformer.blocks.0.attn1.to_q.lora_A.weight",
                   "transformer.blocks.0.attn1.to_q.lora_B.weight"},
          Spelling{"blocks.0.attn1.to_q.lora_A.default.weight", "blocks.0.attn1.to_q.lora_B.default.weight"},
          Spelling{"diffusion_model.blocks.0.self_attn.q.lora_A.weight",
                   "diffusion_model.blocks.0.self_attn.q.lora_B.weight"},
          Spelling{"diffusion_model.blocks.0.self_attn.q.lora_down.weight",
                   "diffusion_model.blocks.0.self_attn.q.lora_up.weight"},
          Spelling{"base_model.model.blocks.0.self_attn.q.lora.down.weight",
                   "base_model.model.blocks.0.self_attn.q.lora.up.weight"},
          Spelling{"lora_unet_blocks_0_self_attn_q.lora_down.weight",
                   "lora_unet_blocks_0_self_attn_q.lora_up.weight"},
          Spelling{"lora_transformer_blocks_0_attn1_to_q.lora_down.weight",
                   "lora_transformer_blocks_0_attn1_to_q.lora_up.weight"},
          Spelling{"lora_unet__blocks_0_self_attn_q.lora_down.weight",
                   "lora_unet__blocks_0_self_attn_q.lora_up.weight"},
          Spelling{"lora_unet_blocks_0.self_attn.q.lora_down.weight",
                   "lora_unet_blocks_0.self_attn.q.lora_up.weight"},
          Spelling{"lycoris_blocks_0_attn1_to_q.lora_down.weight",
                   "lycoris_blocks_0_attn1_to_q.lora_up.weight"},
          Spelling{"diffusion_model.transformer_1.blocks.0.self_attn.q.lora_A.weight",
                   "diffusion_model.transformer_1.blocks.0.self_attn.q.lora_B.weight"},
          Spelling{"pipe.dit.blocks.0.self_attn.q.lora_A.default.weight",
                   "pipe.dit.blocks.0.self_attn.q.lora_B.default.weight"},
          Spelling{"model.blocks.0.self_attn.q.lora_A.my_style.weight",
                   "model.blocks.0.self_attn.q.lora_B.my_style.weight"}}) {
        SCOPED_TRACE(down);
        EXPECT_THAT(merged({{down, m_down}, {up, m_up}}, "blocks.0.attn1.to_q.weight"),
                    ElementsAre(1, 2, 10, 20, 100, 200));
        EXPECT_TRUE(m_adapter->unmatchedKeys().empty());
        EXPECT_EQ(m_adapter->changedTensors(), 1U);
    }
}

/// The trap of int64 alphas: dropped, they would apply the adapter at another strength.
TEST_F(Lora, AlphaOfAnyTypeScales) {
    const std::string base = "diffusion_model.blocks.0.self_attn.q";
    const Tensor down = Tensor::from<float>({2, 2}, {1, 0, 0, 1});
    const Tensor up = Tensor::from<float>({3, 2}, {1, 0, 0, 1, 1, 1});
    for (const Tensor& alpha :
         {Tensor::from<std::int64_t>(Shape(), {1}), Tensor::from<float>(Shape{1}, {1}),
          Tensor::from<BFloat16>(Shape(), {toBFloat16(1)}), Tensor::from<std::int32_t>(Shape(), {1})}) {
        EXPECT_THAT(merged({{base + ".lora_down.weight", down},
                            {base + ".lora_up.weight", up},
                            {base + ".alpha", alpha}},
                           "blocks.0.attn1.to_q.weight"),
                    ElementsAre(0.5F, 0, 0, 0.5F, 0.5F, 0.5F));
        EXPECT_EQ(m_adapter->effectiveScale()->most, 0.5);
    }
    EXPECT_THAT(merged({{base + ".lora_down.weight", down}, {base + ".lora_up.weight", up}},
                       "blocks.0.attn1.to_q.weight", 0.25,
                       {{"lora_adapter_metadata", R"({"transformer.r": 2, "transformer.lora_alpha": 8})"}}),
                ElementsAre(1, 0, 0, 1, 1, 1));
    EXPECT_EQ(m_adapter->effectiveScale()->most, 1);
    EXPECT_TRUE(m_adapter->unmatchedKeys().empty());
}

TEST_F(Lora, PeftsDescriptionBesideTheFileScales) {
    EXPECT_THAT(describedBy("plain", R"({"peft_type": "LORA", "r": 1, "lora_alpha": 3, "bias": "none"})"),
                ElementsAre(3, 6, 30, 60, 300, 600));
    EXPECT_EQ(m_adapter->effectiveScale()->most, 3);
    EXPECT_EQ(m_adapter->descriptionFile().filename(), "adapter_config.json");
    EXPECT_TRUE(m_adapter->warnings().empty());
    const std::string identity = m_adapter->identity();
    describedBy("plain", R"({"r": 1, "lora_alpha": 4})");
    EXPECT_NE(m_adapter->identity(), identity) << "caches must not keep the other scale";

    EXPECT_THAT(describedBy("pattern", R"({"r": 1, "lora_alpha": 3, "alpha_pattern": {"to_q": 2}})"),
                ElementsAre(2, 4, 20, 40, 200, 400));
}

TEST_F(Lora, RankStabilisedScalesAreThoseOfTheSquareRoot) {
    const std::string module = "transformer.blocks.0.attn1.to_q";
    const Tensor down = Tensor::from<float>({4, 2}, {1, 0, 0, 1, 0, 0, 0, 0});
    const Tensor up = Tensor::from<float>({3, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0});
    const std::vector<NamedTensor> adapter{{module + ".lora_A.weight", down},
                                           {module + ".lora_B.weight", up}};
    EXPECT_THAT(merged(adapter, "blocks.0.attn1.to_q.weight", 1,
                       {{"lora_adapter_metadata", R"({"transformer.r": 4, "transformer.lora_alpha": 6,
                           "transformer.use_rslora": true, "transformer.alpha_pattern": {}})"}}),
                ElementsAre(3, 0, 0, 3, 3, 3));
    EXPECT_THAT(merged(adapter, "blocks.0.attn1.to_q.weight", 1,
                       {{"lora_adapter_metadata", R"({"transformer.r": 4, "transformer.lora_alpha": 6,
                           "transformer.alpha_pattern": {"blocks.0.attn1.to_q": 2}})"}}),
                ElementsAre(0.5F, 0, 0, 0.5F, 0.5F, 0.5F));
}

TEST_F(Lora, TheBiasOfAPairIsScaledAsThePair) {
    std::filesystem::create_directory(m_folder / "bias");
    describedBy(
        "bias", R"({"r": 1, "lora_alpha": 3, "lora_bias": true})",
        {{"base_model.model.blocks.0.attn1.to_q.lora_B.bias", Tensor::from<float>(Shape{3}, {1, 2, 3})}});
    Checkpoint base = Checkpoint::open(m_folder / "base.safetensors");
    base.addPatch(m_adapter);
    EXPECT_THAT(base.get("blocks.0.attn1.to_q.bias").data<float>(), ElementsAre(3, 6, 9));
}

TEST_F(Lora, ADescriptionWithPartsThatAreNotAppliedIsRefusedOrWarnedOf) {
    describedBy("unknown", R"({"r": 1, "lora_alpha": 1, "fan_in_fan_out": true, "use_dora": false})");
    ASSERT_EQ(m_adapter->warnings().size(), 1U);
    EXPECT_THAT(m_adapter->warnings()[0],
                Names("fan_in_fan_out", (m_folder / "unknown/adapter_config.json").string()));
    const Sentence unknown = m_adapter->warnings()[0];
    describedBy("dora", R"({"r": 1, "lora_alpha": 1, "use_dora": true})");
    ASSERT_EQ(m_adapter->warnings().size(), 1U);
    EXPECT_THAT(m_adapter->warnings()[0], Names((m_folder / "dora/adapter_config.json").string()));
    EXPECT_NE(testing::patternOf(m_adapter->warnings()[0]), testing::patternOf(unknown));
    describedBy("magnitudes", R"({"r": 1, "lora_alpha": 1, "use_dora": true})",
                {{"base_model.model.blocks.0.attn1.to_q.lora_magnitude_vector",
                  Tensor::from<float>(Shape{3}, {1, 2, 3})}});
    EXPECT_EQ(m_adapter->warnings().size(), 0U);

    const auto refusal = [&](const std::string& more, const std::vector<NamedTensor>& tensors) {
        Refusal refused = testing::refusalOf(ErrorKind::Input, [&] {
            describedBy("refused", R"({"r": 1, "lora_alpha": 1, )" + more + "}", tensors);
        });
        if (refused) {
            EXPECT_THAT(refused, At(HasSubstr("adapter_config.json")));
        }
        return refused;
    };
    const NamedTensor saved{"base_model.model.norm_out.weight", Tensor::zeros({2})};
    EXPECT_THAT(refusal(R"("modules_to_save": ["norm_out"])", {saved}), Names("modules_to_save"));
    EXPECT_FALSE(refusal(R"("modules_to_save": ["norm_out"])", {})) << "nothing is left out";
    const NamedTensor bias{"base_model.model.blocks.0.attn1.to_q.bias", Tensor::zeros({3})};
    EXPECT_THAT(refusal(R"("bias": "lora_only")", {bias}), Names("bias"));
    EXPECT_FALSE(refusal(R"("bias": "all")", {}));
}

TEST_F(Lora, ADescriptionAmongSeveralFilesIsOfAdapterModelAlone) {
    const std::string twice = R"({"r": 1, "lora_alpha": 2})";
    EXPECT_THAT(describedBy("shared", twice), ElementsAre(2, 4, 20, 40, 200, 400));
    const fs::path other = m_folder / "shared/style.safetensors";
    fs::copy(m_folder / "shared/adapter_model.safetensors", other);
    Checkpoint base = Checkpoint::open(m_folder / "base.safetensors");
    const auto adapter = LoraAdapter::open(other, base, 1);
    EXPECT_EQ(adapter->effectiveScale()->most, 1);
    ASSERT_EQ(adapter->warnings().size(), 1U);
    EXPECT_THAT(adapter->warnings()[0], Names("adapter_config.json"));

    fs::remove(m_folder / "shared/adapter_model.safetensors");
    EXPECT_EQ(LoraAdapter::open(other, base, 1)->effectiveScale()->most, 2) << "renamed, and alone";
}

TEST_F(Lora, AnAlphaInTheFileIsTakenBeforeTheDescription) {
    describedBy("alpha", R"({"r": 1, "lora_alpha": 2})",
                {{"base_model.model.blocks.0.attn1.to_q.alpha", Tensor::from<float>(Shape{1}, {5})}});
    EXPECT_EQ(m_adapter->effectiveScale()->most, 5);
    EXPECT_THAT(m_adapter->warnings().at(0), Names("1", (m_folder / "alpha/adapter_config.json").string()));
}

TEST_F(Lora, KeysOfTwoExpertsReachTheOneTheyName) {
    const std::string module = ".blocks.0.attn1.to_q.lora_";
    const Tensor twice = Tensor::from<float>({3, 1}, {2, 20, 200});
    writeSafetensors(m_folder / "both.safetensors",
                     std::vector<NamedTensor>{{"transformer" + module + "A.weight", m_down},
                                              {"transformer" + module + "B.weight", m_up},
                                              {"transformer_2" + module + "A.weight", m_down},
                                              {"transformer_2" + module + "B.weight", twice},
                                              {"transformer_2.blocks.9.attn1.to_q.lora_A.weight", m_down}});
    EXPECT_THAT(namedExperts(m_folder / "both.safetensors"), ElementsAre(1, 2));
    for (const int expert : {1, 2}) {
        Checkpoint base = Checkpoint::open(m_folder / "base.safetensors");
        const auto adapter =
            LoraAdapter::open(m_folder / "both.safetensors", base, 1, LoraScope::Everything, {expert, true});
        base.addPatch(adapter);
        EXPECT_EQ(base.get("blocks.0.attn1.to_q.weight").data<float>()[0], static_cast<float>(expert));
        EXPECT_EQ(adapter->unmatchedKeys().size(), expert == 1 ? 0U : 1U);
    }
    const Checkpoint alone = Checkpoint::open(m_folder / "base.safetensors");
    EXPECT_THAT(testing::refusalOf(ErrorKind::Input,
                                   [&] { LoraAdapter::open(m_folder / "both.safetensors", alone, 1); }),
                At((m_folder / "both.safetensors").string()));
}

TEST_F(Lora, DifferencesOfWeightsBiasesAndTables) {
    const std::string prefix = "diffusion_model.";
    const std::vector<NamedTensor> adapter{
        {prefix + "blocks.0.norm3.diff", Tensor::from<float>(Shape{2}, {1, 2})},
        {prefix + "blocks.0.self_attn.q.diff_b", Tensor::from<float>(Shape{3}, {3, 4, 5})},
        {prefix + "blocks.0.diff_m", Tensor::from<float>({1, 6, 1}, {1, 2, 3, 4, 5, 6})},
        {prefix + "patch_embedding.diff", Tensor::from<float>({2, 1, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}};
    EXPECT_THAT(merged(adapter, "blocks.0.norm2.weight", 0.5), ElementsAre(0.5F, 1));
    EXPECT_THAT(merged(adapter, "blocks.0.attn1.to_q.bias"), ElementsAre(3, 4, 5));
    EXPECT_THAT(merged(adapter, "blocks.0.scale_shift_table"), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(merged(adapter, "patch_embedding.weight"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_EQ(m_adapter->changedTensors(), 4U);
}

TEST_F(Lora, ConvolutionsAreProductsToo) {
    EXPECT_THAT(
        merged({{"patch_embedding.lora_down.weight", Tensor::from<float>({1, 1, 1, 2, 2}, {1, 2, 3, 4})},
                {"patch_embedding.lora_up.weight", Tensor::from<float>({2, 1, 1, 1, 1}, {1, 10})}},
               "patch_embedding.weight"),
        ElementsAre(1, 2, 3, 4, 10, 20, 30, 40));
}

TEST_F(Lora, RowsOfAMergedTensorAreThoseOfTheWhole) {
    merged({{"blocks.0.attn1.to_q.lora_A.weight", m_down}, {"blocks.0.attn1.to_q.lora_B.weight", m_up}},
           "blocks.0.attn1.to_q.weight");
    Checkpoint base = Checkpoint::open(m_folder / "base.safetensors");
    base.addPatch(m_adapter);
    EXPECT_THAT(base.getRows("blocks.0.attn1.to_q.weight", 1, 2).data<float>(),
                ElementsAre(10, 20, 100, 200));
}

TEST_F(Lora, PartsOfAMergedTensorAreThoseOfTheWhole) {
    for (const std::vector<NamedTensor>& adapter :
         {std::vector<NamedTensor>{{"blocks.0.attn1.to_q.lora_A.weight", m_down},
                                   {"blocks.0.attn1.to_q.lora_B.weight", m_up}},
          std::vector<NamedTensor>{
              {"blocks.0.attn1.to_q.diff", Tensor::from<float>({3, 2}, {1, 2, 3, 4, 5, 6})}}}) {
        const std::vector<float> whole = merged(adapter, "blocks.0.attn1.to_q.weight");
        Checkpoint base = Checkpoint::open(m_folder / "base.safetensors");
        base.addPatch(m_adapter);
        const Tensor part = base.getPart("blocks.0.attn1.to_q.weight",
                                         {.firstRow = 1, .rows = 2, .firstColumn = 1, .columns = 1});
        EXPECT_EQ(part.shape(), (Shape{2, 1}));
        EXPECT_THAT(part.data<float>(), ElementsAre(whole[3], whole[5]));
        EXPECT_FALSE(base.isInPlace("blocks.0.attn1.to_q.weight"));
        EXPECT_TRUE(base.isInPlace("blocks.0.attn1.to_q.bias"));
    }
}

TEST_F(Lora, OtherKindsOfAdaptersAreRefusedByName) {
    for (const auto& [key, kind] :
         {std::pair{".oft_blocks", "OFT"}, std::pair{".oft_R.weight", "OFT"},
          std::pair{".boft_R.weight", "BOFT"}, std::pair{".hada_t1", "LoHa in Tucker form"},
          std::pair{".lokr_t2", "LoKr in Tucker form"}, std::pair{".on_input", "IA3"},
          std::pair{".lora_mid.weight", "Tucker"}}) {
        const std::string module = "diffusion_model.blocks.0.self_attn.q";
        try {
            static_cast<void>(merged({{module + ".lora_down.weight", m_down},
                                      {module + ".lora_up.weight", m_up},
                                      {module + key, Tensor::zeros({3, 1})}},
                                     "blocks.0.attn1.to_q.weight"));
            FAIL() << key;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_THAT(error.message(), HasSubstr(kind));
            EXPECT_THAT(error.where(), HasSubstr(key));
        }
    }
}

TEST_F(Lora, KeysThatFitNothingAreListed) {
    merged({{"blocks.0.attn1.to_q.lora_A.weight", m_down},
            {"blocks.0.attn1.to_q.lora_B.weight", m_up},
            {"blocks.9.attn1.to_q.lora_A.weight", m_down},
            {"blocks.9.attn1.to_q.lora_B.weight", m_up},
            {"blocks.0.attn1.to_q.w_norm", m_up}},
           "blocks.0.attn1.to_q.weight");
    EXPECT_THAT(m_adapter->unmatchedKeys(),
                ElementsAre("blocks.0.attn1.to_q.w_norm", "blocks.9.attn1.to_q.lora_A.weight",
                            "blocks.9.attn1.to_q.lora_B.weight"));
    EXPECT_THAT(m_adapter->text(), Names("3"));
}

TEST_F(Lora, LayersOfOtherNetworksDoNotFit) {
    merged({{"blocks.0.attn1.to_q.lora_A.weight", m_down},
            {"blocks.0.attn1.to_q.lora_B.weight", m_up},
            {"lora_te_blocks_0_attn1_to_q.lora_down.weight", m_down},
            {"lora_te_blocks_0_attn1_to_q.lora_up.weight", m_up},
            {"text_encoder.blocks.0.attn1.to_q.lora_A.weight", m_down},
            {"text_encoder.blocks.0.attn1.to_q.lora_B.weight", m_up}},
           "blocks.0.attn1.to_q.weight");
    EXPECT_EQ(m_adapter->changedTensors(), 1U);
    EXPECT_EQ(m_adapter->unmatchedKeys().size(), 4U);
}

TEST_F(Lora, WrongShapesAndStrangersAreRefused) {
    const auto refused = [&](const std::vector<NamedTensor>& adapter) {
        return testing::refusalOf(ErrorKind::Input, [&] { merged(adapter, "blocks.0.attn1.to_q.weight"); });
    };
    const Refusal columns = refused({{"blocks.0.attn1.to_q.lora_A.weight", Tensor::zeros({1, 5})},
                                     {"blocks.0.attn1.to_q.lora_B.weight", m_up}});
    EXPECT_THAT(columns, Names("[1, 5]", "[3, 1]", "blocks.0.attn1.to_q.weight", "[3, 2]"));
    const Refusal rank = refused({{"blocks.0.attn1.to_q.lora_A.weight", Tensor::zeros({2, 2})},
                                  {"blocks.0.attn1.to_q.lora_B.weight", m_up}});
    EXPECT_THAT(rank, Names("[2, 2]", "[3, 1]"));
    testing::expectFaults({{"misfit", columns},
                           {"misfit", rank},
                           {"stranger", refused({{"blocks.9.attn1.to_q.lora_A.weight", m_down}})}});
}

TEST_F(Lora, ALayerOfAnotherShapeIsLeftOutAndTold) {
    EXPECT_THAT(merged({{"blocks.0.attn1.to_q.lora_A.weight", m_down},
                        {"blocks.0.attn1.to_q.lora_B.weight", m_up},
                        {"patch_embedding.lora_A.weight", Tensor::zeros({1, 7})},
                        {"patch_embedding.lora_B.weight", Tensor::zeros({2, 1})}},
                       "blocks.0.attn1.to_q.weight"),
                ElementsAre(1, 2, 10, 20, 100, 200));
    EXPECT_THAT(m_adapter->unmatchedKeys(),
                ElementsAre("patch_embedding.lora_A.weight", "patch_embedding.lora_B.weight"));
    ASSERT_EQ(m_adapter->warnings().size(), 1U);
    EXPECT_THAT(m_adapter->warnings()[0],
                AllOf(HasSubstr("patch_embedding.lora_A.weight"), Names("[1, 7]", "[2, 1]")));
}

TEST_F(Lora, AnAdapterOfAnotherFamilyIsRefusedByName) {
    for (const auto& [key, family] :
         {std::pair{"lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight", "FLUX"},
          std::pair{"transformer.single_transformer_blocks.0.attn.to_q.lora_A.weight", "FLUX"},
          std::pair{"lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_q.lora_down.weight",
                    "Stable Diffusion 1, 2 or XL"},
          std::pair{"transformer.transformer_blocks.0.attn1.to_q.lora_A.weight", "LTX-Video"},
          std::pair{"diffusion_model.joint_blocks.0.x_block.attn.qkv.lora_A.weight", "Stable Diffusion 3"}}) {
        SCOPED_TRACE(key);
        try {
            static_cast<void>(merged({{key, m_down}}, "blocks.0.attn1.to_q.weight"));
            FAIL();
        } catch (const Error& error) {
            EXPECT_THAT(error.message(), HasSubstr(family));
        }
    }
}

/// What tensor parallelism reads of a weight has the bits of the whole.
TEST_F(Lora, PartsOfLyCorisAndDoRAAreThoseOfTheWhole) {
    const Tensor w1 = Tensor::from<float>({3, 1}, {1, -2, 3});
    const Tensor w2 = Tensor::from<float>({1, 2}, {0.5F, 4});
    const std::string base = "blocks.0.attn1.to_q.";
    for (const std::vector<NamedTensor>& adapter :
         {std::vector<NamedTensor>{{base + "lokr_w1", w1}, {base + "lokr_w2", w2}},
          {{base + "hada_w1_a", m_up},
           {base + "hada_w1_b", m_down},
           {base + "hada_w2_a", w1},
           {base + "hada_w2_b", w2}},
          {{base + "lora_A.weight", m_down},
           {base + "lora_B.weight", m_up},
           {base + "lora_magnitude_vector", Tensor::from<float>({3}, {1, 2, 3})}},
          {{base + "lora_A.weight", m_down},
           {base + "lora_B.weight", m_up},
           {base + "dora_scale", Tensor::from<float>({1, 2}, {1, 2})}}}) {
        const std::vector<float> whole = merged(adapter, base + "weight", 0.5);
        EXPECT_THAT(whole, ::testing::Not(ElementsAre(0, 0, 0, 0, 0, 0)));
        Checkpoint weights = Checkpoint::open(m_folder / "base.safetensors");
        weights.addPatch(LoraAdapter::open(m_folder / "lora.safetensors", weights, 0.5));
        const Tensor part =
            weights.getPart(base + "weight", {.firstRow = 1, .rows = 2, .firstColumn = 1, .columns = 1});
        EXPECT_THAT(part.data<float>(), ElementsAre(whole[3], whole[5]));
    }
}

/// A row of DoRA has the length that its magnitude says, whatever the model's own length is.
TEST_F(Lora, MagnitudesSetTheLengthOfRows) {
    const std::string base = "blocks.0.attn1.to_q.";
    const std::vector<NamedTensor> adapter{
        {base + "lora_A.weight", Tensor::from<float>({1, 2}, {3, 4})},
        {base + "lora_B.weight", m_up},
        {base + "lora_magnitude_vector", Tensor::from<float>({3}, {1, 5, 10})}};
    EXPECT_THAT(merged(adapter, base + "weight"),
                ::testing::Pointwise(::testing::FloatEq(), {0.6F, 0.8F, 3.0F, 4.0F, 6.0F, 8.0F}));
    EXPECT_THAT(m_adapter->kinds(), ElementsAre("LoRA", "DoRA"));
    EXPECT_TRUE(m_adapter->unmatchedKeys().empty());
}

}  // namespace
}  // namespace meshreel

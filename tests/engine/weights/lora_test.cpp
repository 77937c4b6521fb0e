// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/lora.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "tests/support/random_tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
                   "lora_transformer_blocks_0_attn1_to_q.lora_up.weight"}}) {
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
    EXPECT_THAT(m_adapter->text(), HasSubstr("effective scale 1; every key fits"));
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
         {std::pair{".dora_scale", "DoRA"}, std::pair{".lora_magnitude_vector", "DoRA"},
          std::pair{".hada_w1_a", "LoHa"}, std::pair{".lokr_w1", "LoKr"},
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
    EXPECT_THAT(m_adapter->text(), HasSubstr("3 keys fit nothing"));
}

TEST_F(Lora, WrongShapesAndStrangersAreRefused) {
    const auto message = [&](const std::vector<NamedTensor>& adapter) -> std::string {
        try {
            merged(adapter, "blocks.0.attn1.to_q.weight");
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(message({{"blocks.0.attn1.to_q.lora_A.weight", Tensor::zeros({1, 5})},
                         {"blocks.0.attn1.to_q.lora_B.weight", m_up}}),
                HasSubstr("[1, 5] with [3, 1] does not fit blocks.0.attn1.to_q.weight [3, 2]"));
    EXPECT_THAT(message({{"blocks.0.attn1.to_q.lora_A.weight", Tensor::zeros({2, 2})},
                         {"blocks.0.attn1.to_q.lora_B.weight", m_up}}),
                HasSubstr("does not fit"));
    EXPECT_THAT(message({{"double_blocks.0.lora_A.weight", m_down}}), HasSubstr("none of its keys fits"));
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/part_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/models/families/architecture.h"
#include "engine/weights/formats/safetensors_writer.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two blocks of a released transformer, and tensors beside them.
class PartTensors : public ::testing::Test {
  protected:
    static constexpr const char* transformer = "wan2.1-t2v-1.3b";

    Checkpoint with(const std::vector<std::string>& names, const std::string& prefix = "") {
        std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture(transformer), 2);
        for (const std::string& name : names)
            tensors.push_back({name, DType::F32, Shape{2, 2}});
        for (TensorSpec& tensor : tensors)
            if (tensor.name.find("vae.") != 0 && tensor.name.find("text_encoders.") != 0)
                tensor.name = prefix + tensor.name;
        streamSafetensors(m_folder / "x.safetensors", tensors, {}, {});
        return Checkpoint::open(m_folder / "x.safetensors");
    }

    [[nodiscard]] std::vector<UnusedTensors> unusedBeside(const std::vector<std::string>& names) {
        return unusedTensors(with(names), ModelPart::Transformer, config);
    }

    const nlohmann::json config = configOf(requireArchitecture(transformer), 2);
    testing::TemporaryFolder m_folder;
};

TEST_F(PartTensors, OfReleasedModelsAreAllUsed) {
    for (const Architecture& architecture : architectures()) {
        const bool layered = !architecture.family.layersKey.empty();
        const auto layers = layered ? std::optional<std::int64_t>(5) : std::nullopt;
        streamSafetensors(m_folder / "all.safetensors", tensorsOf(architecture, layers), {}, {});
        const Checkpoint checkpoint = Checkpoint::open(m_folder / "all.safetensors");
        const ModelPart part = *checkpoint.layout().part;
        EXPECT_THAT(unusedTensors(checkpoint, part, configOf(architecture, layers)), IsEmpty())
            << architecture.name;
        EXPECT_NO_THROW(requireUsedTensors(checkpoint, part, configOf(architecture, layers)))
            << architecture.name;
    }
}

TEST_F(PartTensors, OfSparseAttentionsAreNamedByWhatTheyAreFor) {
    std::vector<std::string> names;
    for (const char* block : {"0", "1"}) {
        names.push_back(std::string("blocks.") + block + ".attn1.attn_op.local_attn.proj_l.weight");
        names.push_back(std::string("blocks.") + block + ".attn1.attn_op.local_attn.proj_l.bias");
        names.push_back(std::string("blocks.") + block + ".to_gate_compress.weight");
    }
    const std::vector<UnusedTensors> groups = unusedBeside(names);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_THAT(groups[0].text(), HasSubstr("SLA"));
    EXPECT_EQ(groups[0].count, 4U);
    EXPECT_THAT(groups[1].text(), HasSubstr("VSA"));
    EXPECT_EQ(groups[1].names, "blocks.*.to_gate_compress");
    EXPECT_FALSE(groups[0].changesModel || groups[1].changesModel);
}

TEST_F(PartTensors, OfNothingKnownAreGroupedByName) {
    const std::vector<UnusedTensors> groups =
        unusedBeside({"blocks.0.novelty.weight", "blocks.1.novelty.weight", "register_tokens"});
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].text(), "blocks.*.novelty (2 tensors)");
    EXPECT_EQ(groups[1].text(), "register_tokens");
}

TEST_F(PartTensors, WithoutWhichItIsAnotherModelAreMarked) {
    for (const char* name :
         {"blocks.2.attn1.to_q.weight", "vace_blocks.0.proj_out.weight", "blocks.0.attn2.add_k_proj.weight",
          "blocks.0.attn1.to_q.lora_A.weight", "condition_embedder.guidance_embedder.linear_1.weight"}) {
        const std::vector<UnusedTensors> groups = unusedBeside({name});
        ASSERT_EQ(groups.size(), 1U) << name;
        EXPECT_TRUE(groups.front().changesModel) << name;
    }
}

TEST_F(PartTensors, ThatSayNothingOfTheNetworkAreLeftOut) {
    EXPECT_THAT(unusedBeside({"rope.freqs_cos", "freqs", "model_ema.blocks.0.attn1.to_q.weight",
                              "optimizer.step", "blocks.0.attn1.to_q.weight_scale", "scaled_fp8",
                              "__marker__", "blocks.0.attn1.rotary_emb.inv_freq"}),
                IsEmpty());
    const Checkpoint allInOne = with({"vae.decoder.conv1.weight", "text_encoders.umt5xxl.logit_scale",
                                      "text_encoders.umt5xxl.spiece_model"},
                                     "model.diffusion_model.");
    EXPECT_THAT(unusedTensors(allInOne, ModelPart::Transformer, config), IsEmpty());
}

TEST_F(PartTensors, ThatAreMissingAreRefused) {
    streamSafetensors(m_folder / "vae.safetensors",
                      [] {
                          std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("wan2.1-vae"));
                          std::erase_if(tensors, [](const TensorSpec& tensor) {
                              return tensor.name == "decoder.conv_out.bias";
                          });
                          return tensors;
                      }(),
                      {}, {});
    const Checkpoint vae = Checkpoint::open(m_folder / "vae.safetensors");
    try {
        requireUsedTensors(vae, ModelPart::Vae, configOf(requireArchitecture("wan2.1-vae")));
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.where(), HasSubstr("decoder.conv_out.bias"));
    }
}

}  // namespace
}  // namespace meshreel

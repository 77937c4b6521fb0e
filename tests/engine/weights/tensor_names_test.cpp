// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/tensor_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> diffusersNames(const NameMap& map, std::string_view original) {
    std::vector<std::string> names;
    for (const MappedName& mapped : map.toDiffusers(original))
        names.push_back(mapped.name);
    return names;
}

TEST(NameMap, TransformerNamesSwapTheirNorms) {
    const NameMap map(ModelPart::Transformer);
    EXPECT_THAT(diffusersNames(map, "blocks.12.norm3.weight"), ElementsAre("blocks.12.norm2.weight"));
    EXPECT_THAT(diffusersNames(map, "vace_blocks.3.after_proj.bias"),
                ElementsAre("vace_blocks.3.proj_out.bias"));
    EXPECT_EQ(map.toOriginal("scale_shift_table")->name, "head.modulation");
    EXPECT_EQ(map.toOriginal("blocks.0.attn2.to_out.0.bias")->name, "blocks.0.cross_attn.o.bias");
    EXPECT_THAT(diffusersNames(map, "blocks.x.norm3.weight"), IsEmpty());
    EXPECT_THAT(diffusersNames(map, "blocks.01.norm3.weight"), IsEmpty());
    EXPECT_THAT(diffusersNames(map, "blocks.1.norm3"), IsEmpty());
    EXPECT_FALSE(map.toOriginal("blocks.99999999999.norm2.weight"));
}

TEST(NameMap, Animate2sFileMixesBothSides) {
    const NameMap map(ModelPart::Transformer);
    EXPECT_THAT(diffusersNames(map, "blocks.3.self_attn.to_out.0.weight"),
                ElementsAre("blocks.3.attn1.to_out.0.weight"));
    EXPECT_THAT(diffusersNames(map, "blocks.3.cross_attn.add_k_proj.bias"),
                ElementsAre("blocks.3.attn2.add_k_proj.bias"));
    EXPECT_THAT(diffusersNames(map, "blocks.3.cross_attn.norm_added_k.weight"),
                ElementsAre("blocks.3.attn2.norm_added_k.weight"));
    EXPECT_EQ(map.toOriginal("blocks.3.attn1.to_q.weight")->name, "blocks.3.self_attn.q.weight");
}

TEST(NameMap, FusedTensorsAreSplit) {
    const NameMap map(ModelPart::Transformer);
    const auto halves = map.toDiffusers("face_adapter.fuser_blocks.2.linear1_kv.weight");
    ASSERT_EQ(halves.size(), 2U);
    EXPECT_EQ(halves[0], (MappedName{"face_adapter.2.to_k.weight", Reshaping::Rows, 0, 2}));
    EXPECT_EQ(halves[1], (MappedName{"face_adapter.2.to_v.weight", Reshaping::Rows, 1, 2}));
    EXPECT_EQ(map.toOriginal("face_adapter.2.to_v.weight")->part, 1);
    // Known, and not used by diffusers.
    EXPECT_THAT(diffusersNames(map, "motion_encoder.enc.net_app.convs.1.skip.0.kernel"), ElementsAre(""));
}

TEST(NameMap, LevelsOfAVaeAreCountedFromItsNames) {
    for (const int blocks : {1, 2, 3}) {
        const std::vector<std::string> names{
            "decoder.upsamples." + std::to_string(2 * (blocks + 2) - 1) + ".resample.1.weight",
            "decoder.upsamples." + std::to_string(blocks + 1) + ".resample.1.weight"};
        const NameContext context = NameContext::of(names);
        EXPECT_EQ(context.residualBlocks, blocks);
        const NameMap map(ModelPart::Vae, context);
        const std::string second = "decoder.upsamples." + std::to_string(blocks + 2);
        EXPECT_THAT(diffusersNames(map, second + ".residual.2.weight"),
                    ElementsAre("decoder.up_blocks.1.resnets.0.conv1.weight"));
        EXPECT_THAT(diffusersNames(map, names[1]),
                    ElementsAre("decoder.up_blocks.0.upsamplers.0.resample.1.weight"));
        EXPECT_EQ(map.toOriginal("decoder.up_blocks.1.upsamplers.0.resample.1.weight")->name, names[0]);
    }
    const std::vector<std::string> diffusers{"decoder.up_blocks.0.resnets.0.conv1.weight",
                                             "decoder.up_blocks.0.resnets.3.conv1.weight"};
    EXPECT_EQ(NameContext::of(diffusers).residualBlocks, 3);
}

TEST(WeightLayout, IsToldByItsNames) {
    const auto of = [](std::vector<std::string> names) { return WeightLayout::of(names); };
    EXPECT_FALSE(of({"a", "b"}).part);
    const WeightLayout comfy = of({"model.diffusion_model.time_projection.1.weight"});
    EXPECT_EQ(comfy.part, ModelPart::Transformer);
    EXPECT_EQ(comfy.naming, Naming::Original);
    EXPECT_EQ(comfy.prefix, "model.diffusion_model.");
    EXPECT_EQ(of({"enc.blk.0.attn_q.weight"}).naming, Naming::LlamaCpp);
    EXPECT_EQ(of({"blocks.0.pos_embedding.embedding.weight"}).part, ModelPart::TextEncoder);
    EXPECT_EQ(of({"decoder.mid_block.resnets.0.norm1.gamma"}).part, ModelPart::Vae);
}

TEST(ScaleNames, AreToldFromWeights) {
    EXPECT_EQ(parseScaleName("blocks.0.ffn.0.scale_weight")->weight, "blocks.0.ffn.0.weight");
    EXPECT_FALSE(parseScaleName("blocks.0.ffn.0.scale_input")->applies);
    EXPECT_FALSE(parseScaleName("blocks.0.ffn.0.weight"));
    EXPECT_TRUE(isNoWeight("spiece_model"));
}

}  // namespace
}  // namespace meshreel

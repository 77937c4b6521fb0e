// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/model_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/models/families/inferred_config.h"
#include "engine/models/families/part_tensors.h"
#include "engine/weights/formats/safetensors_writer.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Files of a released model's shapes that take no disk.
class Identity : public ::testing::Test {
  protected:
    Checkpoint sparse(const std::vector<TensorSpec>& tensors, const std::string& file,
                      const SafetensorsMetadata& metadata = {}) {
        std::filesystem::create_directories((m_folder / file).parent_path());
        streamSafetensors(m_folder / file, tensors, {}, metadata);
        return Checkpoint::open(m_folder / file);
    }

    static std::vector<TensorSpec> originalNames(std::vector<TensorSpec> tensors, const std::string& prefix) {
        const NameMap map(ModelPart::Transformer);
        for (TensorSpec& tensor : tensors)
            tensor.name = prefix + map.toOriginal(tensor.name)->name;
        return tensors;
    }

    ModelIdentity ofLone14B(const std::string& file, const SafetensorsMetadata& metadata = {}) {
        return identify(sparse(tensorsOf(requireArchitecture("wan2.1-t2v-14b")), file, metadata));
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(Identity, EveryReleasedModelIsKnownByItsShapes) {
    for (const Architecture& architecture : architectures()) {
        SCOPED_TRACE(architecture.name);
        const Checkpoint checkpoint =
            sparse(tensorsOf(architecture), std::string(architecture.name) + ".safetensors");
        const ModelIdentity identity = identify(checkpoint);
        ASSERT_NE(identity.architecture, nullptr);
        EXPECT_EQ(identity.architecture->name, architecture.name);
        EXPECT_THAT(identity.missing, IsEmpty());
        EXPECT_THAT(identity.unexpected, IsEmpty());
        EXPECT_EQ(identity.relative, "");
    }
}

TEST_F(Identity, ConfigsAreInferredFromShapes) {
    for (const Architecture& architecture : architectures()) {
        SCOPED_TRACE(architecture.name);
        const nlohmann::json expected = configOf(architecture);
        const nlohmann::json found =
            inferConfig(sparse(tensorsOf(architecture), std::string(architecture.name) + ".safetensors"));
        EXPECT_EQ(found, expected) << nlohmann::json::diff(expected, found);
    }
}

TEST_F(Identity, OriginalNamesAreTheSameModel) {
    const std::vector<TensorSpec> tensors =
        originalNames(tensorsOf(requireArchitecture("wan2.1-vace-1.3b")), "model.diffusion_model.");
    const ModelIdentity identity = identify(sparse(tensors, "vace.safetensors"));
    ASSERT_NE(identity.architecture, nullptr);
    EXPECT_EQ(identity.architecture->name, "wan2.1-vace-1.3b");
    EXPECT_THAT(identity.unexpected, IsEmpty());
}

TEST_F(Identity, ALoneExpertIsToldByNameOrMetadataOrNotAtAll) {
    const ModelIdentity open = ofLone14B("model.safetensors");
    EXPECT_EQ(open.family, "");
    EXPECT_FALSE(open.doubt.empty());
    EXPECT_EQ(ofLone14B("wan2.1_t2v_14B_bf16.safetensors").family, "Wan 2.1");
    EXPECT_EQ(ofLone14B("wan2.1_t2v_14B_bf16.safetensors").doubt, "");
    const ModelIdentity high = ofLone14B("wan2.2_t2v_high_noise_14B_fp16.safetensors");
    EXPECT_EQ(high.architecture->name, "wan2.2-t2v-a14b");
    EXPECT_THAT(high.what, HasSubstr("high-noise expert"));
    EXPECT_EQ(high.doubt, "");
    EXPECT_THAT(ofLone14B("Wan2.2-T2V-A14B-LowNoise-Q4.safetensors").what, HasSubstr("low-noise expert"));
    EXPECT_THAT(ofLone14B("low_noise_model/diffusion_pytorch_model.safetensors").what,
                HasSubstr("low-noise"));
    const ModelIdentity unnamed = ofLone14B("x.safetensors", {{"modelspec.title", "Wan2.2 T2V A14B"}});
    EXPECT_EQ(unnamed.family, "Wan 2.2");
    EXPECT_FALSE(unnamed.doubt.empty());
    EXPECT_NE(testing::patternOf(unnamed.doubt), testing::patternOf(open.doubt))
        << "only the expert is unknown";
    // Both at once says nothing.
    EXPECT_EQ(ofLone14B("wan2.1_or_wan2.2.safetensors").doubt, open.doubt);
}

TEST_F(Identity, RelativesAreRefusedByNameWithWhatToUseInstead) {
    struct OwnTensor {
        const char* tensor;
        const char* name;
        const char* instead;
    };
    for (const auto& [tensor, name, instead] :
         {OwnTensor{"fps_embedding.weight", "SkyReels", "Wan 2.1 or 2.2"},
          OwnTensor{"control_adapter.conv.weight", "Camera", "Fun Control"},
          OwnTensor{"audio_proj.audio_proj_glob_1.layer.weight", "HuMo", "S2V"},
          OwnTensor{"blocks.0.audio_cross_attn_wrapper.audio_cross_attn.q.weight", "HuMo", "S2V"},
          OwnTensor{"blocks.0.audio_cross_attn.q_linear.weight", "MultiTalk", "S2V"},
          OwnTensor{"mask_patch_embedding.weight", "SCAIL-2", "Animate"},
          OwnTensor{"condition_embedding_spatial.conv_p.weight", "SteadyDancer", "Animate"},
          OwnTensor{"blocks.0.motion_attn.k.weight", "MTVCrafter", "Animate"},
          OwnTensor{"music_injector.injector.0.k.weight", "Wan-Dancer", "Animate"},
          OwnTensor{"blocks.0.pre_crs_attn_norm.weight", "LongCat", "Wan 2.1 or 2.2"},
          OwnTensor{"blocks.0.self_attn.ref_adapter.to_k_ref.weight", "Lynx", "Phantom"},
          OwnTensor{"blocks.0.cross_attn.ip_adapter.registers", "Lynx", "Phantom"},
          OwnTensor{"blocks.0.self_attn.q_loras.down.weight", "Stand-In", "Phantom"},
          OwnTensor{"text_projection.0.weight", "BindWeave", "Phantom"},
          OwnTensor{"controlnet_patch_embedding.weight", "Uni3C", "Fun Control"},
          OwnTensor{"patch_embedding_wancamctrl.weight", "LingBot-World", "Fun Control"}}) {
        std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("wan2.1-t2v-1.3b"));
        tensors.push_back({tensor, DType::F32, Shape{1}});
        const Checkpoint checkpoint = sparse(tensors, "x.safetensors");
        const ModelIdentity identity = identify(checkpoint);
        EXPECT_THAT(identity.relative, HasSubstr(name)) << tensor;
        EXPECT_THAT(identity.instead, HasSubstr(instead)) << tensor;
        EXPECT_THAT(insteadOfRelative(checkpoint), HasSubstr(instead)) << tensor;
    }
    EXPECT_THAT(
        identify(sparse({{"double_blocks.0.img_attn.qkv.weight", DType::F32, Shape{1}}}, "y.safetensors"))
            .relative,
        HasSubstr("HunyuanVideo"));
}

TEST_F(Identity, ModelsOf5BThatTakeMoreAreKnownByTheirChannels) {
    for (const auto& [channels, name] : {std::pair{100, "Fun"}, std::pair{96, "Lucy Edit"}}) {
        std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("wan2.2-ti2v-5b"), 1);
        for (TensorSpec& tensor : tensors)
            if (tensor.name == "patch_embedding.weight")
                tensor.shape = {tensor.shape[0], channels, 1, 2, 2};
        EXPECT_THAT(describeRelative(sparse(tensors, "x.safetensors")), HasSubstr(name)) << channels;
    }
}

TEST_F(Identity, FunControlIsKnownInAllItsForms) {
    const auto identityOf = [&](const char* name, const char* file) {
        return identify(sparse(originalNames(tensorsOf(requireArchitecture(name)), ""), file));
    };
    const ModelIdentity first = identityOf("wan2.1-fun-control-14b", "a.safetensors");
    EXPECT_EQ(first.relative, "");
    EXPECT_EQ(first.architecture->name, "wan2.1-fun-control-14b");
    EXPECT_EQ(first.family, "Wan 2.1");
    EXPECT_EQ(identityOf("wan2.1-fun-control-v1.1-1.3b", "b.safetensors").architecture->name,
              "wan2.1-fun-control-v1.1-1.3b");
    EXPECT_EQ(identityOf("wan2.2-fun-control-5b", "c.safetensors").architecture->name,
              "wan2.2-fun-control-5b");
    EXPECT_THAT(
        identify(sparse(tensorsOf(requireArchitecture("wan2.2-fun-control-5b"), 3), "d.safetensors")).what,
        HasSubstr("Fun Control"))
        << "of no released size";
    const ModelIdentity expert =
        identityOf("wan2.2-fun-control-a14b", "wan2.2_fun_control_low_noise_14B_fp8_scaled.safetensors");
    EXPECT_EQ(expert.architecture->name, "wan2.2-fun-control-a14b");
    EXPECT_EQ(expert.expert, Expert::Low);
    EXPECT_EQ(expert.doubt, "");
    EXPECT_FALSE(identityOf("wan2.2-fun-control-a14b", "fun.safetensors").doubt.empty());
}

TEST_F(Identity, Animate2IsKnownByItsConfigOrItsName) {
    const std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("wan2.1-i2v-14b"), 1);
    const auto trained = [&](const std::string& file, const SafetensorsMetadata& metadata = {}) {
        return readTrainedInput(sparse(tensors, file, metadata));
    };
    EXPECT_EQ(trained("wan2.1_i2v_720p_14B.safetensors"), TrainedInput::None);
    EXPECT_EQ(trained("wan_animate_2_bf16.safetensors"), TrainedInput::Driving);
    EXPECT_EQ(trained("Wan2.2-Animate-2-14B/model.safetensors"), TrainedInput::Driving);
    EXPECT_EQ(trained("wan_animate_2_bf16_distillation.safetensors"), TrainedInput::DrivingInFewSteps);
    EXPECT_EQ(trained("Wan2.2-Animate-2-14B-Distilled-Diffusers/transformer/model.safetensors"),
              TrainedInput::DrivingInFewSteps);
    EXPECT_EQ(trained("x.safetensors", {{"config", R"({"model_type": "animate2"})"}}), TrainedInput::Driving);
    EXPECT_EQ(trained("x.safetensors", {{"config", R"({"_class_name": "WanAnimate2Transformer3DModel"})"}}),
              TrainedInput::Driving);
    EXPECT_EQ(trained("my_animate2.safetensors", {{"config", R"({"model_type": "i2v"})"}}),
              TrainedInput::None)
        << "a config says more than a name";
    EXPECT_EQ(readTrainedInput(sparse(tensorsOf(requireArchitecture("wan2.2-animate-14b"), 5),
                                      "animate2/wan2.2_animate_14B.safetensors")),
              TrainedInput::None)
        << "the first Animate";
    const ModelIdentity found = identify(sparse(tensors, "wan_animate_2_bf16.safetensors"));
    EXPECT_EQ(found.relative, Sentence());
    EXPECT_EQ(found.family, Sentence("Wan 2.2"));
    EXPECT_EQ(found.trained, TrainedInput::Driving);
    EXPECT_THAT(found.what, HasSubstr("Animate-2"));
    EXPECT_EQ(readTrainedInput("wan_animate_2_bf16.safetensors"), TrainedInput::Driving);
    EXPECT_EQ(readTrainedInput("wan_animate_2_bf16_distillation.safetensors"),
              TrainedInput::DrivingInFewSteps);
    EXPECT_EQ(readTrainedInput("wan2.2_animate_14B_bf16.safetensors"), TrainedInput::None);
}

TEST_F(Identity, PlainWeightsThatWereTrainedForMoreAreRemarkedOn) {
    const std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("wan2.1-t2v-1.3b"), 1);
    const auto trained = [&](const char* file, const SafetensorsMetadata& metadata = {}) {
        return readTrainedInput(sparse(tensors, file, metadata));
    };
    EXPECT_EQ(trained("wan2.1_t2v.safetensors"), TrainedInput::None);
    EXPECT_EQ(trained("phantom/models/wan/2.1/wan2.1_t2v.safetensors"), TrainedInput::None)
        << "whose models they are";
    EXPECT_EQ(trained("Phantom-Wan-1_3B.safetensors"), TrainedInput::Subjects);
    EXPECT_EQ(trained("x.safetensors", {{"modelspec.title", "Phantom-Wan-14B"}}), TrainedInput::Subjects);
    EXPECT_EQ(trained("Wan2_1-ATI-14B.safetensors"), TrainedInput::Tracks);
    EXPECT_EQ(trained("ATI/transformer/model.safetensors"), TrainedInput::Tracks);
    EXPECT_EQ(trained("models--bytedance-research--ATI/snapshots/0123/model.safetensors"),
              TrainedInput::Tracks);
    EXPECT_EQ(trained("Wan21-WanMove_fp8_scaled_e4m3fn_KJ.safetensors"), TrainedInput::Moves);
    EXPECT_EQ(trained("Wan-Move-14B-480P/transformer/model.safetensors"), TrainedInput::Moves);
    EXPECT_EQ(trained("bernini_r_wan2.2_1.3B_mbf16.safetensors"), TrainedInput::Sources);
    EXPECT_EQ(
        trained("models--ByteDance--Bernini-R-1.3B-Diffusers/snapshots/0123/transformer/model.safetensors"),
        TrainedInput::Sources);
    EXPECT_EQ(readTrainedInput("wan2.1_bernini_1.3B_fp16.safetensors"), TrainedInput::Sources);
    EXPECT_EQ(readTrainedInput("wan2.1_t2v_1.3B_fp16.safetensors"), TrainedInput::None);
    EXPECT_EQ(trained("static/station.safetensors"), TrainedInput::None);
    EXPECT_EQ(readTrainedInput(
                  sparse({{"decoder.1.conv.3.weight", DType::F32, Shape{1}}}, "phantom_vae.safetensors")),
              TrainedInput::None);
    EXPECT_THAT(describeTrainedInput(TrainedInput::Subjects), HasSubstr("reference_images"));
    EXPECT_THAT(describeTrainedInput(TrainedInput::Tracks), HasSubstr("(tracks)"));
    EXPECT_THAT(describeTrainedInput(TrainedInput::Moves), HasSubstr("(tracks)"));
    EXPECT_THAT(describeTrainedInput(TrainedInput::Sources), HasSubstr("(video)"));
    EXPECT_EQ(describeTrainedInput(TrainedInput::None), Sentence());
}

TEST_F(Identity, ASmallDecoderIsAVaeAndItsNameTellsOfWhichModel) {
    const std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("taew2_1"));
    const ModelIdentity own = identify(sparse(tensors, "taew2_1.safetensors"));
    EXPECT_EQ(own.part, ModelPart::Vae);
    EXPECT_EQ(own.family, "Wan 2.1");
    EXPECT_TRUE(own.namedForWan);
    EXPECT_EQ(identify(sparse(tensors, "taehv.safetensors")).namedFor, "HunyuanVideo");
    const std::vector<TensorSpec> larger{{"decoder.1.conv.3.weight", DType::F32, Shape{1}}};
    EXPECT_THAT(identify(sparse(larger, "taew2_2_super.safetensors")).relative, HasSubstr("TAEHV"));
}

TEST_F(Identity, ATextEncoderWithOneRelativeBiasIsNoUmt5) {
    std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("umt5-xxl"), 3);
    EXPECT_EQ(describeRelative(sparse(tensors, "umt5.safetensors")), "");
    std::erase_if(tensors, [](const TensorSpec& tensor) {
        return tensor.name.ends_with("relative_attention_bias.weight") &&
               !tensor.name.starts_with("encoder.block.0.");
    });
    EXPECT_THAT(identify(sparse(tensors, "t5.safetensors")).relative, HasSubstr("T5"));
    tensors.front().shape = {32128, 4096};
    EXPECT_THAT(describeRelative(sparse(tensors, "t5xxl.safetensors")), HasSubstr("Flux"));
}

TEST_F(Identity, AVaeIsForeignByItsClassOrItsShapes) {
    const std::vector<TensorSpec> own = tensorsOf(requireArchitecture("wan2.1-vae"));
    EXPECT_EQ(describeRelative(sparse(own, "a/qwen_image_vae.safetensors")), "") << "a name is no proof";
    const auto withChannels = [&](std::int64_t in, std::int64_t out) {
        std::vector<TensorSpec> tensors = own;
        for (TensorSpec& tensor : tensors)
            if (tensor.name == "encoder.conv_in.weight")
                tensor.shape = {96, in, 3, 3, 3};
            else if (tensor.name == "decoder.conv_out.weight")
                tensor.shape = {out, 96, 3, 3, 3};
        return describeRelative(sparse(tensors, "a/vae.safetensors"));
    };
    EXPECT_THAT(withChannels(3, 12), HasSubstr("2x"));
    EXPECT_THAT(withChannels(4, 4), HasSubstr("4"));
    std::vector<TensorSpec> flat = own;
    for (TensorSpec& tensor : flat)
        if (tensor.name == "decoder.conv_out.weight")
            tensor.shape = {3, 96, 3, 3};
    EXPECT_THAT(describeRelative(sparse(flat, "a/vae2d.safetensors")), HasSubstr("images"));
    const Checkpoint ofClass =
        sparse(own, "b/vae.safetensors", {{"config", R"({"_class_name": "AutoencoderKLQwenImage"})"}});
    EXPECT_THAT(describeRelative(ofClass), HasSubstr("Qwen-Image"));
}

TEST_F(Identity, ThePlainestNameTellsVaesOfOneShapeApart) {
    const std::vector<TensorSpec> vae = tensorsOf(requireArchitecture("wan2.1-vae"));
    const auto named = [&](const std::string& file, const SafetensorsMetadata& metadata = {}) {
        const ModelIdentity identity = identify(sparse(vae, file, metadata));
        return identity.namedForWan ? std::string("Wan") : identity.namedFor.text();
    };
    EXPECT_EQ(named("qwen_image_vae.safetensors"), "Qwen-Image");
    EXPECT_EQ(named("qwen/wan_2.1_vae.safetensors"), "Wan") << "the file's own name comes first";
    EXPECT_EQ(named("Qwen-Image/vae/model.safetensors"), "Qwen-Image");
    EXPECT_EQ(named("vae/model.safetensors", {{"modelspec.title", "Wan 2.1 VAE"}}), "Wan");
    EXPECT_EQ(named("some/vae/model.safetensors"), "");
    EXPECT_EQ(named("some/vae/wan_or_qwen.safetensors"), "");
}

TEST_F(Identity, WhatIsMissingIsTold) {
    std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("wan2.1-t2v-1.3b"));
    std::erase_if(tensors,
                  [](const TensorSpec& tensor) { return tensor.name.starts_with("blocks.7.attn2.to_q"); });
    const ModelIdentity identity = identify(sparse(tensors, "x.safetensors"));
    EXPECT_THAT(identity.missing,
                ::testing::ElementsAre("blocks.7.attn2.to_q.weight", "blocks.7.attn2.to_q.bias"));
}

TEST_F(Identity, AConfigThatShapesDoNotTellIsAskedFor) {
    std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("wan2.1-t2v-1.3b"), 1);
    for (TensorSpec& tensor : tensors)
        if (tensor.name == "patch_embedding.weight")
            tensor.shape = {96, 16, 1, 2, 2};
    try {
        static_cast<void>(inferConfig(sparse(tensors, "x.safetensors")));
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("128"));
        EXPECT_THAT(error.what(), HasSubstr("config.json"));
    }
    const Checkpoint carried =
        sparse(tensors, "y.safetensors", {{"config", R"({"num_attention_heads": 3})"}});
    EXPECT_EQ(configOf(carried).at("num_attention_heads"), 3);
}

/// LightVAE: Wan 2.1's VAE with a quarter of the channels.
TEST_F(Identity, ALightVaeIsWansOfAnotherWidth) {
    const ArchitectureFamily& family = requireArchitecture("wan2.1-vae").family;
    nlohmann::json config = configOf(requireArchitecture("wan2.1-vae"));
    config["base_dim"] = 24;
    const Checkpoint light = sparse(family.tensors(config), "lightvaew2_1.safetensors");
    EXPECT_EQ(configOf(light), config);
    EXPECT_EQ(identify(light).relative, "");
    EXPECT_NO_THROW(requireUsedTensors(light, ModelPart::Vae, configOf(light)));
    EXPECT_THAT(unusedTensors(light, ModelPart::Vae, configOf(light)), IsEmpty());
}

TEST_F(Identity, TheClassOfAConfigComesFirst) {
    const std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("wan2.1-t2v-1.3b"), 1);
    const auto with = [&](const char* config) {
        static int files = 0;
        return configOf(
            sparse(tensors, "c" + std::to_string(++files) + ".safetensors", {{"config", config}}));
    };
    const nlohmann::json original =
        with(R"({"_class_name": "WanModel", "dim": 1536, "num_heads": 24, "num_layers": 30, "eps": 1e-05})");
    EXPECT_EQ(original.at("num_attention_heads"), 24);
    EXPECT_EQ(original.at("attention_head_dim"), 64);
    EXPECT_EQ(original.at("num_layers"), 1) << "the shapes tell";
    EXPECT_EQ(original.at("eps"), 1e-05);
    EXPECT_EQ(with(R"({"model_type": "t2v", "dim": 1536, "num_heads": 12})").at("num_attention_heads"), 12);
    const nlohmann::json skyReels = with(R"({"_class_name": "SkyReelsV2Transformer3DModel", "eps": 1e-04})");
    EXPECT_EQ(skyReels.at("_class_name"), "WanTransformer3DModel");
    EXPECT_EQ(skyReels.at("eps"), 1e-04);
    for (const char* other : {R"({"architectures": ["UMT5EncoderModel"], "num_layers": 99})",
                              R"({"_class_name": "AutoencoderKLWan", "num_layers": 99})",
                              R"({"_class_name": "SomeTransformer", "num_layers": 99})"})
        EXPECT_EQ(with(other).at("num_layers"), 1) << other;
}

}  // namespace
}  // namespace meshreel

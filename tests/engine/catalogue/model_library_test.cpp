// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A copy of the embedded model under a fresh data folder, which models are looked for in.
class Model : public ::testing::Test {
  protected:
    Model() {
        setenv("XDG_DATA_HOME", m_data.path().c_str(), 1);
        setenv("HF_HUB_CACHE", (m_data / "hub").c_str(), 1);
        fs::create_directories(m_folder.parent_path());
        fs::copy(findModel("tiny-wan-t2v"), m_folder, fs::copy_options::recursive);
    }

    void edit(const std::string& file, const std::function<void(nlohmann::json&)>& change) const {
        nlohmann::json json = readJsonObject(m_folder / file);
        change(json);
        writeFileAtomically(m_folder / file, std::string_view(json.dump()));
    }

    [[nodiscard]] std::string refusal() const {
        try {
            readModelFacts(m_folder);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            return error.what();
        }
        ADD_FAILURE() << "accepted";
        return {};
    }

    testing::TemporaryFolder m_data;
    fs::path m_folder = m_data / "meshreel" / "models" / "Mine" / "copy";
};

TEST_F(Model, IsFoundByNameIdPathAndInTheHuggingFaceCache) {
    EXPECT_EQ(findModel("Mine/copy"), m_folder);
    EXPECT_EQ(findModel(m_folder.string()), m_folder);
    const fs::path snapshot = m_data / "hub" / "models--Wan-AI--Tiny" / "snapshots" / "abc";
    fs::create_directories(snapshot);
    writeFileAtomically(snapshot / "model_index.json", std::string_view(R"({"_class_name": "WanPipeline"})"));
    EXPECT_EQ(findModel("Wan-AI/Tiny"), snapshot);

    std::vector<std::string> names;
    for (const ModelInfo& model : installedModels())
        names.push_back(model.name);
    EXPECT_THAT(names, ::testing::ElementsAre("tiny-wan-i2v", "tiny-wan-t2v", "Mine/copy", "Wan-AI/Tiny"));
}

TEST_F(Model, TheEmbeddedOnesHaveTheirCards) {
    std::size_t embedded = 0;
    for (const ModelInfo& model : installedModels()) {
        if (!model.embedded)
            continue;
        ++embedded;
        EXPECT_TRUE(model.card.starts_with("# " + model.name)) << model.card.substr(0, 40);
        EXPECT_EQ(model.pipelineClass,
                  model.name.ends_with("i2v") ? "WanImageToVideoPipeline" : "WanPipeline");
        EXPECT_GT(model.bytes, 15'000'000U);
        EXPECT_LE(model.bytes, 24'000'000U);
    }
    EXPECT_EQ(embedded, 2U);
}

TEST_F(Model, OfTheWanProjectIsListedWithItsParts) {
    const fs::path folder = m_data / "meshreel" / "models" / "Wan-AI" / "Wan2.1-T2V-1.3B";
    fs::create_directories(folder / "google" / "umt5-xxl");
    fs::copy(m_folder / "transformer" / "diffusion_pytorch_model.safetensors", folder);
    fs::copy(m_folder / "vae" / "diffusion_pytorch_model.safetensors", folder / "Wan2.1_VAE.safetensors");
    const fs::path part = m_data / "meshreel" / "models" / "vae";
    fs::create_directories(part);
    fs::copy(m_folder / "vae" / "diffusion_pytorch_model.safetensors", part);
    const std::vector<ModelInfo> models = installedModels();
    EXPECT_TRUE(std::ranges::none_of(models, [](const ModelInfo& model) { return model.name == "vae"; }));
    const auto found = std::ranges::find(models, "Wan-AI/Wan2.1-T2V-1.3B", &ModelInfo::name);
    ASSERT_NE(found, models.end());
    EXPECT_TRUE(found->original);
    EXPECT_EQ(found->folder, folder);
    const ModelCatalogue catalogue{.models = {*found}, .files = {}, .tokenizers = {}};
    EXPECT_THAT(catalogueText(catalogue), HasSubstr("tokenizer, transformer, vae"));
    EXPECT_EQ(catalogueJson(catalogue)["models"][0]["original"], true);
    for (const ModelInfo& model : models)
        EXPECT_EQ(model.original, model.folder == folder) << model.name;
}

TEST_F(Model, WhenMissingSaysHowToGetIt) {
    const auto refused = [](const std::string& name) {
        return testing::refusalOf(ErrorKind::Input, [&name] { findModel(name); });
    };
    EXPECT_THAT(
        refused("Wan-AI/Wan2.1-T2V-1.3B-Diffusers"),
        AllOf(testing::At("pretrained_model_name_or_path"),
              testing::Names("wan2.1-t2v-1.3b", downloadCommand("Wan-AI/Wan2.1-T2V-1.3B-Diffusers"))));
    EXPECT_THAT(refused("tiny"), testing::Names("tiny-wan-i2v, tiny-wan-t2v, Mine/copy"));
    EXPECT_THAT(refused("/nowhere"), testing::At("/nowhere"));
    EXPECT_THAT(refused(m_data.path().string()), testing::Names("model_index.json"));
}

TEST_F(Model, OfAnotherPipelineIsRefusedSayingWhich) {
    edit("model_index.json", [](auto& json) { json["_class_name"] = "StableDiffusionPipeline"; });
    EXPECT_THAT(refusal(), HasSubstr("StableDiffusionPipeline"));
    edit("model_index.json", [](auto& json) {
        json["_class_name"] = "WanPipeline";
        json["transformer_2"] = {"diffusers", "WanTransformer3DModel"};
    });
    EXPECT_THAT(refusal(), HasSubstr("transformer_2"));
    edit("model_index.json", [](auto& json) {
        json["transformer_2"] = {nullptr, nullptr};
        json["vae"] = {"diffusers", "AutoencoderKL"};
    });
    EXPECT_THAT(refusal(), AllOf(HasSubstr("AutoencoderKL"), HasSubstr("AutoencoderKLWan")));
}

TEST_F(Model, WhosePartsDoNotFitIsRefusedWithBothNumbers) {
    edit("transformer/config.json", [](auto& json) { json["text_dim"] = 128; });
    EXPECT_THAT(refusal(), AllOf(HasSubstr("128"), HasSubstr("96")));
    edit("transformer/config.json", [](auto& json) {
        json["text_dim"] = 96;
        json["in_channels"] = 48;
    });
    EXPECT_THAT(refusal(), AllOf(HasSubstr("32"), HasSubstr("16")));
    edit("transformer/config.json", [](auto& json) { json["out_channels"] = 48; });
    EXPECT_THAT(refusal(), AllOf(HasSubstr("48"), HasSubstr("16")));
}

TEST_F(Model, OfAPipelineWithWansNetworksIsWans) {
    edit("model_index.json", [](auto& json) { json["_class_name"] = "WanDMDPipeline"; });
    EXPECT_EQ(readModelFacts(m_folder).family->name, "wan2.1-t2v");
    edit("model_index.json", [](auto& json) {
        json["_class_name"] = "SkyReelsV2Pipeline";
        json["transformer"] = {"diffusers", "SkyReelsV2Transformer3DModel"};
    });
    edit("transformer/config.json", [](auto& json) { json["_class_name"] = "SkyReelsV2Transformer3DModel"; });
    EXPECT_EQ(readModelFacts(m_folder).family->name, "wan2.1-t2v");
    edit("model_index.json", [](auto& json) { json["_class_name"] = "SkyReelsV2DiffusionForcingPipeline"; });
    EXPECT_THAT(refusal(), HasSubstr("SkyReels-V2 diffusion forcing"));
}

TEST_F(Model, OfVaceMayHaveTwoExperts) {
    edit("model_index.json", [](auto& json) {
        json["_class_name"] = "WanVACEPipeline";
        json["transformer_2"] = {"diffusers", "WanVACETransformer3DModel"};
        json["boundary_ratio"] = 0.875;
    });
    fs::remove_all(m_folder / "transformer");
    const nlohmann::json vace = {
        {"_class_name", "WanVACETransformer3DModel"}, {"vace_layers", {0, 1}}, {"vace_in_channels", 96}};
    nlohmann::json config = readJsonObject(findModel("tiny-wan-t2v") / "transformer" / "config.json");
    config["num_layers"] = 2;
    config.update(vace);
    for (const char* expert : {"transformer", "transformer_2"})
        testing::makeRandomPart(m_folder / expert, "wan2.1-t2v-14b", config, 1);
    const ModelFacts facts = readModelFacts(m_folder);
    EXPECT_EQ(facts.family->name, "wan2.2-vace-a14b");
    EXPECT_EQ(facts.experts(), 2);
    EXPECT_EQ(facts.boundaryRatio, 0.875);
}

TEST_F(Model, WithAnotherTokenizerIsRefusedWithBothNumbers) {
    fs::remove(m_folder / "tokenizer" / "spiece.model");
    writeFileAtomically(m_folder / "tokenizer" / "tokenizer.json",
                        std::string_view(R"({"model": {"vocab": [["<pad>", 0], ["a", -1]]},
                                             "added_tokens": [{"id": 299, "content": "</s>"}]})"));
    EXPECT_THAT(refusal(), AllOf(HasSubstr("300 tokens"), HasSubstr("1400"), HasSubstr("parts.tokenizer")));
}

/// The file's tensors, one of them changed or added.
void rewrite(const fs::path& file, const std::function<void(std::vector<NamedTensor>&)>& change) {
    std::vector<NamedTensor> tensors;
    {
        const SafetensorsFile source = SafetensorsFile::open(file);
        for (const std::string& name : source.names())
            tensors.emplace_back(name, source.get(name).clone());
    }
    change(tensors);
    fs::remove(file);
    writeSafetensors(file, tensors);
}

TEST_F(Model, StoredInWhatIsNotReadIsRefusedBeforeItIsLoaded) {
    for (const auto& [part, file] : {std::pair{"vae", "diffusion_pytorch_model.safetensors"},
                                     std::pair{"text_encoder", "model.safetensors"},
                                     std::pair{"transformer", "diffusion_pytorch_model.safetensors"}}) {
        fs::remove_all(m_folder / part);
        fs::copy(findModel("tiny-wan-t2v") / part, m_folder / part);
        rewrite(m_folder / part / file, [](std::vector<NamedTensor>& tensors) {
            for (auto& [name, tensor] : tensors)
                if (tensor.shape().rank() > 1 && name.ends_with(".weight")) {
                    tensor = Tensor::empty(tensor.shape(), DType::U8);
                    return;
                }
        });
        EXPECT_THAT(refusal(), AllOf(HasSubstr(file), HasSubstr("U8"))) << part;
        fs::remove_all(m_folder / part);
        fs::copy(findModel("tiny-wan-t2v") / part, m_folder / part);
    }
}

TEST_F(Model, WithTensorsThatAreNotUsedTellsThem) {
    EXPECT_TRUE(readModelFacts(m_folder).remarks.empty());
    const fs::path file = m_folder / "transformer" / "diffusion_pytorch_model.safetensors";
    rewrite(file, [](std::vector<NamedTensor>& tensors) {
        for (const char* block : {"0", "1", "2"})
            tensors.emplace_back(std::string("blocks.") + block + ".attn1.to_gate_compress.weight",
                                 Tensor::zeros({4, 4}));
    });
    const ModelFacts facts = readModelFacts(m_folder);
    ASSERT_EQ(facts.remarks.size(), 1U);
    EXPECT_EQ(facts.remarks.front().part, "transformer");
    EXPECT_THAT(facts.remarks.front().message,
                AllOf(HasSubstr("blocks.*.attn1.to_gate_compress (3 tensors)"), HasSubstr("VSA")));
    edit("transformer/config.json", [](auto& json) { json["num_layers"] = 2; });
    EXPECT_THAT(refusal(), AllOf(HasSubstr("blocks."), HasSubstr("config.json")));
}

TEST(PublishedParts, AreThoseOfTheRelease) {
    const std::vector<PublishedPart> parts = publishedParts("Wan-AI/Wan2.1-T2V-1.3B-Diffusers");
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[0].name, "transformer");
    EXPECT_GT(parts[0].bytes, 2'800'000'000U);  // 1.42 billion parameters, released in bf16
    EXPECT_LT(parts[0].bytes, 2'850'000'000U);
    EXPECT_EQ(publishedParts("Wan-AI/Wan2.2-T2V-A14B-Diffusers")[1].name, "transformer_2");
    EXPECT_EQ(publishedParts("Wan-AI/Wan2.1-I2V-14B-480P-Diffusers").back().name, "image_encoder");
    EXPECT_TRUE(publishedParts("my-model").empty());
}

TEST_F(Model, IsAddedByALink) {
    const fs::path elsewhere = m_data / "downloads" / "fox";
    fs::create_directories(elsewhere.parent_path());
    fs::copy(findModel("tiny-wan-t2v"), elsewhere, fs::copy_options::recursive);
    const fs::path link = addModel(elsewhere / "");
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(findModel("fox"), link);
    const fs::path file = m_data / "downloads" / "fox-lora.safetensors";
    fs::copy_file(elsewhere / "transformer" / "diffusion_pytorch_model.safetensors", file);
    EXPECT_TRUE(fs::is_regular_file(addModel(file)));
    EXPECT_EQ(scanModels().files.size(), 1U);
    EXPECT_THROW(addModel(elsewhere), Error) << "its name is taken";
    EXPECT_THROW(addModel(m_folder), Error) << "it is there already";
    fs::create_directories(m_data / "empty");
    EXPECT_THROW(addModel(m_data / "empty"), Error);
    writeFileAtomically(m_data / "notes.txt", "no weights");
    EXPECT_THROW(addModel(m_data / "notes.txt"), Error);
}

TEST_F(Model, WithPartsMissingIsRefused) {
    fs::remove(m_folder / "vae" / "diffusion_pytorch_model.safetensors");
    EXPECT_THAT(refusal(), HasSubstr("vae"));
    fs::remove(m_folder / "tokenizer" / "spiece.model");
    EXPECT_THAT(refusal(), HasSubstr("tokenizer"));
}

}  // namespace
}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
// Which files of a models folder are taken for the parts that a project does not name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/catalogue/expert_contradictions.h"
#include "engine/catalogue/part_search.h"
#include "engine/project/project.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/locations.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Files beside each other, made of the embedded model's parts.
class PartSearch : public ::testing::Test {
  protected:
    PartSearch() {
        add("text_encoders/umt5.safetensors", "text_encoder/model.safetensors");
        add("vae/wan_2.1_vae.safetensors", "vae/diffusion_pytorch_model.safetensors");
        addTokenizer("tokenizer", embedded / "tokenizer" / "spiece.model");
    }

    using Change = std::function<void(std::vector<NamedTensor>&)>;

    /// A part of the embedded model in f32 under another name, its tensors changed.
    void add(const std::string& file, const std::string& part, const Change& change = {}) {
        const SafetensorsFile source = SafetensorsFile::open(embedded / part);
        std::vector<NamedTensor> tensors;
        for (const std::string& name : source.names())
            tensors.emplace_back(name, source.get(name).toF32());
        if (change)
            change(tensors);
        fs::create_directories((m_folder / file).parent_path());
        writeSafetensors(m_folder / file, tensors);
        drop(file);
        m_catalogue.files.push_back(describeFile(m_folder / file));
    }

    void drop(const std::string& file) {
        std::erase_if(m_catalogue.files,
                      [&](const CatalogueFile& one) { return one.path == m_folder / file; });
    }

    void addTokenizer(const std::string& folder, const fs::path& file) {
        fs::create_directories(m_folder / folder);
        fs::copy(file, m_folder / folder / file.filename());
        m_catalogue.tokenizers.push_back(m_folder / folder);
        std::ranges::sort(m_catalogue.tokenizers);
    }

    /// A Unigram tokenizer of so many pieces.
    void addJsonTokenizer(const std::string& folder, int pieces) {
        std::string vocabulary;
        for (int piece = 0; piece < pieces; ++piece)
            vocabulary += (piece == 0 ? "" : ",") + std::string("[\"") + std::to_string(piece) + "\",-1]";
        fs::create_directories(m_folder / folder);
        writeFileAtomically(
            m_folder / folder / "tokenizer.json",
            R"({"added_tokens":[{"id":0,"content":"<pad>"}],"model":{"type":"Unigram","vocab":[)" +
                vocabulary + "]}}");
        m_catalogue.tokenizers.push_back(m_folder / folder);
        std::ranges::sort(m_catalogue.tokenizers);
    }

    std::string chosen(const std::string& part) {
        m_sources = {{"transformer", embedded / "transformer"}};
        m_passedOver = completeParts(m_sources, m_catalogue);
        return fs::relative(m_sources.at(part), m_folder.path()).string();
    }

    std::string refusal() {
        try {
            static_cast<void>(chosen("vae"));
        } catch (const Error& error) {
            return error.what();
        }
        return "found";
    }

    static void negate(std::vector<NamedTensor>& tensors) {
        for (auto& [name, tensor] : tensors) {
            tensor = tensor.clone();
            for (float& value : tensor.data<float>())
                value = -value;
        }
    }

    static void round(std::vector<NamedTensor>& tensors) {
        for (auto& [name, tensor] : tensors)
            tensor = tensor.to(DType::BF16);
    }

    /// T5 has a relative bias in its first block only.
    static void dropBiases(std::vector<NamedTensor>& tensors) {
        std::erase_if(tensors, [](const NamedTensor& tensor) {
            return tensor.first.ends_with("relative_attention_bias.weight") &&
                   !tensor.first.starts_with("encoder.block.0.");
        });
    }

    const fs::path embedded = resourceFolder() / "models" / "tiny-wan-t2v";
    testing::TemporaryFolder m_folder;
    ModelCatalogue m_catalogue;
    PartSources m_sources;
    PartSources m_passedOver;
};

TEST_F(PartSearch, TakesNoT5ForUmt5) {
    add("text_encoders/umt5.safetensors", "text_encoder/model.safetensors", round);
    add("clip/t5xxl.safetensors", "text_encoder/model.safetensors", dropBiases);
    EXPECT_EQ(chosen("text_encoder"), "text_encoders/umt5.safetensors") << "the other file is larger";
    drop("text_encoders/umt5.safetensors");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("lacks text_encoder"), HasSubstr("t5xxl.safetensors is T5")));
}

TEST_F(PartSearch, TakesTheTokenizerOfTheEncodersVocabulary) {
    addJsonTokenizer("aaa", 300);
    addJsonTokenizer("bbb", 32100);
    EXPECT_EQ(chosen("tokenizer"), "tokenizer");
    m_catalogue.tokenizers.pop_back();
    EXPECT_THAT(refusal(), AllOf(HasSubstr("lacks tokenizer"), HasSubstr("300 tokens"),
                                 HasSubstr("32100 tokens"), HasSubstr("vocabulary 1400")));
}

TEST_F(PartSearch, TakesTheLargestOfTheSameWeights) {
    add("vae/Wan2_1_VAE_bf16.safetensors", "vae/diffusion_pytorch_model.safetensors", round);
    EXPECT_EQ(chosen("vae"), "vae/wan_2.1_vae.safetensors");
    add("vae/wan_2.1_vae.safetensors", "vae/diffusion_pytorch_model.safetensors", round);
    add("vae/Wan2_1_VAE_bf16.safetensors", "vae/diffusion_pytorch_model.safetensors");
    EXPECT_EQ(chosen("vae"), "vae/Wan2_1_VAE_bf16.safetensors");
    EXPECT_THAT(m_passedOver, IsEmpty());
}

TEST_F(PartSearch, TakesWansVaeAndTellsThatItsNameDecided) {
    add("vae/wan_2.1_vae.safetensors", "vae/diffusion_pytorch_model.safetensors", round);
    add("vae/qwen_image_vae.safetensors", "vae/diffusion_pytorch_model.safetensors", negate);
    EXPECT_EQ(chosen("vae"), "vae/wan_2.1_vae.safetensors") << "the other file is larger";
    EXPECT_EQ(m_passedOver.at("vae"), m_folder / "vae/qwen_image_vae.safetensors");
    drop("vae/wan_2.1_vae.safetensors");
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("lacks vae"), HasSubstr("qwen_image_vae.safetensors is Qwen-Image's")));
}

TEST_F(PartSearch, TakesTheVaeOfWansClass) {
    drop("vae/wan_2.1_vae.safetensors");
    for (const auto& [folder, className] :
         {std::pair{"a", "AutoencoderKLQwenImage"}, std::pair{"b", "AutoencoderKLWan"}}) {
        fs::create_directories(m_folder / folder);
        std::string config = readFile(embedded / "vae" / "config.json");
        const std::size_t at = config.find("AutoencoderKLWan");
        ASSERT_NE(at, std::string::npos);
        config.replace(at, std::string("AutoencoderKLWan").size(), className);
        writeFileAtomically(m_folder / folder / "config.json", config);
    }
    add("a/model.safetensors", "vae/diffusion_pytorch_model.safetensors", negate);
    add("b/model.safetensors", "vae/diffusion_pytorch_model.safetensors", round);
    EXPECT_EQ(chosen("vae"), "b/model.safetensors");
    EXPECT_THAT(m_passedOver, IsEmpty()) << "the class is proof";
}

TEST_F(PartSearch, AsksWhichOfTwoFilesThatCannotBeToldApart) {
    drop("vae/wan_2.1_vae.safetensors");
    add("vae/one.safetensors", "vae/diffusion_pytorch_model.safetensors");
    add("vae/other.safetensors", "vae/diffusion_pytorch_model.safetensors", negate);
    try {
        static_cast<void>(chosen("vae"));
        FAIL();
    } catch (const ProjectError& error) {
        EXPECT_EQ(error.problems().front().key, "parts.vae");
        EXPECT_TRUE(error.problems().front().id == ProblemId("model-files-ambiguous"));
        EXPECT_THAT(error.what(), AllOf(HasSubstr("one.safetensors"), HasSubstr("other.safetensors")));
        ASSERT_EQ(error.problems().front().fixes.size(), 2U);
        EXPECT_EQ(error.problems().front().fixes.back().changes.front().key, "parts.vae");
    }
    add("vae/other.safetensors", "vae/diffusion_pytorch_model.safetensors", round);
    EXPECT_EQ(chosen("vae"), "vae/one.safetensors") << "the same weights are no question";
}

TEST_F(PartSearch, TakesNoVaeThatMakesOtherColours) {
    add("vae/upscale2x.safetensors", "vae/diffusion_pytorch_model.safetensors",
        [](std::vector<NamedTensor>& tensors) {
            for (auto& [name, tensor] : tensors)
                if (name.starts_with("decoder.conv_out.")) {
                    tensor = Tensor::empty(tensor.shape().with(0, 4 * tensor.extent(0)));
                }
        });
    EXPECT_EQ(chosen("vae"), "vae/wan_2.1_vae.safetensors");
    drop("vae/wan_2.1_vae.safetensors");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("lacks vae"), HasSubstr("upscale2x.safetensors")));
}

TEST_F(PartSearch, TakesNoSmallDecoderThatNobodyNamed) {
    const fs::path file = m_folder / "vae_approx" / "taew2_1.safetensors";
    fs::create_directories(file.parent_path());
    fs::copy(testing::testData() / "golden" / "taehv" / "weights.safetensors", file);
    m_catalogue.files.push_back(describeFile(file));
    EXPECT_TRUE(m_catalogue.files.back().onlyDecodes);
    EXPECT_EQ(chosen("vae"), "vae/wan_2.1_vae.safetensors");
    EXPECT_THAT(m_passedOver, IsEmpty());
    drop("vae/wan_2.1_vae.safetensors");
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("lacks vae"), HasSubstr("taew2_1.safetensors"), HasSubstr("parts.vae")));
}

TEST_F(PartSearch, PutsTheHalvesOfAPairInTheirOrder) {
    const std::string weights = "transformer/diffusion_pytorch_model.safetensors";
    add("ours/Tiny-HIGH_fp32.safetensors", weights);
    add("ours/Tiny-LOW_fp32.safetensors", weights);
    for (const char* given : {"ours/Tiny-HIGH_fp32.safetensors", "ours/Tiny-LOW_fp32.safetensors"}) {
        PartSources sources{{"transformer", m_folder / given}};
        static_cast<void>(completeParts(sources, m_catalogue));
        EXPECT_EQ(sources.at("transformer"), m_folder / "ours/Tiny-HIGH_fp32.safetensors");
        EXPECT_EQ(sources.at("transformer_2"), m_folder / "ours/Tiny-LOW_fp32.safetensors");
    }
    fs::remove(m_folder / "ours/Tiny-LOW_fp32.safetensors");
    PartSources alone{{"transformer", m_folder / "ours/Tiny-HIGH_fp32.safetensors"}};
    static_cast<void>(completeParts(alone, m_catalogue));
    EXPECT_FALSE(alone.contains("transformer_2")) << "of no released size, and nothing beside it";
}

TEST_F(PartSearch, ExpertsThatAreNamedTheWrongWayRoundAreTold) {
    const std::string weights = "transformer/diffusion_pytorch_model.safetensors";
    add("tiny_high_noise.safetensors", weights);
    add("tiny_low_noise.safetensors", weights);
    Project project;
    project.model = "tiny-wan-t2v";
    project.transformerFile = (m_folder / "tiny_high_noise.safetensors").string();
    project.transformer2File = (m_folder / "tiny_low_noise.safetensors").string();
    EXPECT_THAT(expertContradictions(project), IsEmpty());
    std::swap(project.transformerFile, project.transformer2File);
    const std::vector<Problem> problems = expertContradictions(project);
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_TRUE(problems[0].id == "model-files-remark");
    EXPECT_EQ(problems[0].key, "parts.transformer");
    EXPECT_EQ(problems[1].key, "parts.transformer_2");
    EXPECT_THAT(problems[0].text(), HasSubstr("tiny_low_noise.safetensors"));
    const KeyChanges exchanged{{"parts.transformer", project.transformer2File},
                               {"parts.transformer_2", project.transformerFile}};
    EXPECT_EQ(problems[0].fixes.front().changes, exchanged);
}

TEST_F(PartSearch, ListsAFileThatIsCutOffWithItsTensor) {
    const fs::path file = m_folder / "vae/wan_2.1_vae.safetensors";
    fs::resize_file(file, fs::file_size(file) - 4);
    EXPECT_THAT(describeFile(file).problem, HasSubstr("tensor '"));
    EXPECT_THAT(describeFile(file).problem, Not(HasSubstr("wan_2.1_vae"))) << "the file is told beside it";
}

}  // namespace
}  // namespace meshreel

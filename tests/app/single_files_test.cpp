// SPDX-License-Identifier: GPL-3.0-or-later
// Models of single files, their parts found in the models folder, and conversions between what people have.
#include <nlohmann/json.hpp>

#include "engine/media/video_reader.h"
#include "engine/weights/checkpoint.h"
#include "runner.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const fs::path embeddedFolder = fs::path(MESHREEL_SOURCE_DIR) / "resources" / "models" / "tiny-wan-t2v";

class SingleFiles : public testing::RunnerTest {
  protected:
    SingleFiles() {
        fs::create_directories(m_models);
        for (const char* part : {"transformer", "text_encoder", "vae", "tokenizer"})
            fs::copy(embeddedFolder / part, m_models / part, fs::copy_options::recursive);
    }

    /// Converts a part in the models folder into one file of its own folder.
    std::string converted(const std::string& part, const std::string& name,
                          const std::vector<std::string>& options) {
        const fs::path folder = file("converted-" + name);
        fs::create_directories(folder);
        fs::copy(embeddedFolder / part / "config.json", folder / "config.json");
        std::vector<std::string> arguments{"convert", (embeddedFolder / part).string(),
                                           (folder / name).string()};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const testing::ProcessResult result = meshreel(arguments);
        EXPECT_EQ(result.exitCode, 0) << result.err;
        m_report = result.out;
        return (folder / name).string();
    }

    Tensor framesOf(testing::ProjectKeys keys, const std::string& run) {
        const testing::ProcessResult result =
            meshreel({"run", project(keys, run + ".yaml"), "--out", file(run).string()});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return readVideo(file(run) / "video.mp4");
    }

    static bool equal(const Tensor& a, const Tensor& b) {
        return std::ranges::equal(a.data<std::uint8_t>(), b.data<std::uint8_t>());
    }

    const fs::path m_models = file("home") / "data" / "meshreel" / "models";
    std::string m_report;
};

TEST_F(SingleFiles, MakeTheSameVideoAsTheirFolder) {
    testing::ProjectKeys keys = testing::smallRun();
    const Tensor expected = framesOf(keys, "folder");
    keys["pretrained_model_name_or_path"] =
        converted("transformer", "wan_comfy.safetensors", {"--layout", "comfy"});
    EXPECT_THAT(m_report, AllOf(HasSubstr("exact"), HasSubstr("read back and compared")));
    EXPECT_TRUE(equal(framesOf(keys, "file"), expected));

    keys["pretrained_model_name_or_path"] = "tiny-wan-t2v";
    keys["parts"] = "{transformer: " + converted("transformer", "wan-f32.gguf", {}) +
                    ", vae: " + converted("vae", "wan_vae.safetensors", {"--layout", "original"}) + "}";
    EXPECT_TRUE(equal(framesOf(keys, "replaced"), expected));
}

TEST_F(SingleFiles, WithoutTheirPartsSayWhatToGet) {
    const std::string transformer = converted("transformer", "wan_comfy.safetensors", {"--layout", "comfy"});
    fs::remove_all(m_models / "vae");
    testing::ProjectKeys keys = testing::smallRun();
    keys["pretrained_model_name_or_path"] = transformer;
    const testing::ProcessResult missing = meshreel({"plan", project(keys)});
    EXPECT_EQ(missing.exitCode, 3);
    EXPECT_THAT(missing.err, AllOf(HasSubstr("the model lacks vae"), HasSubstr("wan_2.1_vae.safetensors"),
                                   HasSubstr("data/meshreel/models")));
    keys["parts"] = "{vae: nowhere.safetensors}";
    EXPECT_THAT(meshreel({"plan", project(keys)}).err, HasSubstr("parts.vae"));
}

TEST_F(SingleFiles, AreListedOnce) {
    const auto list = nlohmann::json::parse(meshreel({"models", "--json"}).out);
    ASSERT_EQ(list.at("files").size(), 3U) << list.dump(2);
    for (const auto& entry : list.at("files"))
        EXPECT_EQ(entry.at("problem"), "") << entry;
    EXPECT_EQ(list.at("tokenizers").size(), 1U);
    EXPECT_THAT(meshreel({"models"}).out, AllOf(HasSubstr("tiny-wan-t2v"), HasSubstr("text_encoder: ")));

    const std::string other = file("other-models").string();
    fs::create_directories(other);
    EXPECT_EQ(meshreel({"models", "--set-folder", other}).exitCode, 0);
    EXPECT_TRUE(nlohmann::json::parse(meshreel({"models", "--json"}).out).at("files").empty());
    EXPECT_EQ(meshreel({"models", "--default-folder"}).exitCode, 0);
    EXPECT_EQ(nlohmann::json::parse(meshreel({"models", "--json"}).out).at("files").size(), 3U);
    EXPECT_EQ(meshreel({"models", "--set-folder", file("nowhere").string()}).exitCode, 3);
}

TEST_F(SingleFiles, ConvertToEveryTypeAndBack) {
    const Checkpoint source = Checkpoint::open(embeddedFolder / "transformer");
    for (const char* type : {"bf16", "f16", "fp8", "fp8_e5m2", "fp8_scaled"}) {
        const std::string path =
            converted("transformer", std::string(type) + ".safetensors", {"--dtype", type});
        EXPECT_EQ(Checkpoint::open(path).names(), source.names()) << type;
        EXPECT_THAT(m_report, HasSubstr("differ by"));
    }
    for (const char* type : {"Q8_0", "Q6_K", "Q5_K", "Q5_1", "Q5_0", "Q4_K", "Q4_1", "Q4_0"}) {
        const std::string path = converted("transformer", std::string(type) + ".gguf", {"--quantise", type});
        EXPECT_EQ(Checkpoint::open(path).names(), source.names()) << type;
        EXPECT_THAT(m_report, HasSubstr(std::string("as ") + type));
    }
    EXPECT_EQ(meshreel({"convert", (embeddedFolder / "transformer").string(), file("a.safetensors").string(),
                        "--quantise", "Q8_0"})
                  .exitCode,
              2);
    EXPECT_FALSE(fs::exists(file("a.safetensors")));
    const fs::path folder = file("diffusers");
    EXPECT_EQ(meshreel({"convert", (embeddedFolder / "transformer").string(), folder.string()}).exitCode, 0);
    EXPECT_TRUE(fs::exists(folder / "config.json"));
}

}  // namespace
}  // namespace meshreel

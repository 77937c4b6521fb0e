// SPDX-License-Identifier: GPL-3.0-or-later
// Models of single files, their parts found in the models folder, and conversions between what people have.
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/files.h"
#include "engine/media/video_reader.h"
#include "engine/runs/run_folder.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"
#include "runner.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const fs::path embeddedFolder = testing::sourceFolder() / "resources" / "models" / "tiny-wan-t2v";

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

    /// The bytes of a run's latents. Frames say less of a VAE without its config: the statistics of the
    /// embedded one's latents stand there alone, and files of other people's are decoded by Wan's.
    std::string latentsOf(testing::ProjectKeys keys, const std::string& run) {
        static_cast<void>(framesOf(std::move(keys), run));
        return readFile(file(run) / run_file::latents);
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
    EXPECT_THAT(m_report, HasSubstr("exact"));
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
    EXPECT_THAT(missing.err, AllOf(HasSubstr("wan_2.1_vae.safetensors"), HasSubstr("data/meshreel/models"),
                                   HasSubstr("parts.vae")));
    keys["parts"] = "{vae: nowhere.safetensors}";
    EXPECT_THAT(meshreel({"plan", project(keys)}).err, HasSubstr("parts.vae"));
}

TEST_F(SingleFiles, WithoutWhatTheyWereTrainedWithRunWithAWarning) {
    testing::ProjectKeys keys = testing::smallRun();
    const std::string expected = latentsOf(keys, "plain");
    keys["pretrained_model_name_or_path"] = converted("transformer", "Phantom-Wan-14B.safetensors", {});
    for (const std::string command : {"validate", "plan"}) {
        SCOPED_TRACE(command);
        const testing::ProcessResult result = meshreel({command, project(keys)});
        EXPECT_EQ(result.exitCode, 0);
        EXPECT_THAT(result.out + result.err, HasSubstr("reference_images"));
        EXPECT_THAT(faultsIn({command, project(keys)}), ::testing::Contains("trained-input-missing"));
    }
    EXPECT_THAT(meshreel({"inspect", keys["pretrained_model_name_or_path"]}).out,
                HasSubstr("reference_images"));
    EXPECT_EQ(latentsOf(keys, "without"), expected);
}

/// The tensors of a part of the embedded model behind a prefix.
void addPart(std::vector<NamedTensor>& tensors, const std::string& part, const std::string& prefix) {
    const Checkpoint source = Checkpoint::open(embeddedFolder / part);
    for (const std::string& name : source.names())
        tensors.emplace_back(prefix + name, source.get(name));
}

Tensor bytesOf(const std::string& text) {
    Tensor bytes = Tensor::empty({static_cast<std::int64_t>(text.size())}, DType::U8);
    std::ranges::copy(std::as_bytes(std::span(text)), bytes.raw());
    return bytes;
}

TEST_F(SingleFiles, OfTheOriginalProjectRunAsTheyAreDownloaded) {
    testing::ProjectKeys keys = testing::smallRun();
    const std::string expected = latentsOf(keys, "folder");
    fs::remove_all(m_models);
    const fs::path folder = m_models / "Wan-AI" / "Wan2.1-T2V-tiny";
    fs::create_directories(folder / "google" / "umt5-xxl");
    fs::copy(embeddedFolder / "tokenizer" / "spiece.model", folder / "google" / "umt5-xxl");
    for (const auto& [part, name] :
         {std::pair{"transformer", "diffusion_pytorch_model.safetensors"},
          std::pair{"vae", "Wan2.1_VAE.safetensors"}, std::pair{"text_encoder", "models_t5.safetensors"}})
        ASSERT_EQ(meshreel({"convert", (embeddedFolder / part).string(), (folder / name).string(), "--layout",
                            "original"})
                      .exitCode,
                  0);
    // Its heads are not those of released models: only the config tells.
    writeFileAtomically(folder / "config.json",
                        R"({"_class_name": "WanModel", "dim": 256, "num_heads": 8, "eps": 1e-06})");
    for (const std::string& model : {std::string("Wan-AI/Wan2.1-T2V-tiny"), folder.string(),
                                     (folder / "diffusion_pytorch_model.safetensors").string()}) {
        keys["pretrained_model_name_or_path"] = model;
        EXPECT_TRUE(latentsOf(keys, "run-" + fs::path(model).stem().string()) == expected) << model;
        fs::remove_all(file("run-" + fs::path(model).stem().string()));
    }
    fs::remove(folder / "Wan2.1_VAE.safetensors");
    EXPECT_THAT(meshreel({"plan", project(keys)}).err, HasSubstr("parts.vae"));
}

TEST_F(SingleFiles, ThatHoldAWholeModelAreTakenApart) {
    testing::ProjectKeys keys = testing::smallRun();
    const std::string expected = latentsOf(keys, "folder");
    fs::remove_all(m_models);
    std::vector<NamedTensor> tensors;
    addPart(tensors, "transformer", "model.diffusion_model.");
    addPart(tensors, "vae", "vae.");
    addPart(tensors, "text_encoder", "text_encoders.umt5xxl.transformer.");
    tensors.emplace_back("text_encoders.umt5xxl.spiece_model",
                         bytesOf(readFile(embeddedFolder / "tokenizer" / "spiece.model")));
    const fs::path folder = file("aio");
    fs::create_directories(folder);
    fs::copy(embeddedFolder / "transformer" / "config.json", folder);
    writeSafetensors(folder / "rapid-aio.safetensors", tensors);
    keys["pretrained_model_name_or_path"] = (folder / "rapid-aio.safetensors").string();
    EXPECT_TRUE(latentsOf(keys, "aio-run") == expected);
    const auto alone =
        nlohmann::json::parse(meshreel({"inspect", (embeddedFolder / "transformer").string(), "--json"}).out);
    const auto inside = nlohmann::json::parse(
        meshreel({"inspect", (folder / "rapid-aio.safetensors").string(), "--json"}).out);
    EXPECT_EQ(inside.at("bytes_f32"), alone.at("bytes_f32")) << "the other parts are not the transformer's";
}

TEST_F(SingleFiles, TakeTheTokenizerInsideTheTextEncoder) {
    testing::ProjectKeys keys = testing::smallRun();
    const Tensor expected = framesOf(keys, "folder");
    keys["pretrained_model_name_or_path"] =
        converted("transformer", "wan_comfy.safetensors", {"--layout", "comfy"});
    fs::remove_all(m_models / "tokenizer");
    std::vector<NamedTensor> tensors;
    addPart(tensors, "text_encoder", "");
    tensors.emplace_back("spiece_model", bytesOf(readFile(embeddedFolder / "tokenizer" / "spiece.model")));
    fs::remove(m_models / "text_encoder" / "model.safetensors");
    writeSafetensors(m_models / "text_encoder" / "model.safetensors", tensors);
    EXPECT_TRUE(equal(framesOf(keys, "inside"), expected));
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
    for (const char* type : {"Q8_0", "Q6_K", "Q5_K", "Q5_1", "Q5_0", "Q4_K", "Q4_1", "Q4_0", "IQ4_XS",
                             "IQ4_NL", "Q3_K", "Q2_K"}) {
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

/// The embedded transformer in the models folder, changed, and its config beside it.
class ChangedTransformer : public SingleFiles {
  protected:
    using Change = std::function<void(std::vector<NamedTensor>&)>;

    std::string changed(const Change& change) {
        const Checkpoint source = Checkpoint::open(embeddedFolder / "transformer");
        std::vector<NamedTensor> tensors;
        for (const std::string& name : source.names())
            tensors.emplace_back(name, source.get(name));
        change(tensors);
        const fs::path folder = file("changed");
        fs::create_directories(folder);
        fs::copy_file(embeddedFolder / "transformer" / "config.json", folder / "config.json",
                      fs::copy_options::overwrite_existing);
        writeSafetensors(folder / "wan.safetensors", tensors);
        return (folder / "wan.safetensors").string();
    }

    testing::ProcessResult result(const std::string& command, const std::string& model) {
        testing::ProjectKeys keys = testing::smallRun();
        keys["pretrained_model_name_or_path"] = model;
        return meshreel({command, project(keys)});
    }
};

TEST_F(ChangedTransformer, ThatCannotBeReadIsRefusedByEveryCommandThatLooks) {
    const std::string model = changed([](std::vector<NamedTensor>& tensors) {
        const std::string description = R"({"format": "awq_w4a16"})";
        Tensor bytes = Tensor::empty({static_cast<std::int64_t>(description.size())}, DType::U8);
        std::ranges::copy(std::as_bytes(std::span(description)), bytes.raw());
        for (auto& [name, tensor] : tensors)
            if (name == "blocks.0.attn1.to_q.weight")
                tensor = Tensor::zeros({tensor.extent(0), tensor.extent(1) / 2}, DType::U8);
        tensors.emplace_back("blocks.0.attn1.to_q.comfy_quant", bytes);
    });
    for (const char* command : {"validate", "plan", "run"}) {
        const testing::ProcessResult refused = result(command, model);
        EXPECT_EQ(refused.exitCode, 3) << command;
        EXPECT_THAT(refused.err, AllOf(HasSubstr("awq_w4a16"), HasSubstr("blocks.0.attn1.to_q.weight")))
            << command;
    }
    EXPECT_THAT(meshreel({"inspect", model}).out, HasSubstr("awq_w4a16"));
    const auto described = nlohmann::json::parse(meshreel({"inspect", model, "--json"}).out);
    EXPECT_EQ(described.at("unread"), nlohmann::json({{"awq_w4a16", 1}}));
}

TEST_F(ChangedTransformer, WithTensorsThatAreNotUsedIsToldOf) {
    const std::string model = changed([](std::vector<NamedTensor>& tensors) {
        tensors.emplace_back("blocks.0.attn1.attn_op.local_attn.proj_l.weight", Tensor::zeros({8, 8}));
        tensors.emplace_back("rope.freqs", Tensor::zeros({8}));
    });
    for (const char* command : {"validate", "plan"}) {
        const testing::ProcessResult told = result(command, model);
        EXPECT_EQ(told.exitCode, 0) << told.err;
        EXPECT_THAT(told.out + told.err,
                    AllOf(HasSubstr("proj_l"), HasSubstr("SLA"), ::testing::Not(HasSubstr("rope"))))
            << command;
    }
    EXPECT_THAT(meshreel({"inspect", model}).out, HasSubstr("SLA"));
    const auto described = nlohmann::json::parse(meshreel({"inspect", model, "--json"}).out);
    ASSERT_EQ(described.at("unused").size(), 1U);
    EXPECT_EQ(described.at("unused").front().at("tensors"), 1);
}

}  // namespace
}  // namespace meshreel

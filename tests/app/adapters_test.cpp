// SPDX-License-Identifier: GPL-3.0-or-later
// Adapters that a project names, through the real runner.
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/media/video_reader.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/lora.h"
#include "runner.h"
#include "tests/support/locations.h"
#include "tests/support/random_adapter.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

const fs::path embeddedModel = testing::sourceFolder() / "resources" / "models" / "tiny-wan-t2v";

class Adapters : public testing::RunnerTest {
  protected:
    Adapters() : m_transformer(Checkpoint::open(embeddedModel / "transformer")) {}

    std::string writeAdapter(const std::string& name) {
        testing::writeRandomAdapter(file(name), m_transformer);
        return file(name).string();
    }

    /// The embedded model with the adapter merged into the file.
    std::string writeMerged(const std::string& adapter, double strength) {
        const fs::path model = file("merged");
        fs::copy(embeddedModel, model, fs::copy_options::recursive);
        Checkpoint merged = Checkpoint::open(embeddedModel / "transformer");
        merged.addPatch(LoraAdapter::open(adapter, merged, strength));
        std::vector<NamedTensor> tensors;
        for (const std::string& name : merged.names())
            tensors.emplace_back(name, merged.get(name));
        for (const auto& entry : fs::directory_iterator(model / "transformer"))
            if (entry.path().extension() != ".json" || entry.path().string().ends_with(".index.json"))
                fs::remove(entry.path());
        writeSafetensors(model / "transformer" / "diffusion_pytorch_model.safetensors", tensors);
        return model.string();
    }

    Tensor framesOf(testing::ProjectKeys keys, const std::string& run) {
        const testing::ProcessResult result =
            meshreel({"run", project(keys, run + ".yaml"), "--out", file(run).string()});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        m_output = result.out + result.err;
        return readVideo(file(run) / "video.mp4");
    }

    static bool equal(const Tensor& a, const Tensor& b) {
        return std::ranges::equal(a.data<std::uint8_t>(), b.data<std::uint8_t>());
    }

    Checkpoint m_transformer;
    std::string m_output;
};

TEST_F(Adapters, MakeTheVideoOfTheMergedWeights) {
    const std::string adapter = writeAdapter("style.safetensors");
    testing::ProjectKeys keys = testing::smallRun();
    const Tensor plain = framesOf(keys, "plain");
    keys["lora"] = "[{file: " + adapter + ", strength: 0.5}]";
    const Tensor adapted = framesOf(keys, "adapted");
    EXPECT_THAT(m_output,
                AllOf(HasSubstr("style.safetensors"), HasSubstr("0.25"),
                      HasSubstr("blocks.0.attn1.to_q.weight"), HasSubstr("diffusion_model.blocks.77")));
    EXPECT_FALSE(equal(adapted, plain));
    const auto environment = nlohmann::json::parse(readFile(file("adapted") / "environment.json"));
    EXPECT_EQ(environment.at("adapters").size(), 1U);

    // Packed weights are kept between runs: another strength must not get those of the first.
    keys["lora"] = "[{file: " + adapter + ", strength: 0}]";
    EXPECT_TRUE(equal(framesOf(keys, "none"), plain));
    keys["lora"] = "[{file: " + adapter + ", strength: 0.5}]";
    EXPECT_TRUE(equal(framesOf(keys, "again"), adapted));

    testing::ProjectKeys merged = testing::smallRun();
    merged["pretrained_model_name_or_path"] = writeMerged(adapter, 0.5);
    EXPECT_TRUE(equal(framesOf(merged, "merged-run"), adapted));
}

TEST_F(Adapters, AreShownBeforeTheRun) {
    testing::ProjectKeys keys = testing::smallRun();
    fs::create_directories(file("home/data/meshreel/models/loras"));
    fs::rename(writeAdapter("style.safetensors"), file("home/data/meshreel/models/loras/style.safetensors"));
    keys["lora"] = "style.safetensors";
    for (const char* command : {"plan", "validate"})
        EXPECT_THAT(meshreel({command, project(keys)}).out,
                    AllOf(HasSubstr("style.safetensors"), HasSubstr("0.5")))
            << command;
    EXPECT_THAT(faultsIn({"validate", project(keys)}), Contains("adapter-partly-fits"));
    const auto plan = nlohmann::json::parse(meshreel({"plan", "--json", project(keys)}).out);
    EXPECT_EQ(plan.at("adapters").at(0).at("changed").at(0), "blocks.0.attn1.to_q.weight");
    EXPECT_EQ(plan.at("adapters").at(0).at("unmatched").size(), 1U);
}

TEST_F(Adapters, ThatFitNothingAreRefusedWithTheirLine) {
    writeSafetensors(file("other.safetensors"),
                     std::vector<NamedTensor>{{"unet.down.lora_A.weight", Tensor::zeros({1, 1})},
                                              {"unet.down.lora_B.weight", Tensor::zeros({1, 1})}});
    testing::ProjectKeys keys = testing::smallRun();
    keys["lora"] = file("other.safetensors").string();
    for (const char* command : {"run", "plan", "validate"}) {
        const testing::ProcessResult result = meshreel({command, project(keys)});
        EXPECT_EQ(result.exitCode, 2) << command;
        EXPECT_THAT(result.err, AllOf(HasSubstr("project.yaml:5: "), HasSubstr("other.safetensors")));
    }
    EXPECT_THAT(faultsIn({"validate", project(keys)}), Contains("adapter-unusable"));
    keys["lora"] = "missing.safetensors";
    EXPECT_THAT(meshreel({"plan", project(keys)}).err, HasSubstr("models/loras"));
    keys["lora"] = "[{file: " + writeAdapter("style.safetensors") + ", expert: low}]";
    EXPECT_THAT(faultsIn({"validate", project(keys)}), Contains("adapter-unusable"));
}

class DistillPreset : public Adapters {
  protected:
    static testing::ProjectKeys keys() {
        testing::ProjectKeys keys = testing::smallRun();
        for (const char* own : {"num_inference_steps", "guidance_scale", "flow_shift"})
            keys.erase(own);
        keys["preset"] = "distill-4";
        return keys;
    }

    void install(const std::string& name) {
        const fs::path loras = file("home/data/meshreel/models/loras");
        fs::create_directories(loras);
        fs::rename(writeAdapter(name), loras / name);
    }
};

TEST_F(DistillPreset, IsRefusedWithoutAnAdapterSayingWhereToPutIt) {
    install("style.safetensors");  // an adapter, and not a distilled one
    testing::TinyModel narrow;     // which the shipped one does not fit
    narrow.transformer["num_attention_heads"] = 4;
    testing::makeTinyModel(file("narrow"), narrow);
    testing::ProjectKeys keys = DistillPreset::keys();
    keys["pretrained_model_name_or_path"] = file("narrow").string();
    for (const char* command : {"run", "plan", "validate"}) {
        const testing::ProcessResult result = meshreel({command, project(keys)});
        EXPECT_EQ(result.exitCode, 2) << command;
        EXPECT_THAT(result.err,
                    AllOf(HasSubstr("distill-4"), HasSubstr("models/loras"), HasSubstr("distilled-model-4")));
    }
}

TEST_F(DistillPreset, WorksWithTheEmbeddedModelOutOfTheBox) {
    const auto plan = nlohmann::json::parse(meshreel({"plan", "--json", project(keys())}).out);
    EXPECT_TRUE(plan.at("preset").at("adapters_found"));
    (void)framesOf(keys(), "shipped");
    EXPECT_THAT(m_output, HasSubstr("tiny-wan-t2v-distill-4-steps.safetensors"));
}

TEST_F(DistillPreset, FindsItsAdapterAndSetsTheRest) {
    install("tiny-lightx2v-distill.safetensors");
    const auto plan = nlohmann::json::parse(meshreel({"plan", "--json", project(keys())}).out);
    EXPECT_EQ(plan.at("steps"), 4);
    EXPECT_FALSE(plan.at("guided"));
    EXPECT_EQ(plan.at("adapters").size(), 1U);
    EXPECT_EQ(plan.at("preset").at("name"), "distill-4");
    EXPECT_TRUE(plan.at("preset").at("adapters_found"));
    EXPECT_EQ(plan.at("preset").at("taken").at("flow_shift"), "5.0");
    EXPECT_THAT(meshreel({"plan", "--set", "flow_shift=3", project(keys())}).out,
                HasSubstr("flow_shift 3.0"));
    EXPECT_THAT(faultsIn({"plan", "--set", "flow_shift=3", project(keys())}), Contains("preset-replaced"));

    const Tensor frames = framesOf(keys(), "preset");
    EXPECT_THAT(m_output, HasSubstr("tiny-lightx2v-distill.safetensors"));
    const std::string record = readFile(file("preset") / "project.yaml");
    EXPECT_THAT(record, AllOf(HasSubstr("preset: distill-4\n"), HasSubstr("  # of preset distill-4\n"),
                              HasSubstr("lora: [{file: "), HasSubstr("tiny-lightx2v-distill.safetensors")));

    // The same, every value written by hand.
    testing::ProjectKeys byHand = keys();
    byHand.erase("preset");
    byHand["lora"] = "tiny-lightx2v-distill.safetensors";
    byHand["scheduler"] = "lcm";
    byHand["timesteps"] = "[1000, 750, 500, 250]";
    byHand["guidance_scale"] = "1";
    byHand["flow_shift"] = "5";
    EXPECT_TRUE(equal(framesOf(byHand, "by-hand"), frames));
}

TEST_F(DistillPreset, IsChosenOnTheCommandLine) {
    testing::ProjectKeys plain = keys();
    plain.erase("preset");
    const testing::ProcessResult result =
        meshreel({"plan", "--json", "--preset", "distilled-model-4", project(plain)});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out).at("steps"), 4);
    EXPECT_THAT(meshreel({"keys", "preset"}).out,
                AllOf(HasSubstr("distill-4 sets:"), HasSubstr("flow_shift: 5")));
    EXPECT_EQ(meshreel({"plan", "--preset", "distil-4", project(plain)}).exitCode, 2);
}

}  // namespace
}  // namespace meshreel

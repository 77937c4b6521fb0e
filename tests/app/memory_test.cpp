// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/media/image.h"
#include "engine/tensor/tensor.h"
#include "runner.h"
#include "tests/support/instrumented.h"
#include "tests/support/locations.h"
#include "tests/support/tiny_model.h"
#include "tests/support/zero_model.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::ProjectKeys;
using testing::smallRun;
using testing::ZeroModel;

constexpr double tolerance = 0.10;  // of the plan
constexpr std::uint64_t dominant = 250'000'000;
/// Of a plan: with less, constants would decide. A VAE's decoder packed in bf16 takes little more.
constexpr std::uint64_t least = 150'000'000;

class PlannedMemory : public testing::RunnerTest {
  protected:
    void SetUp() override {
        if (testing::isInstrumented)
            GTEST_SKIP() << testing::needsItsOwnMemory;
    }

    ZeroModel model() const {
        return {testing::sourceFolder() / "resources/models/tiny-wan-t2v", file("model")};
    }

    /// "memory" of a run's timings.json.
    nlohmann::json measure(ProjectKeys keys) const {
        const fs::path run = file("run");
        keys["num_inference_steps"] = "1";
        const testing::ProcessResult result =
            meshreel({"run", project(keys), "--no-cache", "--workers", "2", "--out", run.string()});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return nlohmann::json::parse(readFile(run / "timings.json")).at("memory");
    }

    static ProjectKeys toFrameKeys(const ZeroModel& model) {
        ProjectKeys keys = smallRun();
        keys["pretrained_model_name_or_path"] = model.folder().string();
        return keys;
    }

    static void expectPlanned(const nlohmann::json& memory, const char* phase) {
        const auto planned = memory.at(phase).at("planned_bytes").get<double>();
        const auto peak = memory.at(phase).at("peak_bytes").get<double>();
        EXPECT_GT(planned, least) << phase;
        EXPECT_NEAR(peak / planned, 1.0, tolerance) << phase << ": " << memory.dump(2);
    }

    /// Both kinds of pages together: what is copied or packed has none left in the file's map. Program and
    /// libraries are mapped in every phase.
    static void expectOneCopy(const nlohmann::json& memory, const char* phase) {
        constexpr double most = 1.15;
        const nlohmann::json& bytes = memory.at(phase);
        double program = bytes.at("mapped_file_bytes").get<double>();
        for (const nlohmann::json& each : memory)
            program = std::min(program, each.at("mapped_file_bytes").get<double>());
        EXPECT_LT(
            bytes.at("peak_bytes").get<double>() + bytes.at("mapped_file_bytes").get<double>() - program,
            most * bytes.at("planned_bytes").get<double>())
            << phase << ": " << memory.dump(2);
    }
};

TEST_F(PlannedMemory, OfATransformerThatIsConverted) {
    ZeroModel large = model();
    large.setTransformer({{"attention_head_dim", 64}, {"num_attention_heads", 16}, {"ffn_dim", 4096}},
                         DType::BF16);
    const nlohmann::json memory = measure(toFrameKeys(large));
    for (const char* phase : {"Compile", "Conditioning", "Denoise"}) {
        expectPlanned(memory, phase);
        expectOneCopy(memory, phase);
    }
    EXPECT_LT(memory.at("Decode").at("peak_bytes"), dominant) << "the transformer is freed before";
}

TEST_F(PlannedMemory, OfATransformerThatIsUsedWhereItIsMapped) {
    ZeroModel large = model();
    large.setTransformer({{"attention_head_dim", 64}, {"num_attention_heads", 16}, {"ffn_dim", 4096}},
                         DType::F32);
    const nlohmann::json memory = measure(toFrameKeys(large));
    EXPECT_LT(memory.at("Denoise").at("peak_bytes"), dominant);
    EXPECT_GT(memory.at("Denoise").at("mapped_file_bytes"), dominant);
    EXPECT_LT(memory.at("Conditioning").at("mapped_file_bytes"), dominant) << "the encoder's turn";
    EXPECT_LT(memory.at("Load").at("mapped_file_bytes"), dominant) << "read through, tensor by tensor";
}

/// Of 0.4 GB of layers.
TEST_F(PlannedMemory, OfABudgetThatDoesNotHoldEveryLayer) {
    ZeroModel large = model();
    large.setTransformer({{"attention_head_dim", 64}, {"num_attention_heads", 16}, {"ffn_dim", 4096}},
                         DType::BF16);
    ProjectKeys keys = toFrameKeys(large);
    keys["memory_budget"] = "0.36";
    const nlohmann::json memory = measure(keys);
    constexpr double budget = 0.36 * (1 << 30);
    for (const char* phase : {"Compile", "Denoise"}) {
        expectPlanned(memory, phase);
        EXPECT_LT(memory.at(phase).at("planned_bytes"), budget);
    }
}

/// Of the released size: convolutions of up to 16 MB, each packed out of copies that are freed again.
TEST_F(PlannedMemory, OfAVaeThatIsPacked) {
    const ZeroModel large = model();
    fs::remove_all(large.folder() / "vae");
    ASSERT_EQ(meshreel({"make-checkpoint", "--arch", "wan2.1-vae", "--sparse", "-o",
                        (large.folder() / "vae").string()})
                  .exitCode,
              0);
    for (const char* type : {"float32", "bfloat16"}) {
        ProjectKeys keys = toFrameKeys(large);
        keys["num_frames"] = "1";
        keys["vae_dtype"] = keys["vae_weights_dtype"] = type;
        const nlohmann::json memory = measure(keys);
        for (const char* phase : {"Compile", "Decode"}) {
            expectPlanned(memory, phase);
            expectOneCopy(memory, phase);
        }
        fs::remove_all(file("run"));
    }
}

TEST_F(PlannedMemory, OfATextEncoderThatIsStreamed) {
    ZeroModel large = model();
    large.setTextEncoder({{"d_model", 2048}, {"d_ff", 12288}}, DType::BF16);
    large.setTransformer({{"text_dim", 2048}}, DType::F32);
    const nlohmann::json memory = measure(toFrameKeys(large));
    expectPlanned(memory, "Conditioning");
    EXPECT_LT(memory.at("Denoise").at("peak_bytes"), dominant) << "no layer stays";
}

/// A hundred tokens a frame, in many blocks.
TEST_F(PlannedMemory, OfTheKeysOfADrivingVideo) {
    testing::TinyModel driven = testing::tinyModelOf("wan2.2-animate2");
    driven.transformer["num_layers"] = 36;
    driven.imageEncoder.update(
        {{"image_size", 224}, {"patch_size", 14}});  // as many tokens as the released one
    testing::makeTinyModel(file("model"), driven);
    writePng(file("still.png"), Tensor::zeros({40, 40, 3}, DType::U8));
    ProjectKeys keys = smallRun();
    keys["pretrained_model_name_or_path"] = file("model").string();
    keys["image"] = "still.png";
    keys["video"] = "still.png";
    keys["width"] = keys["height"] = "160";
    keys["guidance_scale"] = "1";
    keys["num_frames"] = keys["segment_frame_length"] = "49";
    double planned = 0;
    for (const char* use : {"cached", "int8", "recomputed"}) {
        keys["driving_keys"] = use;
        const nlohmann::json memory = measure(keys);
        const double before = planned;
        planned = memory.at("Denoise").at("planned_bytes").get<double>();
        if (before == 0)
            expectPlanned(memory, "Denoise");
        else
            EXPECT_LT(planned, 0.9 * before) << use;
        EXPECT_LT(memory.at("Denoise").at("peak_bytes").get<double>(), (1 + tolerance) * planned) << use;
        fs::remove_all(file("run"));
    }
}

TEST_F(PlannedMemory, OfAVideoThatIsDecoded) {
    ProjectKeys keys = smallRun();
    keys["height"] = keys["width"] = "384";
    keys["num_frames"] = "17";
    expectPlanned(measure(keys), "Decode");
}

}  // namespace
}  // namespace meshreel

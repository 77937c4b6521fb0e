// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/golden_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <ostream>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/locations.h"
#include "tests/support/printed_name.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

fs::path goldenFolder(const std::string& name) {
    return testing::testData() / "golden" / name;
}

GoldenReport verify(const fs::path& folder) {
    WorkerPool workers({.workers = 2});
    return verifyCase({workers, {}}, folder);
}

class GoldenCase : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenCase, Holds) {
    const GoldenReport report = verify(goldenFolder(GetParam()));
    EXPECT_TRUE(report.passed()) << formatReport(report);
}

INSTANTIATE_TEST_SUITE_P(
    Copied, GoldenCase,
    ::testing::Values("dit_t2v", "dit_ti2v", "dit_i2v_clip", "dit_flf2v", "dit_vace", "dit_animate",
                      "dit_fun", "fun_condition", "dit_nag_t2v", "dit_nag_i2v", "nag", "vae_21",
                      "vae_21_res2", "vae_22", "vae_22_res2", "taehv", "taehv_22", "lightvae", "umt5",
                      "clip_vision", "image_resize", "output_size", "schedulers", "samplers_res", "easycache",
                      "context_windows", "prompt_relay", "keyframes_i2v", "keyframes_vace", "svi_condition",
                      "tokenizer", "torch_random", "pipeline_t2v", "phantom_inputs", "ati_tracks", "wan_move",
                      "bernini_rope", "bernini_dit", "real_shapes", "key_maps", "lora", "lora_kinds", "lowp",
                      "storage", "rife_426", "rife_46", "esrgan_x2", "esrgan_x4", "animate2_attention",
                      "wav2vec2_layer", "wav2vec2_group", "s2v_audio_encoder", "s2v_frame_packer", "s2v_rope",
                      "s2v_audio_buckets", "s2v_injector", "dit_s2v", "srvgg_x4"),
    [](const auto& parameter) { return std::string(parameter.param); });

/// A copy of a golden case that a test may change.
class ChangedCase : public ::testing::Test {
  protected:
    void TearDown() override { fs::remove_all(m_folder); }

    fs::path copyRuns(const std::string& name) {
        std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
        std::ranges::replace(test, '/', '-');
        m_folder = fs::path(::testing::TempDir()) / ("meshreel-golden-" + test);
        fs::remove_all(m_folder);
        fs::copy(goldenFolder(name), m_folder, fs::copy_options::recursive);
        return m_folder;
    }

    /// Rewrites io.safetensors with what `edit` makes of its tensors.
    void editTensors(const std::function<void(std::vector<NamedTensor>&)>& edit) const {
        const fs::path file = m_folder / "io.safetensors";
        const SafetensorsFile old = SafetensorsFile::open(file);
        std::vector<NamedTensor> tensors;
        for (const std::string& name : old.names())
            tensors.emplace_back(name, old.get(name).clone());
        edit(tensors);
        writeSafetensors(file, tensors);
    }

    void replaceInFile(const char* name, const std::string& from, const std::string& to) const {
        std::string text = readFile(m_folder / name);
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos);
        text.replace(at, from.size(), to);
        writeFileAtomically(m_folder / name, text);
    }

    void expectError(ErrorKind kind, const std::string& mentions) const {
        try {
            verify(m_folder);
            FAIL() << "no error";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), kind) << error.what();
            EXPECT_THAT(error.what(), ::testing::HasSubstr(mentions));
        }
    }

  private:
    fs::path m_folder;
};

std::vector<std::string> failedOutputs(const GoldenReport& report) {
    std::vector<std::string> names;
    for (const GoldenRow& row : report.rows)
        if (!row.passed && !row.informational)
            names.push_back(row.output);
    return names;
}

struct Corruption {
    const char* folder;
    const char* output;
};

void PrintTo(const Corruption& corruption, std::ostream* out) {
    *out << corruption.folder << " " << corruption.output;
}

class CorruptedOutput : public ChangedCase, public ::testing::WithParamInterface<Corruption> {};

/// The smallest change that a check of the tolerance must see, in one element of one output.
TEST_P(CorruptedOutput, FailsAndIsNamed) {
    const fs::path folder = copyRuns(GetParam().folder);
    editTensors([](std::vector<NamedTensor>& tensors) {
        const auto found = std::ranges::find(tensors, GetParam().output, &NamedTensor::first);
        ASSERT_NE(found, tensors.end());
        Tensor& tensor = found->second;
        if (tensor.dtype() == DType::I64)
            tensor.data<std::int64_t>()[1] += 1;
        else if (tensor.dtype() == DType::U8)
            tensor.data<std::uint8_t>()[1] ^= 4;
        else
            tensor.data<float>()[1] += 0.01F;
    });
    const GoldenReport report = verify(folder);
    EXPECT_FALSE(report.passed());
    EXPECT_THAT(failedOutputs(report), ::testing::Contains(GetParam().output)) << formatReport(report);
    EXPECT_THAT(failedOutputs(report), ::testing::Each(::testing::StartsWith(GetParam().output)));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, CorruptedOutput,
    ::testing::Values(
        Corruption{"dit_t2v", "a.block1.out"}, Corruption{"dit_t2v", "c.out"},
        Corruption{"vae_21", "a.enc.down3"}, Corruption{"vae_21_res2", "t.dec.out"},
        Corruption{"taehv", "a.dec.out"}, Corruption{"taehv_22", "preview.dec.out"},
        Corruption{"storage", "storage.gguf:Q3_K.weight"},
        Corruption{"storage", "comfy.safetensors:convrot_256.weight"},
        Corruption{"storage", "comfy.safetensors:nvfp4.weight"},
        Corruption{"storage", "turbo.safetensors:squares.weight"}, Corruption{"umt5", "bucket.index"},
        Corruption{"umt5", "c.prompt_embeds"},
        Corruption{"schedulers", "unipc.shift5.n10.solver_order=3.traj"},
        Corruption{"schedulers", "wan_dpmpp.shift3.n4.timesteps"}, Corruption{"easycache", "b.skipped"},
        Corruption{"context_windows", "linear.window1.weights"},
        Corruption{"context_windows", "pyramid_odd.out"}, Corruption{"prompt_relay", "d.bias"},
        Corruption{"nag", "border.out_times_factor"}, Corruption{"dit_nag_i2v", "a.block0.attn2_out"},
        Corruption{"samplers_res", "res_2s.beta.shift5.n10.traj"},
        Corruption{"samplers_res", "beta57.shift3.n8.sigmas"},
        Corruption{"torch_random", "randn.s42.video.second_call"},
        Corruption{"pipeline_t2v", "frames_u8_round"}, Corruption{"phantom_inputs", "1.pixels"},
        Corruption{"phantom_inputs", "noise_pred"}, Corruption{"keyframes_i2v", "weak.mask"},
        Corruption{"keyframes_i2v", "five.pixels"}, Corruption{"svi_condition", "next.y"},
        Corruption{"keyframes_vace", "b.mask64"}, Corruption{"keyframes_vace", "d.reactive"},
        Corruption{"dit_fun", "b.out"}, Corruption{"fun_condition", "clip22.y"},
        Corruption{"fun_condition", "alone21.reference"}, Corruption{"ati_tracks", "published.tracks"},
        Corruption{"ati_tracks", "tall.y"}, Corruption{"bernini_rope", "b.sin"},
        Corruption{"bernini_dit", "both.pass2"}, Corruption{"bernini_dit", "pictures.guided"},
        Corruption{"rife_426", "a.mask"}, Corruption{"rife_46", "b.out"}, Corruption{"esrgan_x4", "b.out"},
        Corruption{"srvgg_x4", "a.out"}, Corruption{"wan_move", "a.positions"},
        Corruption{"wan_move", "b.out"}, Corruption{"pipeline_t2v", "noise_uncond"},
        Corruption{"animate2_attention", "a.out"}, Corruption{"animate2_attention", "b.out"},
        Corruption{"animate2_attention", "rope_b.sin"}, Corruption{"pipeline_t2v", "ids_negative"}),
    testing::PrintedName());

TEST_F(ChangedCase, WrongIdsFailTheTokenizer) {
    const fs::path folder = copyRuns("tokenizer");
    replaceInFile("table.json", R"("ids_fast":[263,1])", R"("ids_fast":[264,1])");
    const GoldenReport report = verify(folder);
    EXPECT_THAT(failedOutputs(report), ::testing::ElementsAre("ids_fast", "ids_fast_byte_fallback"));
}

TEST_F(ChangedCase, AnotherWindowFailsItsListAlone) {
    const fs::path folder = copyRuns("context_windows");
    replaceInFile("windows.json", R"("windows":[[0,1,)", R"("windows":[[1,1,)");
    EXPECT_EQ(failedOutputs(verify(folder)).size(), 1U);
}

TEST_F(ChangedCase, AnotherOrderFailsFreeNoise) {
    const fs::path folder = copyRuns("context_windows");
    replaceInFile("freenoise.json", R"(20,3,4,0,2,11,)", R"(20,3,4,0,2,12,)");
    EXPECT_THAT(failedOutputs(verify(folder)), ::testing::ElementsAre("FreeNoise of 41 frames, seed 0"));
}

TEST_F(ChangedCase, AnotherTimeFailsThePromptThatHasIt) {
    const fs::path folder = copyRuns("prompt_relay");
    replaceInFile("case.json", "[2s:0:04]", "[2s:0:03]");
    EXPECT_THAT(failedOutputs(verify(folder)), ::testing::ElementsAre("b.prompt", "b.bias"));
}

TEST_F(ChangedCase, OutputsThatNobodyMakesFail) {
    const fs::path folder = copyRuns("torch_random");
    editTensors([](std::vector<NamedTensor>& tensors) {
        tensors.emplace_back("randperm.s0.n5", Tensor::zeros({5}));
    });
    const GoldenReport report = verify(folder);
    EXPECT_THAT(failedOutputs(report), ::testing::ElementsAre("randperm.s0.n5"));
    const auto row = std::ranges::find(report.rows, "randperm.s0.n5", &GoldenRow::output);
    ASSERT_NE(row, report.rows.end());
    EXPECT_TRUE(std::isnan(row->maxAbsError)) << "there is nothing to compare";
    EXPECT_THAT(formatReport(report), ::testing::HasSubstr(row->note));
}

TEST_F(ChangedCase, UnknownKindsAndClassesAreProjectErrors) {
    copyRuns("torch_random");
    replaceInFile("case.json", "torch_random", "upscaler");
    expectError(ErrorKind::Project, "upscaler");
}

TEST_F(ChangedCase, OtherTransformersAreProjectErrors) {
    copyRuns("dit_t2v");
    replaceInFile("case.json", "WanTransformer3DModel", "WanS2VTransformer3DModel");
    expectError(ErrorKind::Project, "WanS2VTransformer3DModel");
}

TEST_F(ChangedCase, AnInputThatNobodyKnowsIsAProjectError) {
    copyRuns("dit_t2v");
    editTensors([](std::vector<NamedTensor>& tensors) {
        tensors.emplace_back("a.in.audio_hidden_states", Tensor::zeros({2, 257, 8}));
    });
    expectError(ErrorKind::Project, "audio_hidden_states");
}

TEST_F(ChangedCase, AnInputThatTheModelDoesNotTakeIsAnInputError) {
    copyRuns("dit_t2v");
    editTensors([](std::vector<NamedTensor>& tensors) {
        tensors.emplace_back("a.in.encoder_hidden_states_image", Tensor::zeros({2, 257, 8}));
    });
    expectError(ErrorKind::Input, "image");
}

TEST_F(ChangedCase, MissingFilesAreInputErrors) {
    const fs::path folder = copyRuns("torch_random");
    fs::remove(folder / "io.safetensors");
    expectError(ErrorKind::Input, "io.safetensors");
    fs::remove(folder / "case.json");
    expectError(ErrorKind::Input, "case.json");
}

TEST_F(ChangedCase, TruncatedTensorsAreInputErrors) {
    const fs::path folder = copyRuns("schedulers");
    fs::resize_file(folder / "io.safetensors", 1000);
    expectError(ErrorKind::Input, "io.safetensors");
}

TEST_F(ChangedCase, JsonOfAnotherFormIsAnInputError) {
    copyRuns("tokenizer");
    replaceInFile("table.json", R"("ids_fast":[263,1])", R"("ids_fast":"ids")");
    expectError(ErrorKind::Input, "[json.exception.type_error");
}

TEST_F(ChangedCase, ACaseWithoutItsCallIsAnInputError) {
    const fs::path folder = copyRuns("pipeline_t2v");
    fs::remove(folder / "README.md");
    expectError(ErrorKind::Input, "called");
}

TEST_F(ChangedCase, CallsForWhatNobodyKnowsAreProjectErrors) {
    copyRuns("pipeline_t2v");
    replaceInFile("README.md", R"("guidance_scale": 5.0)",
                  R"("guidance_scale": 5.0, "audio_guidance_scale": 3.0)");
    expectError(ErrorKind::Project, "audio_guidance_scale");
}

/// f32 `tensor` with its extent of 1 at `axis` doubled.
Tensor doubled(const Tensor& tensor, std::size_t axis) {
    std::int64_t inner = 1;
    for (std::size_t i = axis; i < tensor.shape().rank(); ++i)
        inner *= tensor.extent(i);
    Tensor result = Tensor::empty(tensor.shape().with(axis, 2));
    auto out = result.data<float>().begin();
    const auto values = tensor.data<float>();
    for (std::int64_t begin = 0; begin < tensor.elements(); begin += inner)
        for (int copy = 0; copy < 2; ++copy)
            out = std::copy_n(values.begin() + begin, inner, out);
    return result;
}

TEST_F(ChangedCase, SeveralVideosOfOnePromptHold) {
    const fs::path folder = copyRuns("pipeline_t2v");
    replaceInFile("README.md", R"("max_sequence_length": 512)",
                  R"("max_sequence_length": 512, "num_videos_per_prompt": 2)");
    const std::map<std::string, std::size_t> videoAxes{
        {"latents_init", 0}, {"vae_in", 0},       {"vae_out", 0},      {"timesteps_model", 1},
        {"noise_cond", 1},   {"noise_uncond", 1}, {"latents_steps", 1}};
    editTensors([&](std::vector<NamedTensor>& tensors) {
        for (auto& [name, tensor] : tensors)
            if (const auto axis = videoAxes.find(name); axis != videoAxes.end())
                tensor = doubled(tensor, axis->second);
    });
    const GoldenReport report = verify(folder);
    EXPECT_TRUE(report.passed()) << formatReport(report);
}

/// As TI2V's pipeline gives them from text alone, where Meshreel has one time for each video.
TEST_F(ChangedCase, TimesOfEachTokenHoldWhereTheyAreTheVideos) {
    const fs::path folder = copyRuns("pipeline_t2v");
    const auto timesPerToken = [](Tensor& times) {
        times = doubled(times.reshaped({times.extent(0), times.extent(1), 1}), 2);
    };
    editTensors([&](std::vector<NamedTensor>& tensors) {
        timesPerToken(std::ranges::find(tensors, "timesteps_model", &NamedTensor::first)->second);
    });
    const GoldenReport report = verify(folder);
    EXPECT_TRUE(report.passed()) << formatReport(report);
    EXPECT_THAT(formatReport(report),
                ::testing::AllOf(::testing::HasSubstr("[6, 1] "), ::testing::HasSubstr("[6, 1, 2]")));

    editTensors([](std::vector<NamedTensor>& tensors) {
        std::ranges::find(tensors, "timesteps_model", &NamedTensor::first)->second.data<float>()[0] = 0;
    });
    EXPECT_THAT(failedOutputs(verify(folder)), ::testing::ElementsAre("timesteps_model"));
}

}  // namespace
}  // namespace meshreel

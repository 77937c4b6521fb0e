// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs whose transformer kernels of PTX compute, through the real runner: Mesa's software driver, with
// a layer that stands in for the extension that launches them (tests/support/stand_ins/ptx_launch_layer.cpp).
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/media/video_reader.h"
#include "runner.h"
#include "tests/support/locations.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;

const fs::path lavapipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

/// GPU 0 is the software driver's device, which launches PTX.
class GpuPtxRun : public testing::RunnerTest {
  protected:
    void SetUp() override {
        if (!fs::exists(lavapipe))
            GTEST_SKIP() << "no software GPU (package mesa-vulkan-drivers)";
    }

    [[nodiscard]] ProcessResult onGpu(const std::vector<std::string>& arguments,
                                      const std::string& faults = "") const {
        const fs::path build = testing::programFolder().parent_path();
        testing::ProcessOptions with = options();
        with.environment["VK_DRIVER_FILES"] = lavapipe.string();
        with.environment["MESA_SHADER_CACHE_DIR"] = (build / "shader-cache").string();
        with.environment["VK_LAYER_PATH"] = (build / "tests" / "stand_ins" / "vulkan").string();
        with.environment["VK_INSTANCE_LAYERS"] = "VK_LAYER_MESHREEL_ptx_launch";
        with.environment["MESHREEL_LAUNCHES"] = file("launches.txt").string();
        with.environment["MESHREEL_LAUNCH_FAULTS"] = faults;
        // Its messages say why a text is refused.
        with.environment["LD_LIBRARY_PATH"] = (build / "tests" / "stand_ins" / "cuda").string();
        return meshreel(arguments, with);
    }

    /// One step of the test's model in bf16: interpreted blocks have 128 rows whatever the video's size is.
    [[nodiscard]] testing::ProjectKeys shortRun() const {
        testing::ProjectKeys keys = testing::smallRun();
        keys["pretrained_model_name_or_path"] = file("model").string();
        keys["num_frames"] = "1";
        keys["height"] = "16";
        keys["num_inference_steps"] = "1";
        keys["guidance_scale"] = "1";
        keys["weights_dtype"] = keys["activations_dtype"] = "bfloat16";
        keys["video_format"] = "png";
        return keys;
    }

    /// The frames of a run that GPU 0 or the CPU made; its folder is called `name`.
    [[nodiscard]] Tensor framesOf(const std::string& name, const std::string& gpus,
                                  const std::string& faults = "") const {
        testing::ProjectKeys keys = shortRun();
        keys["gpus"] = gpus;
        const ProcessResult result =
            onGpu({"run", project(keys, name + ".yaml"), "--out", file(name).string()}, faults);
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return readVideo(file(name) / "video");
    }

    [[nodiscard]] std::string logOf(const std::string& name) const {
        return readFile(file(name) / "log.txt");
    }

    [[nodiscard]] std::string launches() const {
        return fs::exists(file("launches.txt")) ? readFile(file("launches.txt")) : "";
    }

    [[nodiscard]] fs::path tuningFile() const {
        return fs::path(options().environment.at("XDG_CACHE_HOME")) / "meshreel" / "gpu-tuning.json";
    }

    /// The variants of a kernel as the cache knows them.
    [[nodiscard]] nlohmann::json measured(const std::string& kernel) const {
        const nlohmann::json tuning = readJsonObject(tuningFile());
        for (const nlohmann::json& each : tuning.at("kernels"))
            if (each.at("kernel") == kernel)
                return each.at("variants");
        return {};
    }

    /// Whether the cache knows a kernel of PTX, usable or not.
    [[nodiscard]] bool knowsPtx(const std::string& kernel) const {
        const nlohmann::json variants = measured(kernel);
        return std::ranges::any_of(
            variants, [](const nlohmann::json& variant) { return variant.at("form") == "ptx_bf16"; });
    }

    static int mostApart(const Tensor& one, const Tensor& other) {
        const auto a = one.data<std::uint8_t>();
        const auto b = other.data<std::uint8_t>();
        return std::transform_reduce(
            a.begin(), a.end(), b.begin(), 0, [](int x, int y) { return std::max(x, y); },
            [](int x, int y) { return std::abs(x - y); });
    }

    static double meanApart(const Tensor& one, const Tensor& other) {
        const auto a = one.data<std::uint8_t>();
        const auto b = other.data<std::uint8_t>();
        return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus(),
                                     [](int x, int y) { return std::abs(x - y); }) /
               static_cast<double>(a.size());
    }
};

/// A narrow model's run measures. An interpreter is slower than the software driver's shaders, so what was
/// measured is turned round before a wider model makes its video: one whose products take several tiles and
/// steps.
TEST_F(GpuPtxRun, KernelsOfPtxAreMeasuredBesideOthersAndMakeTheCpusVideo) {
    testing::makeTinyModel(file("model"), testing::narrowModel());
    static_cast<void>(framesOf("measuring", "0"));
    for (const std::string kernel : {"linear", "attention 64"}) {
        const nlohmann::json variants = measured(kernel);
        ASSERT_FALSE(variants.empty()) << kernel;
        EXPECT_TRUE(knowsPtx(kernel)) << kernel;
        for (const nlohmann::json& variant : variants) {
            EXPECT_EQ(variant.value("why", ""), "") << kernel << " " << variant;
            EXPECT_GT(variant.at("rate").get<double>(), 0.0) << kernel << " " << variant;
        }
    }
    EXPECT_THAT(launches(), AllOf(HasSubstr("linear_bf16"), HasSubstr("attention_64_64"),
                                  HasSubstr("attention_64_128"), HasSubstr("attention_32_64")));
    fs::remove(file("launches.txt"));

    nlohmann::json tuning = readJsonObject(tuningFile());
    for (nlohmann::json& kernel : tuning.at("kernels"))
        for (nlohmann::json& variant : kernel.at("variants"))
            if (variant.at("form") == "ptx_bf16")
                variant.at("rate") = 1e15;
    writeFileAtomically(tuningFile(), tuning.dump());
    testing::TinyModel wider;
    wider.transformer = {{"num_attention_heads", 5}, {"ffn_dim", 256}};
    fs::remove_all(file("model"));
    testing::makeTinyModel(file("model"), wider);
    const Tensor cpu = framesOf("cpu", "none");
    const Tensor ptx = framesOf("ptx", "0");
    EXPECT_THAT(logOf("ptx"), HasSubstr("The GPU multiplied bf16 in the form ptx_bf16"));
    EXPECT_THAT(launches(), AllOf(HasSubstr("linear_bf16"), HasSubstr("attention_32_")));
    EXPECT_GT(meanApart(cpu, Tensor::zeros(cpu.shape(), DType::U8)), 4.0) << "it shows something";
    // Each rounds to bf16 in other places. Measured: 0.012 levels, as by the software driver's shaders.
    EXPECT_LT(meanApart(ptx, cpu), 0.1);
    EXPECT_LE(mostApart(ptx, cpu), 2);
    EXPECT_THAT(onGpu({"devices"}).out,
                AllOf(HasSubstr("taken    ptx_bf16, 1e+03 TFLOP/s in bf16"),
                      HasSubstr("taken    ptx_bf16, attention 64 "), HasSubstr("rejected ptx_int8: ")));
}

/// Refused by the driver, wrong, crashing: each at its first use, in a process of its own, and remembered.
TEST_F(GpuPtxRun, AKernelOfPtxThatFailsGivesPlaceToShaders) {
    testing::makeTinyModel(file("model"), testing::narrowModel());
    const std::string faults = "refuse:linear_bf16,wrong:attention_32_64,crash:attention_64_128";
    const Tensor cpu = framesOf("cpu", "none");
    EXPECT_LT(meanApart(framesOf("run", "0", faults), cpu), 1.0);
    EXPECT_THAT(logOf("run"),
                AllOf(HasSubstr("does not compute the kernel \"linear\" in the form ptx_bf16"),
                      HasSubstr("this card does not like linear_bf16"),
                      HasSubstr("does not compute the kernel \"attention 64\" in the form ptx_bf16"),
                      Not(HasSubstr("multiplied bf16 in the form ptx_bf16"))));
    // Known from now on, whatever the driver does.
    const std::string listed = onGpu({"devices"}).out;
    EXPECT_THAT(listed, AllOf(HasSubstr("this card does not like linear_bf16"),
                              HasSubstr("computes wrong values in the shader attention ptx_bf16 16x8x16.32"),
                              HasSubstr("its first use crashed (signal 6): the compiler of PTX went wrong")));
    fs::remove(file("launches.txt"));
    EXPECT_LT(meanApart(framesOf("again", "0"), cpu), 1.0);
    EXPECT_EQ(launches(), "");
}

/// What keeps a run from asking says nothing of the kernel.
TEST_F(GpuPtxRun, AKernelOfPtxThatCouldNotBeAskedAboutIsAskedAboutAgain) {
    testing::makeTinyModel(file("model"), testing::narrowModel());
    const std::string crashing = "crash:attention_64_64,crash:attention_64_128";
    static_cast<void>(framesOf("short", "0", "short:linear_bf16," + crashing));
    EXPECT_THAT(logOf("short"), HasSubstr("out of memory"));
    ASSERT_FALSE(measured("linear").empty());
    EXPECT_FALSE(knowsPtx("linear"));
    EXPECT_TRUE(knowsPtx("attention 64"));
    static_cast<void>(framesOf("later", "0", crashing));
    EXPECT_TRUE(knowsPtx("linear"));
}

TEST_F(GpuPtxRun, AFirstUseOfAnotherCardSaysThatItIsNotHere) {
    const ProcessResult result =
        onGpu({"devices", "--try-kernel", "another card", "linear", "ptx_bf16", "16x8x16.128x128x32"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("the GPU another card is not here any more"),
                                  HasSubstr("\"verdict\":\"not_asked\"")));
}

}  // namespace
}  // namespace meshreel

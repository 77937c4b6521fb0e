// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of PTX among a GPU's shaders: the software driver with a layer that stands in for the extension
// that launches them (tests/support/stand_ins/ptx_launch_layer.cpp).
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/first_use.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_int8_linear.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_linear_program.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/kernels/gpu/gpu_rows.h"
#include "engine/kernels/gpu/kernel_trial.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "tests/support/locations.h"
#include "tests/support/most_apart.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double bf16Rounding = 1.0 / 128.0;  // relative to values of about unit size

class GpuPtx : public testing::GpuWorkTest {
  protected:
    /// Before any of this program's tests opens Vulkan.
    static void SetUpTestSuite() {
        const std::filesystem::path layers =
            testing::programFolder().parent_path() / "tests" / "stand_ins" / "vulkan";
        ::setenv("VK_LAYER_PATH", layers.c_str(), 1);
        ::setenv("VK_INSTANCE_LAYERS", "VK_LAYER_MESHREEL_ptx_launch", 1);
        ::setenv("MESHREEL_LAUNCHES", launches().c_str(), 1);
    }

    void SetUp() override {
        testing::GpuWorkTest::SetUp();
        std::filesystem::remove(launches());
    }

    static std::filesystem::path launches() {
        static const ScratchFolder scratch;
        return scratch.path() / "launches.txt";
    }

    /// How often kernels were launched since the test began whose name begins so.
    static int launchesOf(const std::string& name) {
        int count = 0;
        std::istringstream lines(std::filesystem::exists(launches()) ? readFile(launches()) : "");
        for (std::string line; std::getline(lines, line);)
            count += line.starts_with(name) ? 1 : 0;
        return count;
    }

    /// The candidates of PTX among these variants.
    [[nodiscard]] std::vector<BoundVariant> ptxAmong(std::span<const MatrixVariant> variants) const {
        std::vector<BoundVariant> found;
        for (const GpuCandidate& each : candidatesOn(gpu->matrices(), {}, variants))
            if (isOfPtx(each.form))
                found.push_back(each.bound());
        return found;
    }

    static GpuMatrix matrixIn(const GpuBuffer& buffer, const Tensor& tensor) {
        const std::int64_t width = tensor.extent(tensor.shape().rank() - 1);
        return {.address = buffer.address(),
                .type = tensor.dtype(),
                .layout = {.rows = tensor.elements() / width, .width = width, .stride = width}};
    }

    WorkerPool pool{{.workers = 1}};
    Execution execution{pool, {}};
};

TEST_F(GpuPtx, ADeviceWithTheExtensionOffersItsForms) {
    for (const MatrixForm form : {MatrixForm::PtxBf16, MatrixForm::PtxInt8}) {
        EXPECT_FALSE(gpu->matrices().of(form).extents.empty()) << gpu->matrices().of(form).why;
        EXPECT_TRUE(gpu->matrices().of(form).why.empty());
    }
    EXPECT_NE(gpu->ptxCalls().launch, nullptr);
    EXPECT_EQ(ptxAmong(linearVariants()).size(), 1U);
    EXPECT_EQ(ptxAmong(int8LinearVariants()).size(), 1U);
    const GpuFacts facts = askGpu(*library, library->devices().front());
    for (const char* name : {"ptx_bf16", "ptx_int8"})
        EXPECT_TRUE(std::ranges::find(facts.forms, name, &MatrixFormFacts::name)->offered) << name;
}

TEST_F(GpuPtx, ADeviceThatFailsWithTheExtensionOpensWithoutIt) {
    for (const char* fault : {"refuse:device", "lack:vkCmdCudaLaunchKernelNV"}) {
        ::setenv("MESHREEL_LAUNCH_FAULTS", fault, 1);
        const Gpu opened(library, gpu->id());
        ::unsetenv("MESHREEL_LAUNCH_FAULTS");
        EXPECT_NE(opened.device(), nullptr) << fault;
        EXPECT_EQ(opened.ptxCalls().launch, nullptr) << fault;
        for (const MatrixForm form : {MatrixForm::PtxBf16, MatrixForm::PtxInt8}) {
            EXPECT_TRUE(opened.matrices().of(form).extents.empty()) << fault;
            EXPECT_FALSE(opened.matrices().of(form).why.empty()) << fault;
        }
    }
}

/// The driver lists the extension; that a device does not open with it, only opening one shows.
TEST_F(GpuPtx, AListOfDevicesSaysThatADeviceDoesNotOpenWithTheExtension) {
    ::setenv("MESHREEL_LAUNCH_FAULTS", "refuse:device", 1);
    const GpuFacts facts = askGpu(*library, library->devices().front());
    ::unsetenv("MESHREEL_LAUNCH_FAULTS");
    EXPECT_EQ(facts.launches, "");
    const auto form = std::ranges::find(facts.forms, "ptx_bf16", &MatrixFormFacts::name);
    EXPECT_FALSE(form->offered);
    EXPECT_THAT(form->why.text(), AllOf(HasSubstr("the device does not open with VK_NV_cuda_kernel_launch"),
                                        HasSubstr("vkCreateDevice"), HasSubstr("libcuda.so.1")));
}

/// Of every width, begin and stride: what the kernel reads and writes, and what its stand-in computes.
TEST_F(GpuPtx, ALinearLayerIsTheCpus) {
    struct Widths {
        std::int64_t ins;
        std::int64_t outs;
        std::int64_t first;  // column of x and y
        bool byPtx;
    };
    for (const Widths& of : {Widths{64, 64, 0, true}, Widths{96, 132, 8, true}, Widths{96, 100, 3, false},
                             Widths{70, 40, 0, false}, Widths{64, 37, 0, false}})
        for (const DType output : {DType::F32, DType::BF16}) {
            const Tensor x = testing::randomTensor({140, of.first + of.ins + 8}, 1).to(DType::BF16);
            const Tensor weight = testing::randomTensor({of.outs, of.ins}, 2).to(DType::BF16);
            const Tensor bias = testing::randomTensor({of.outs}, 3);
            const Tensor gate = testing::randomTensor({of.outs}, 4);
            const std::int64_t width = (of.first + of.outs + 7) / 4 * 4;
            Tensor y = testing::randomTensor({140, width}, 5).to(output).clone();
            const auto gpuX = upload(x);
            const auto gpuWeight = upload(weight);
            const auto gpuBias = upload(bias);
            const auto gpuGate = upload(gate);
            const auto gpuY = upload(y);
            const PreparedLinear layer = prepareLinear(
                work->pipelines(), {.weight = matrixIn(*gpuWeight, weight), .bias = gpuBias->address()},
                boundTo(ptxAmong(linearVariants()).front()));
            std::filesystem::remove(launches());  // of the check at first use
            applyLinear(
                *stream, layer, matrixIn(*gpuX, x).columns(of.first, of.ins).slice(4, 133),
                matrixIn(*gpuY, y).columns(of.first, of.outs).slice(4, 133),
                {.activation = LinearActivation::GeluTanh, .gate = gpuGate->address(), .addToOutput = true});
            PackedMatrix::pack(weight.toF32(), &bias)
                .apply(execution, MatrixView(x).columns(of.first, of.ins).slice(4, 133),
                       MatrixSpan(y).columns(of.first, of.outs).slice(4, 133),
                       {.activation = LinearActivation::GeluTanh,
                        .gate = gate.data<float>(),
                        .addToOutput = true});
            EXPECT_LE(testing::mostApart(download(*gpuY, y), y), output == DType::BF16 ? bf16Rounding : 1e-4)
                << of.ins << " " << of.outs << " " << nameOf(output);
            EXPECT_EQ(launchesOf("linear_bf16") > 0, of.byPtx) << of.ins << " " << of.outs;
        }
}

/// Sums are exact, and scaled as the scalar shader scales them.
TEST_F(GpuPtx, AnInt8LayerIsTheScalarShaders) {
    constexpr std::int64_t ins = 200;
    constexpr std::int64_t outs = 68;
    constexpr std::int64_t rows = 131;
    const Tensor x = testing::randomTensor({rows, ins}, 1);
    const Tensor bias = testing::randomTensor({outs}, 2);
    const Int8Weight rounded = roundToInt8(testing::randomTensor({outs, ins}, 3));
    Tensor padded = Tensor::zeros({outs, int8RowWidth(ins)}, DType::U8);
    for (std::int64_t out = 0; out < outs; ++out)
        std::memcpy(padded.raw() + out * int8RowWidth(ins), rounded.row(out).data(), ins);
    const auto gpuX = upload(x);
    const auto gpuBias = upload(bias);
    const auto values = upload(padded);
    const auto scales = upload(rounded.scales);
    const auto room = upload(Tensor::zeros({rows * int8RowWidth(ins)}, DType::U8));
    const auto rowScales = upload(Tensor::zeros({rows}));
    const auto computedBy = [&](const BoundVariant& by) {
        const Tensor y = Tensor::zeros({rows, outs});
        const auto gpuY = upload(y);
        applyInt8Linear(
            *stream,
            prepareInt8Linear(
                work->pipelines(),
                {.values = values->address(), .scales = scales->address(), .bias = gpuBias->address()},
                boundTo(by)),
            matrixIn(*gpuX, x), matrixIn(*gpuY, y),
            {.values = room->address(), .scales = rowScales->address()});
        return download(*gpuY, y);
    };
    const Tensor scalar = computedBy({});
    EXPECT_EQ(launchesOf("linear_int8"), 0);
    const Tensor ptx = computedBy(ptxAmong(int8LinearVariants()).front());
    EXPECT_GE(launchesOf("linear_int8"), 1);
    EXPECT_LE(testing::mostApart(ptx, scalar), 1e-6);
}

/// Heads that a kernel is made for, and those that its stand-in computes.
TEST_F(GpuPtx, AttentionIsTheScalarShaders) {
    for (const std::int64_t headDim : {32, 64, 96, 128, 40}) {
        constexpr std::int64_t heads = 2;
        constexpr std::int64_t queries = 70;
        constexpr std::int64_t keys = 90;
        const GpuKernel kernel = attentionKernel(headDim);
        const auto rows = [&](std::int64_t count, std::uint32_t seed) {
            return testing::randomTensor({count, heads * headDim}, seed).to(DType::BF16);
        };
        const Tensor q = rows(queries, 1);
        const Tensor k = rows(keys, 2);
        const Tensor v = rows(keys, 3);
        const auto gpuQ = upload(q);
        const auto gpuK = upload(k);
        const auto gpuV = upload(v);
        const auto attended = [&](const BoundVariant& by) {
            const Tensor y = Tensor::zeros({queries, heads * headDim});
            const auto gpuY = upload(y);
            attend(*stream, prepareAttention(work->pipelines(), boundTo(by), kernel),
                   {.heads = heads,
                    .headDim = headDim,
                    .q = matrixIn(*gpuQ, q),
                    .k = matrixIn(*gpuK, k),
                    .v = matrixIn(*gpuV, v),
                    .scale = 1.0 / std::sqrt(static_cast<double>(headDim)),
                    .lastKeyCount = 3},
                   matrixIn(*gpuY, y));
            return download(*gpuY, y);
        };
        const Tensor scalar = attended({});
        const std::vector<BoundVariant> variants =
            ptxAmong(attentionTrial(work->pipelines(), kernel).variants);
        EXPECT_EQ(variants.size(), 2U);
        static_cast<void>(prepareAttention(work->pipelines(), boundTo(variants.front()), kernel));
        std::filesystem::remove(launches());  // of checks at first use
        EXPECT_LE(testing::mostApart(attended(variants.front()), scalar), bf16Rounding) << headDim;
        EXPECT_EQ(launchesOf("attention_" + std::to_string(headDim)) > 0, headDim != 40) << headDim;
    }
}

/// What comes before and behind a launch in the same commands, and in later ones.
TEST_F(GpuPtx, LaunchesHaveTheirPlaceAmongDispatches) {
    constexpr double epsilon = 1e-6;
    const Tensor x = testing::randomTensor({300, 64}, 1).to(DType::BF16);
    const Tensor weight = testing::randomTensor({64, 64}, 2).to(DType::BF16);
    const Tensor gamma = testing::randomTensor({64}, 3);
    const auto gpuWeight = upload(weight);
    const auto gpuGamma = upload(gamma);
    const auto computed = [&](GpuStream& on) {
        const auto gpuX = upload(x);
        const Tensor y = Tensor::zeros({300, 64});
        const auto gpuY = upload(y);
        const PreparedLinear layer =
            prepareLinear(work->pipelines(), {.weight = matrixIn(*gpuWeight, weight)},
                          boundTo(ptxAmong(linearVariants()).front()));
        for (int round = 0; round < 3; ++round) {
            applyLinear(on, layer, matrixIn(*gpuX, x), matrixIn(*gpuY, y), {.addToOutput = round > 0});
            layerNorm(on, rowsOf(work->pipelines()), matrixIn(*gpuY, y), epsilon,
                      {gpuGamma->address(), gpuGamma->address()}, matrixIn(*gpuX, x));
        }
        on.finish();
        return download(*gpuY, y);
    };
    const Tensor whole = computed(*stream);
    GpuStream small(*gpu, 600'000.0);
    const Tensor cut = computed(small);
    EXPECT_GT(small.submissions(), 3);
    EXPECT_EQ(std::memcmp(whole.raw(), cut.raw(), whole.bytes()), 0);
    EXPECT_GE(launchesOf("linear_bf16"), 3);
}

double neverAsked(GpuPipelines& /*pipelines*/, GpuStream& /*stream*/, const GpuShader& /*shader*/) {
    ADD_FAILURE() << "what the driver refuses is not checked";
    return 0;
}

TEST_F(GpuPtx, TextThatTheDriverRefusesIsRefusedEachTime) {
    const GpuShader shader{.name = "damaged", .words = {}, .constants = 8, .check = neverAsked, .ptx = [] {
                               return PtxKernel{.entry = "damaged", .text = ".version 7.0\n", .threads = 32};
                           }};
    GpuPipelines refusing(*gpu);
    for (int time = 0; time < 2; ++time) {
        try {
            static_cast<void>(refusing.program(shader));
            ADD_FAILURE();
        } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), ErrorKind::Device);
            EXPECT_TRUE(isLasting(failure));
            EXPECT_THAT(failure.what(), HasSubstr("refuses the kernel damaged: Vulkan's error"));
        }
    }
}

const NamedVariant asked{.kernel = "linear", .form = "ptx_bf16", .block = "a"};

/// The answer of a script. It ends by itself, however long a busy machine takes, unless `patience` is short.
FirstUse answerTo(const std::string& script,
                  std::chrono::milliseconds patience = std::chrono::milliseconds(60'000),
                  const StopToken& stop = {}) {
    return askFirstUse({.program = {"/bin/sh", "-c", script}, .patience = patience}, "card", asked, stop);
}

TEST(FirstUse, IsWhatTheProgramSays) {
    const FirstUse usable = answerTo(R"(echo '{"verdict": "usable", "why": "", "sizes": 3}')");
    EXPECT_TRUE(usable.isUsable());
    EXPECT_EQ(usable.why.text(), "");
    EXPECT_EQ(usable.sizes, 3U);
    const FirstUse wrong = answerTo(R"(echo '{"verdict": "wrong", "why": "wrong values", "sizes": 0}')");
    EXPECT_EQ(wrong.verdict, FirstUseVerdict::Wrong);
    EXPECT_EQ(wrong.why.text(), "wrong values");
    // "$0" and so on are what follows the script.
    EXPECT_EQ(
        answerTo(R"(echo "{\"verdict\": \"refused\", \"why\": \"$0 $1 $2 $3\", \"sizes\": 0}")").why.text(),
        "card linear ptx_bf16 a");
}

TEST(FirstUse, ThatHangsOrCrashesIsRemembered) {
    const FirstUse hanging = answerTo("sleep 60", std::chrono::milliseconds(300));
    EXPECT_EQ(hanging.verdict, FirstUseVerdict::TimedOut);
    EXPECT_THAT(hanging.why.text(), HasSubstr("did not end within 0.3 s"));
    const FirstUse crashing = answerTo("echo 'ptxas: fatal' >&2; kill -ABRT $$");
    EXPECT_EQ(crashing.verdict, FirstUseVerdict::Crashed);
    EXPECT_THAT(crashing.why.text(), AllOf(HasSubstr("crashed (signal 6)"), HasSubstr("ptxas: fatal")));
    EXPECT_TRUE(hanging.isLasting() && crashing.isLasting());
}

TEST(FirstUse, ThatCouldNotBeAskedIsNotRemembered) {
    for (const char* script : {"exit 7", "kill -KILL $$", R"(echo '{"gpus": []}')",
                               R"(echo '{"verdict": "not_asked", "why": "out of memory", "sizes": 0}')"}) {
        const FirstUse use = answerTo(script);
        EXPECT_FALSE(use.isLasting()) << script;
        EXPECT_FALSE(use.isUsable()) << script;
        EXPECT_FALSE(use.why.empty()) << script;
    }
    const FirstUse missing = askFirstUse({.program = {"/no/such/program"}}, "card", asked);
    EXPECT_FALSE(missing.isLasting());
    EXPECT_THAT(missing.why.text(),
                AllOf(HasSubstr("/no/such/program cannot be started"), Not(HasSubstr("MPI"))));
}

/// A pipe holds 64 KiB: a driver that says more does not wait for its reader.
TEST(FirstUse, IsHeardBehindMoreThanAPipeHolds) {
    EXPECT_TRUE(answerTo(R"(head -c 300000 /dev/zero | tr '\0' 'x' >&2
head -c 100000 /dev/zero | tr '\0' ' '
echo '{"verdict": "usable", "why": "", "sizes": 1}')")
                    .isUsable());
}

TEST(FirstUse, IsGivenUpWhenWorkIsStopped) {
    StopSource stop;
    stop.request_stop();
    try {
        static_cast<void>(answerTo("sleep 60", std::chrono::milliseconds(60'000), stop.get_token()));
        ADD_FAILURE() << "it did not stop";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Cancelled);
    }
}

TEST_F(GpuPtx, AVariantThatIsNotThereIsRefused) {
    EXPECT_THROW(tryVariant(work->pipelines(), {.kernel = "linear", .form = "ptx_bf16", .block = "none"}),
                 Error);
    EXPECT_THROW(tryVariant(work->pipelines(), {.kernel = "none", .form = "ptx_bf16", .block = "none"}),
                 Error);
}

}  // namespace
}  // namespace meshreel

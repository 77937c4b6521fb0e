// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of a GPU against those of the CPU.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/kernels/gpu/gpu_rows.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/finite_check.h"
#include "engine/kernels/rows/norms.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

constexpr double epsilon = 1e-6;
constexpr double f32Error = 2e-5;  // relative to values of about unit size
constexpr double bf16Error = 1.0 / 128.0;

double errorAllowed(DType type) {
    return type == DType::BF16 ? bf16Error : f32Error;
}

/// The largest difference, relative to 1 or the value if that is larger.
double largestDifference(const Tensor& found, const Tensor& expected) {
    const Tensor one = found.toF32();
    const Tensor other = expected.toF32();
    double largest = 0.0;
    for (std::size_t i = 0; i < one.data<float>().size(); ++i) {
        const auto value = static_cast<double>(other.data<float>()[i]);
        const double difference =
            std::abs(static_cast<double>(one.data<float>()[i]) - value) / std::max(1.0, std::abs(value));
        if (difference > largest || std::isnan(difference))
            largest = difference;
    }
    return largest;
}

class GpuKernels : public testing::GpuWorkTest {
  protected:
    static GpuMatrix matrixIn(const GpuBuffer& buffer, const Tensor& tensor) {
        const std::int64_t width = tensor.extent(tensor.shape().rank() - 1);
        return {.address = buffer.address(),
                .type = tensor.dtype(),
                .layout = {.rows = tensor.elements() / width, .width = width, .stride = width}};
    }

    WorkerPool pool{{.workers = 1}};
    Execution execution{pool, {}};
};

/// Of every width, begin and stride: what matrix units read in words, and what they gather.
TEST_F(GpuKernels, ANarrowLinearLayerTakesAnyWidthAndStride) {
    struct Widths {
        std::int64_t ins;
        std::int64_t outs;
        std::int64_t first;  // column of x and y
    };
    for (const Widths& of : {Widths{64, 64, 0}, Widths{64, 40, 8}, Widths{70, 37, 0}, Widths{96, 100, 3},
                             Widths{1, 1, 5}, Widths{8, 130, 16}})
        for (const DType output : {DType::F32, DType::BF16})
            for (const DType weightType : {DType::F32, DType::BF16}) {
                const Tensor x = testing::randomTensor({70, of.first + of.ins + 2}, 1).to(DType::BF16);
                const Tensor weight = testing::randomTensor({of.outs, of.ins}, 2).to(weightType);
                const Tensor bias = testing::randomTensor({of.outs}, 3);
                const Tensor gate = testing::randomTensor({of.outs}, 4);
                Tensor y = testing::randomTensor({70, of.first + of.outs + 1}, 5).to(output).clone();
                const auto gpuX = upload(x);
                const auto gpuWeight = upload(weight);
                const auto gpuBias = upload(bias);
                const auto gpuGate = upload(gate);
                const auto gpuY = upload(y);
                applyLinear(
                    *stream,
                    prepareLinear(work->pipelines(),
                                  {.weight = matrixIn(*gpuWeight, weight), .bias = gpuBias->address()},
                                  bindKernel(work->pipelines(), GpuKernel::Linear)),
                    matrixIn(*gpuX, x).columns(of.first, of.ins).slice(3, 67),
                    matrixIn(*gpuY, y).columns(of.first, of.outs).slice(2, 67),
                    {.activation = LinearActivation::GeluTanh,
                     .gate = gpuGate->address(),
                     .addToOutput = true});
                // Matrix units round an f32 weight.
                PackedMatrix::pack(weight.to(DType::BF16).toF32(), &bias)
                    .apply(execution, MatrixView(x).columns(of.first, of.ins).slice(3, 67),
                           MatrixSpan(y).columns(of.first, of.outs).slice(2, 67),
                           {.activation = LinearActivation::GeluTanh,
                            .gate = gate.data<float>(),
                            .addToOutput = true});
                EXPECT_LE(largestDifference(download(*gpuY, y), y),
                          weightType == DType::F32 ? 0.1 : errorAllowed(output))
                    << of.ins << " " << of.outs << " " << nameOf(output) << " " << nameOf(weightType);
            }
}

TEST_F(GpuKernels, WorkIsSubmittedInPortionsThatChangeNoBit) {
    const Tensor x = testing::randomTensor({300, 64}, 1);
    const Tensor weight = testing::randomTensor({64, 64}, 2);
    const Tensor gamma = testing::randomTensor({64}, 3);
    const auto gpuX = upload(x);
    const auto gpuWeight = upload(weight);
    const auto gpuGamma = upload(gamma);
    const auto computed = [&](GpuStream& on) {
        const auto gpuY = upload(Tensor::zeros({300, 64}));
        applyLinear(on, prepareLinear(work->pipelines(), {.weight = matrixIn(*gpuWeight, weight)}, {}),
                    matrixIn(*gpuX, x), matrixIn(*gpuY, x));
        layerNorm(on, rowsOf(work->pipelines()), matrixIn(*gpuY, x), epsilon,
                  {gpuGamma->address(), gpuGamma->address()}, matrixIn(*gpuY, x));
        addRows(on, rowsOf(work->pipelines()), matrixIn(*gpuY, x), matrixIn(*gpuX, x));
        on.finish();
        return download(*gpuY, x);
    };
    const std::int64_t before = stream->submissions();
    const Tensor whole = computed(*stream);
    // The copies of upload() and download() are two of them.
    EXPECT_EQ(stream->submissions() - before, 3);
    GpuStream small(*gpu, 600'000.0);  // one tile of the layer is 524,288
    const Tensor cut = computed(small);
    EXPECT_GE(small.submissions(), 5);
    EXPECT_GT(small.gpuSeconds(), 0.0);
    EXPECT_EQ(std::memcmp(whole.raw(), cut.raw(), whole.bytes()), 0);
}

TEST_F(GpuKernels, ALayerNormWithoutGammaScalesNothing) {
    const Tensor x = testing::randomTensor({3, 64}, 1);
    Tensor y = Tensor::empty(x.shape());
    const auto gpuX = upload(x);
    layerNorm(*stream, rowsOf(work->pipelines()), matrixIn(*gpuX, x), epsilon, {}, matrixIn(*gpuX, x));
    layerNorm(execution, x.data<float>(), 64, epsilon, {}, {}, y.data<float>());
    EXPECT_LE(largestDifference(download(*gpuX, x), y), f32Error);
}

double checkThatFails(GpuPipelines& /*pipelines*/, GpuStream& /*stream*/, const GpuShader& /*shader*/) {
    return 3.0;
}

double checkWithoutNumbers(GpuPipelines& /*pipelines*/, GpuStream& /*stream*/, const GpuShader& /*shader*/) {
    return std::numeric_limits<double>::quiet_NaN();
}

TEST_F(GpuKernels, AShaderThatComputesWrongValuesIsRefusedEachTime) {
    // The smallest legal module: "void main() {}" with no inputs.
    const std::array<std::uint32_t, 30> nothing{
        0x07230203, 0x00010000, 0,          6,          0,     // header
        0x00020011, 1,                                         // Shader
        0x0003000e, 0,          1,                             // Logical, GLSL450
        0x0005000f, 5,          4,          0x6e69616d, 0,     // entry "main", %4
        0x00060010, 4,          17,         1,          1, 1,  // LocalSize 1 1 1
        0x00020013, 2,          0x00030021, 3,          2,     // void, its function type
        0x00050036, 2,          4,          0};
    std::vector<std::uint32_t> words(nothing.begin(), nothing.end());
    words.insert(words.end(), {3, 0x000200f8, 5, 0x000100fd, 0x00010038});  // the function's type, its body
    int round = 0;
    for (const auto check : {checkThatFails, checkWithoutNumbers}) {
        const std::string name = "wrong" + std::to_string(round++);
        const GpuShader shader{.name = name, .words = words, .constants = 4, .check = check};
        GpuPipelines refusing(*gpu);
        for (int time = 0; time < 2; ++time) {
            try {
                static_cast<void>(refusing.program(shader));
                ADD_FAILURE();
            } catch (const Error& failure) {
                EXPECT_EQ(failure.kind(), ErrorKind::Device);
                EXPECT_THAT(failure.what(), ::testing::HasSubstr(name));
            }
        }
    }
}

/// Models compute with Execution and views; where these lie decides who computes.
class GpuOperands : public testing::GpuWorkTest {
  protected:
    void SetUp() override {
        testing::GpuWorkTest::SetUp();
        execution.gpu = work.get();
    }

    [[nodiscard]] Tensor there(const Tensor& tensor) const { return tensor.in(execution.memory()); }

    WorkerPool pool{{.workers = 1}};
    Execution execution{pool, {}};
};

TEST_F(GpuOperands, TensorsMoveThereAndBackAndAreOutOfTheHostsReach) {
    const Tensor sent = testing::countingTensor({700, 9001});  // 25 MB: more than the staging buffer
    const std::int64_t before = work->stream().standstills();
    Tensor moved = there(sent);
    EXPECT_EQ(work->stream().standstills(), before)
        << "the host fills one half while the GPU copies the other";
    EXPECT_FALSE(moved.isOnHost());
    EXPECT_THROW(static_cast<void>(std::as_const(moved).data<float>()), Error);
    EXPECT_THROW(static_cast<void>(std::as_const(moved).raw()), Error);
    EXPECT_THROW(static_cast<void>(MatrixView(moved).row<float>(0)), Error);
    const Tensor part = moved.slice(100, 101).clone();
    moved.slice(0, 1).assign(part);
    const Tensor back = moved.host();
    EXPECT_EQ(work->stream().standstills(), before + 1) << "the host waits for the last part alone";
    EXPECT_EQ(std::memcmp(back.slice(1, 700).raw(), sent.slice(1, 700).raw(), sent.slice(1, 700).bytes()), 0);
    EXPECT_EQ(std::memcmp(back.slice(0, 1).raw(), sent.slice(100, 101).raw(), part.bytes()), 0);
}

TEST_F(GpuOperands, MemoryIsGivenOutAgain) {
    const std::size_t before = work->memory().used();
    {
        const Tensor large = Tensor::empty({5 << 20}, DType::F32, execution.memory());
        const Tensor small = Tensor::empty({3}, DType::F32, execution.memory());
        EXPECT_EQ(work->memory().used(), before + large.bytes() + 256);
    }
    EXPECT_EQ(work->memory().used(), before);
    for (int round = 0; round < 50; ++round) {
        const Tensor first = Tensor::empty({4 << 20}, DType::F32, execution.memory());
        const Tensor second = Tensor::empty({1000 + round}, DType::F32, execution.memory());
    }
    EXPECT_EQ(work->memory().used(), before);
}

/// As when a run is cancelled: memory and shaders stay until the GPU is done with them.
TEST_F(GpuOperands, WorkUnderWayMayBeDropped) {
    constexpr std::int64_t side = 256;
    work = openWork(GpuPool::usualBlock, 1e7);
    execution.gpu = work.get();
    {
        const Tensor x = there(testing::randomTensor({side, side}, 1));
        const PackedMatrix layer = PackedMatrix::keepIn(
            *execution.memory(), testing::randomTensor({side, side}, 2), nullptr, Arithmetic::F32);
        Tensor y = Tensor::empty(x.shape(), DType::F32, execution.memory());
        layer.apply(execution, MatrixView(x), MatrixSpan(y));  // compiles
        work->stream().finish();
        const std::int64_t before = work->stream().submissions();
        layer.apply(execution, MatrixView(x), MatrixSpan(y));
        EXPECT_GT(work->stream().submissions(), before);
    }
    work.reset();
}

TEST_F(GpuOperands, ALayerComputesWhereItsRowsLie) {
    const Tensor x = testing::randomTensor({70, 40}, 2);
    const Tensor weight = testing::randomTensor({50, 40}, 3);
    const Tensor bias = testing::randomTensor({50}, 4);
    const Tensor gate = testing::randomTensor({50}, 5);
    const LinearEpilogue epilogue{
        .activation = LinearActivation::GeluTanh, .gate = gate.data<float>(), .addToOutput = true};
    Tensor expected = testing::randomTensor({70, 50}, 6);
    Tensor found = there(expected.clone());
    PackedMatrix::pack(weight, &bias).apply(execution, MatrixView(x), MatrixSpan(expected), epilogue);
    const PackedMatrix moved = PackedMatrix::keepIn(*execution.memory(), weight, &bias, Arithmetic::F32);
    const Tensor rows = there(x);
    moved.apply(execution, MatrixView(rows), MatrixSpan(found), epilogue);
    EXPECT_LT(largestDifference(found.host(), expected), f32Error);
    EXPECT_THROW(moved.apply(execution, MatrixView(x), MatrixSpan(expected)), Error);
    EXPECT_THROW(PackedMatrix::pack(weight, &bias).apply(execution, MatrixView(rows), MatrixSpan(found)),
                 Error);
}

/// More of them than the memory that they are copied to holds at once, and wider ones than it holds at all.
TEST_F(GpuOperands, GatesArriveWithTheirLayersThoughNobodyWaits) {
    constexpr std::int64_t ins = 4;
    struct Layer {
        Tensor gate;
        PackedMatrix onGpu;
        Tensor found;
        Tensor expected;
    };
    const Tensor x = testing::randomTensor({1, ins}, 1);
    const Tensor rows = there(x);
    const Tensor weights = testing::randomTensor({200'000, ins}, 2);
    const Tensor gates = testing::randomTensor({200'100}, 3);
    std::vector<Layer> layers;
    for (const std::int64_t outs : {60'000, 60'000, 60'000, 60'000, 60'000, 70'000, 100, 200'000, 100})
        for (int each = 0; each < 2; ++each) {
            const Tensor weight = weights.slice(0, outs);
            const std::int64_t first = std::ssize(layers);  // each layer's gate is another
            Layer layer{.gate = gates.slice(first, first + outs).clone(),
                        .onGpu = PackedMatrix::keepIn(*execution.memory(), weight, nullptr, Arithmetic::F32),
                        .found = there(Tensor::zeros({1, outs})),
                        .expected = Tensor::zeros({1, outs})};
            PackedMatrix::pack(weight).apply(execution, MatrixView(x), MatrixSpan(layer.expected),
                                             {.gate = layer.gate.data<float>()});
            layers.push_back(std::move(layer));
        }
    for (Layer& layer : layers)
        layer.onGpu.apply(execution, MatrixView(rows), MatrixSpan(layer.found),
                          {.gate = layer.gate.data<float>()});
    for (const Layer& layer : layers)
        EXPECT_LT(largestDifference(layer.found.host(), layer.expected), f32Error) << layer.gate.elements();
}

TEST_F(GpuOperands, NaNAndInfinityAreFoundThere) {
    Tensor x = testing::randomTensor({200, 33}, 10);
    const auto isFinite = [&] { return FiniteCheck(execution, MatrixView(there(x))).isFinite(); };
    EXPECT_TRUE(isFinite());
    x.data<float>()[200 * 33 - 1] = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(isFinite());
    x.data<float>()[200 * 33 - 1] = 0.0F;
    x.data<float>()[5] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(isFinite());
}

TEST_F(GpuOperands, ACheckIsAnsweredWhileTheGpuGoesOn) {
    const Tensor good = there(testing::randomTensor({40, 33}, 10));
    Tensor bad = there(Tensor::filled({40, 33}, std::numeric_limits<float>::infinity()));
    static_cast<void>(FiniteCheck(execution, MatrixView(good)).isFinite());  // compiles
    const std::int64_t before = work->stream().standstills();
    std::optional<FiniteCheck> last;
    for (std::size_t round = 0; round < 3 * GpuWork::flagCount; ++round) {
        const FiniteCheck next(execution, MatrixView(round % 2 == 0 ? good : bad));
        if (last) {
            EXPECT_EQ(last->isFinite(), round % 2 == 1) << round;
        }
        last = next;
        bad.slice(0, 1).assign(bad.slice(1, 2));  // more work, behind
    }
    EXPECT_EQ(work->stream().standstills(), before);
    EXPECT_FALSE(last->isFinite());
}

}  // namespace
}  // namespace meshreel

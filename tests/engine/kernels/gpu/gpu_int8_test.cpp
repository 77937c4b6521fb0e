// SPDX-License-Identifier: GPL-3.0-or-later
// Linear layers of int8 weights on a GPU against the CPU's, in every form that the GPU offers.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/gpu/gpu_int8_linear.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/linear_trials.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

class GpuInt8 : public testing::GpuWorkTest {
  protected:
    /// Whether the GPU has the form; then layers take it and no other.
    [[nodiscard]] bool take(MatrixForm form) {
        if (form != MatrixForm::Scalar && gpu->matrices().of(form).extents.empty())
            return false;
        work = openWork();
        work->pipelines().tuning().restrict({.form = std::string(enumName(form))});
        return true;
    }

    [[nodiscard]] Execution onGpu() { return {pool, {}, nullptr, work.get()}; }

    /// A layer of int8 weights on the GPU, and the same on the CPU.
    struct Outputs {
        Tensor gpu;
        Tensor cpu;
    };
    [[nodiscard]] Outputs apply(const Tensor& x, const Tensor& weight, const Tensor* bias, const Tensor& y,
                                const LinearEpilogue& epilogue = {}) {
        Memory& memory = work->memory();
        const Tensor there = x.in(&memory);
        Tensor onDevice = y.in(&memory);
        PackedMatrix::keepIn(memory, weight, bias, Arithmetic::Int8)
            .apply(onGpu(), MatrixView(there), MatrixSpan(onDevice), epilogue);
        Tensor onHost = y.clone();
        PackedMatrix::pack(weight, bias, Arithmetic::Int8)
            .apply({pool, {}}, MatrixView(x), MatrixSpan(onHost), epilogue);
        return {.gpu = onDevice.host().toF32(), .cpu = onHost.toF32()};
    }

    /// The largest difference, relative to 1 or the value if that is larger.
    static double difference(const Outputs& of) {
        double largest = 0.0;
        for (std::size_t i = 0; i < of.cpu.data<float>().size(); ++i) {
            const auto value = static_cast<double>(of.cpu.data<float>()[i]);
            const double apart = std::abs(static_cast<double>(of.gpu.data<float>()[i]) - value);
            largest = std::max(largest, apart / std::max(1.0, std::abs(value)));
        }
        return largest;
    }

    WorkerPool pool{{.workers = 1}};
};

TEST_F(GpuInt8, EveryFormMakesTheCpusOutputs) {
    struct Case {
        std::int64_t rows;
        std::int64_t outs;
        std::int64_t ins;
        DType type;
    };
    int forms = 0;
    for (const MatrixForm form : {MatrixForm::Scalar, MatrixForm::Int8Dot, MatrixForm::Int8}) {
        if (!take(form))
            continue;
        ++forms;
        for (const Case& of : {Case{130, 100, 70, DType::F32}, Case{67, 128, 128, DType::BF16},
                               Case{3, 1, 1, DType::F32}, Case{5, 34, 300, DType::BF16}}) {
            const Tensor x = testing::randomTensor({of.rows, of.ins}, 1).to(of.type);
            const Tensor weight = testing::randomTensor({of.outs, of.ins}, 2).to(of.type);
            const Tensor bias = testing::randomTensor({of.outs}, 3);
            const Tensor gate = testing::randomTensor({of.outs}, 4);
            const Tensor y = testing::randomTensor({of.rows, of.outs}, 5).to(of.type);
            const double allowed = of.type == DType::BF16 ? 1.0 / 128.0 : 1e-4;
            EXPECT_LE(difference(apply(x, weight, nullptr, y)), allowed) << enumName(form) << of.ins;
            EXPECT_LE(difference(apply(x, weight, &bias, y,
                                       {.activation = LinearActivation::GeluTanh,
                                        .gate = gate.data<float>(),
                                        .addToOutput = true})),
                      allowed)
                << enumName(form) << of.ins;
        }
        EXPECT_EQ(linearFormOn(work->pipelines(), Arithmetic::Int8).value_or(form), form);
    }
    EXPECT_GE(forms, 1);
}

TEST_F(GpuInt8, RowsBeyondTheRoomAreRoundedInTurns) {
    ASSERT_TRUE(take(MatrixForm::Scalar));
    const std::int64_t rows = int8RowsAtOnce + 5;
    const Outputs of = apply(testing::randomTensor({rows, 8}, 1), testing::randomTensor({4, 8}, 2), nullptr,
                             Tensor::zeros({rows, 4}));
    EXPECT_LE(difference(of), 1e-4);
}

TEST_F(GpuInt8, ARowOfZerosIsTheBiasAndOneWithANaNIsNaN) {
    ASSERT_TRUE(take(MatrixForm::Scalar));
    Tensor x = testing::randomTensor({4, 16}, 1);
    const auto row = [&](std::int64_t index) {
        return x.data<float>().subspan(static_cast<std::size_t>(16 * index), 16);
    };
    std::ranges::fill(row(0), 0.0F);
    row(1)[3] = std::numeric_limits<float>::quiet_NaN();
    row(2)[5] = std::numeric_limits<float>::infinity();
    const Tensor bias = testing::randomTensor({3}, 3);
    const Outputs of = apply(x, testing::randomTensor({3, 16}, 2), &bias, Tensor::zeros({4, 3}));
    for (std::size_t out = 0; out < 3; ++out) {
        EXPECT_EQ(of.gpu.data<float>()[out], bias.data<float>()[out]);
        EXPECT_TRUE(std::isnan(of.gpu.data<float>()[3 + out]));
        EXPECT_TRUE(std::isnan(of.gpu.data<float>()[6 + out]));
        EXPECT_NEAR(of.gpu.data<float>()[9 + out], of.cpu.data<float>()[9 + out], 1e-4);
    }
}

TEST_F(GpuInt8, TheFirstLayerComparesTheFormsAndTheNextTakesTheFastest) {
    GpuTuning& tuning = work->pipelines().tuning();
    const Tensor x = testing::randomTensor({8, 64}, 1);
    const Tensor weight = testing::randomTensor({8, 64}, 2);
    static_cast<void>(apply(x, weight, nullptr, Tensor::zeros({8, 8})));
    const auto known =
        std::ranges::find(tuning.kernels(), enumName(GpuKernel::Int8Linear), &MeasuredKernel::kernel);
    if (gpu->matrices().of(MatrixForm::Int8Dot).extents.empty()) {
        EXPECT_EQ(known, tuning.kernels().end()) << "nothing to compare";
        return;
    }
    ASSERT_NE(known, tuning.kernels().end());
    EXPECT_GE(known->variants.size(), 2U);
    ASSERT_NE(known->fastest(), nullptr);
    EXPECT_EQ(enumName(linearFormOn(work->pipelines(), Arithmetic::Int8).value()), known->fastest()->form);
}

TEST_F(GpuInt8, WeightsTakeAByteAndAScaleForEachOutput) {
    const std::size_t before = work->memory().used();
    const PackedMatrix matrix =
        PackedMatrix::keepIn(work->memory(), testing::randomTensor({32, 100}, 1), nullptr, Arithmetic::Int8);
    EXPECT_EQ(matrix.bytes(), 32U * 128U + 32U * sizeof(float));
    EXPECT_GE(work->memory().used() - before, matrix.bytes());
    EXPECT_EQ(matrix.arithmetic(), Arithmetic::Int8);
}

}  // namespace
}  // namespace meshreel

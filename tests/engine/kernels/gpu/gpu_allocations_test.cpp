// SPDX-License-Identifier: GPL-3.0-or-later
// What the host allocates for operations that a GPU has computed before: nothing.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/prepare_kernels.h"
#include "tests/support/allocation_count.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

class GpuAllocations : public testing::GpuWorkTest {
  protected:
    [[nodiscard]] Execution onGpu() { return {pool, {}, nullptr, work.get()}; }
    [[nodiscard]] Tensor there(const Shape& shape, DType type, std::uint64_t seed) {
        return testing::randomTensor(shape, seed).to(type).in(&work->memory());
    }

    /// By the call behind one that compiles.
    [[nodiscard]] std::int64_t allocationsOf(const std::function<void()>& operation) {
        operation();
        work->stream().finish();
        const std::int64_t before = testing::allocationsOfThisThread();
        operation();
        const std::int64_t count = testing::allocationsOfThisThread() - before;
        work->stream().finish();
        return count;
    }

    WorkerPool pool{{.workers = 1}};
};

TEST_F(GpuAllocations, TheHostAllocatesNothingForALayerThatIsPrepared) {
    if (const char* why = testing::whyAllocationsAreNotCounted())
        GTEST_SKIP() << why;
    EXPECT_GT(testing::allocationsOfThisThread(), 0) << "they are counted";
    const Execution execution = onGpu();
    prepareKernels(&work->memory(), {.linears = {Arithmetic::BF16}});
    const Tensor gate = testing::randomTensor({96}, 4);
    const Tensor bias = testing::randomTensor({96}, 3);
    for (const Arithmetic arithmetic : {Arithmetic::F32, Arithmetic::BF16, Arithmetic::Int8})
        for (const DType type : {DType::F32, DType::BF16}) {
            const PackedMatrix layer = PackedMatrix::keepIn(
                work->memory(), testing::randomTensor({96, 64}, 1).to(type), &bias, arithmetic);
            const Tensor x = there({40, 64}, type, 2);
            Tensor y = there({40, 96}, type, 5);
            const LinearEpilogue epilogue{.gate = gate.data<float>(), .addToOutput = true};
            EXPECT_EQ(allocationsOf([&] { layer.apply(execution, MatrixView(x), MatrixSpan(y), epilogue); }),
                      0)
                << nameOf(arithmetic) << " " << nameOf(type);
        }
}

TEST_F(GpuAllocations, TheHostAllocatesNothingForAConvolutionThatIsPrepared) {
    if (const char* why = testing::whyAllocationsAreNotCounted())
        GTEST_SKIP() << why;
    const Execution execution = onGpu();
    for (const Arithmetic arithmetic : {Arithmetic::F32, Arithmetic::BF16}) {
        const auto packed =
            PackedConvolution::pack(testing::randomTensor({24, 16, 3, 3, 3}, 1), Tensor::zeros({24}),
                                    {.padBefore = 1, .padAfter = 1}, arithmetic, &work->memory());
        const Tensor input = there({4, 6, 8, 16}, DType::BF16, 2);
        std::vector<Tensor> frames;
        std::vector<ConvolutionFrame> read;
        for (std::int64_t frame = 0; frame < 4; ++frame) {
            frames.push_back(input.slice(frame, frame + 1));
            read.push_back({.pixels = MatrixView(frames.back())});
        }
        Tensor out = there({2, 6, 8, 24}, DType::F32, 3);
        EXPECT_EQ(allocationsOf([&] { packed.apply(execution, read, 6, 8, MatrixSpan(out)); }), 0)
            << nameOf(arithmetic);
    }
}

TEST_F(GpuAllocations, TheHostAllocatesNothingForAnAttentionWithOrWithoutAMask) {
    if (const char* why = testing::whyAllocationsAreNotCounted())
        GTEST_SKIP() << why;
    const Execution execution = onGpu();
    constexpr std::int64_t headDim = 16;
    std::vector<std::uint8_t> kept(50, 1);
    kept[7] = 0;
    const AttentionKernelPlan plan{.kernel = AttentionKernel::Flash};
    for (const DType type : {DType::F32, DType::BF16}) {
        prepareKernels(&work->memory(), {.heads = {{.headDim = headDim, .type = type}}});
        const HeadTensor out{there({1, 20, 2, headDim}, type, 4)};
        LocalAttention attention{.query = {there({1, 20, 2, headDim}, type, 1)},
                                 .key = {there({1, 50, 2, headDim}, type, 2)},
                                 .value = {there({1, 50, 2, headDim}, type, 3)},
                                 .scale = 0.25};
        EXPECT_EQ(allocationsOf([&] { attend(execution, plan, attention, out); }), 0) << nameOf(type);
        attention.keyMask = kept.data();
        attention.keyMaskStride = std::ssize(kept);
        EXPECT_EQ(allocationsOf([&] { attend(execution, plan, attention, out); }), 0) << nameOf(type);
    }
}

/// Measured once, when it is prepared: passes read what is bound, and a narrower choice unbinds it.
TEST_F(GpuAllocations, WhatIsPreparedIsBoundAndMeasuredOnce) {
    std::vector<std::string> measured;
    const auto note = [&](std::string_view kernel) { measured.emplace_back(kernel); };
    const KernelNeeds needs{.linears = {Arithmetic::BF16, Arithmetic::Int8},
                            .heads = {{.headDim = 8, .type = DType::BF16}},
                            .convolutions = true};
    prepareKernels(&work->memory(), needs, {.before = note});
    const std::size_t first = measured.size();
    EXPECT_LE(first, 4U);
    for (const GpuKernel kernel :
         {GpuKernel::Linear, GpuKernel::Int8Linear, GpuKernel::NarrowAttention, GpuKernel::Convolution})
        EXPECT_TRUE(findBound(work->pipelines(), kernel)) << enumName(kernel);
    EXPECT_FALSE(findBound(work->pipelines(), GpuKernel::WideAttention));
    prepareKernels(&work->memory(), needs, {.before = note});
    EXPECT_EQ(measured.size(), first);
    work->pipelines().tuning().restrict({.form = "scalar"});
    EXPECT_FALSE(findBound(work->pipelines(), GpuKernel::Linear));
    EXPECT_EQ(bindKernel(work->pipelines(), GpuKernel::Int8Linear).fastest.form, MatrixForm::Scalar);
}

/// An operation has what it was prepared with, so that its pass binds nothing.
TEST_F(GpuAllocations, AConvolutionsPassDecidesNothing) {
    const auto packed =
        PackedConvolution::pack(testing::randomTensor({8, 32, 1, 3, 3}, 1), Tensor::zeros({8}),
                                {.padBefore = 1, .padAfter = 1}, Arithmetic::BF16, &work->memory());
    EXPECT_TRUE(findBound(work->pipelines(), GpuKernel::Convolution));
    work->pipelines().tuning().restrict({});
    const Tensor x = there({1, 4, 4, 32}, DType::BF16, 2);
    Tensor out = there({1, 4, 4, 8}, DType::F32, 3);
    packed.apply(onGpu(), std::array{ConvolutionFrame{.pixels = MatrixView(x)}}, 4, 4, MatrixSpan(out));
    work->stream().finish();
    EXPECT_FALSE(findBound(work->pipelines(), GpuKernel::Convolution));
}

TEST_F(GpuAllocations, ALayersPassDecidesNothing) {
    for (const Arithmetic arithmetic : {Arithmetic::BF16, Arithmetic::Int8}) {
        const GpuKernel kernel = arithmetic == Arithmetic::Int8 ? GpuKernel::Int8Linear : GpuKernel::Linear;
        const PackedMatrix layer = PackedMatrix::keepIn(
            work->memory(), testing::randomTensor({8, 64}, 1).to(DType::BF16), nullptr, arithmetic);
        EXPECT_TRUE(findBound(work->pipelines(), kernel));
        work->pipelines().tuning().restrict({});
        const Tensor x = there({4, 64}, DType::BF16, 2);
        Tensor y = there({4, 8}, DType::F32, 3);
        layer.apply(onGpu(), MatrixView(x), MatrixSpan(y));
        work->stream().finish();
        EXPECT_FALSE(findBound(work->pipelines(), kernel)) << nameOf(arithmetic);
    }
}

TEST_F(GpuAllocations, RowsThatALayerWasNotPreparedForAreRefused) {
    const PackedMatrix layer =
        PackedMatrix::keepIn(work->memory(), testing::randomTensor({8, 64}, 1), nullptr, Arithmetic::F32);
    const Tensor x = there({4, 64}, DType::BF16, 2);
    Tensor y = there({4, 8}, DType::F32, 3);
    EXPECT_THROW(layer.apply(onGpu(), MatrixView(x), MatrixSpan(y)), Error);
}

}  // namespace
}  // namespace meshreel

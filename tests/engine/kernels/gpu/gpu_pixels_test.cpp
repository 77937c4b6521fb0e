// SPDX-License-Identifier: GPL-3.0-or-later
// The VAE's kernels of a GPU against those of the CPU: convolutions, norms of channels.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/gpu/gpu_convolution.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_wide_attention.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

class GpuPixels : public testing::GpuWorkTest {
  protected:
    void SetUp() override {
        testing::GpuWorkTest::SetUp();
        execution.gpu = work.get();
    }

    [[nodiscard]] Tensor there(const Tensor& tensor) const { return tensor.in(execution.memory()); }

    WorkerPool pool{{.workers = 1}};
    Execution execution{pool, {}};
};

/// The largest difference, relative to the largest value.
double differenceOf(const Tensor& found, const Tensor& expected) {
    const Tensor one = found.host().toF32();
    const Tensor other = expected.toF32();
    double largest = 0.0;
    double apart = 0.0;
    for (std::size_t i = 0; i < one.data<float>().size(); ++i) {
        const auto value = static_cast<double>(other.data<float>()[i]);
        const double difference = std::abs(static_cast<double>(one.data<float>()[i]) - value);
        largest = std::max(largest, std::abs(value));
        if (!(difference <= apart))  // also when it is not a number
            apart = difference;
    }
    return apart / largest;
}

struct Filter {
    Shape weight;  // [out, in, kt, kh, kw]
    ConvolutionGeometry geometry;
    std::int64_t zeroFrames = 0;
    Arithmetic arithmetic = Arithmetic::F32;
    DType features = DType::F32;
    bool adds = false;
    bool norms = false;
};

class GpuConvolutionTest : public GpuPixels, public ::testing::WithParamInterface<Filter> {
  protected:
    static constexpr std::int64_t frames = 4;
    static constexpr std::int64_t height = 9;
    static constexpr std::int64_t width = 11;

    /// The convolution of frames of zeros, then of those of `input`, added to or put over `before`.
    [[nodiscard]] Tensor convolved(Memory* memory, const Tensor& input, const Tensor& before) const {
        const Filter& of = GetParam();
        const Tensor weight = testing::randomTensor(of.weight, 1);
        const Tensor bias = testing::randomTensor({of.weight[0]}, 2);
        const auto packed = PackedConvolution::pack(weight, bias, of.geometry, of.arithmetic, memory);
        const ChannelNorm norm(testing::randomTensor({of.weight[0]}, 3).in(memory));
        const Tensor placed = input.in(memory);
        std::vector<ConvolutionFrame> read(static_cast<std::size_t>(of.zeroFrames));
        for (std::int64_t frame = 0; frame < frames; ++frame)
            read.push_back({.pixels = MatrixView(placed.slice(frame, frame + 1))});
        Tensor out = before.in(memory).clone();
        packed.apply(execution, read, height, width, MatrixSpan(out),
                     {.norm = of.norms ? &norm : nullptr, .addToOutput = of.adds});
        return out.host();
    }

    [[nodiscard]] Shape outShape() const {
        const Filter& of = GetParam();
        const auto packed = PackedConvolution::pack(testing::randomTensor(of.weight, 1),
                                                    testing::randomTensor({of.weight[0]}, 2), of.geometry);
        return {packed.outFrames(of.zeroFrames + frames), packed.outHeight(height), packed.outWidth(width),
                of.weight[0]};
    }
};

TEST_P(GpuConvolutionTest, IsTheCpus) {
    const Filter& of = GetParam();
    const Tensor input = testing::randomTensor({frames, height, width, of.weight[1]}, 4).to(of.features);
    const Tensor before = testing::randomTensor(outShape(), 5).to(of.features);
    const double allowed = of.features == DType::BF16 ? 1.0 / 128.0 : 1e-5;
    EXPECT_LE(differenceOf(convolved(&work->memory(), input, before), convolved(nullptr, input, before)),
              allowed);
}

// What the suite over all devices (devices/convolution_test.cpp) does not have.
INSTANTIATE_TEST_SUITE_P(Kinds, GpuConvolutionTest,
                         ::testing::Values(Filter{.weight = {40, 8, 3, 3, 3},
                                                  .geometry = {.padBefore = 1, .padAfter = 1},
                                                  .norms = true},
                                           Filter{.weight = {24, 8, 1, 3, 3},
                                                  .geometry = {.padBefore = 1, .padAfter = 1, .upsample = 2},
                                                  .arithmetic = Arithmetic::BF16}),
                         [](const auto& of) { return of.param.norms ? "Normed" : "RoundedOnReading"; });

TEST_F(GpuPixels, AConvolutionIsSubmittedInPortionsThatChangeNoBit) {
    constexpr std::int64_t width = 16;
    const Tensor weight = testing::randomTensor({24, 20, 3, 3, 3}, 1);
    const Tensor frames = testing::randomTensor({3, 18, width, 20}, 2);
    /// The first rows of the frames.
    const auto convolved = [&](GpuWork& on, std::int64_t rows) {
        const Execution its{pool, {}, nullptr, &on};
        const auto packed = PackedConvolution::pack(
            weight, Tensor::zeros({24}), {.padBefore = 1, .padAfter = 1}, Arithmetic::F32, its.memory());
        const Tensor input = frames.in(its.memory());
        std::vector<ConvolutionFrame> read;
        for (std::int64_t frame = 0; frame < 3; ++frame)
            read.push_back({.pixels = MatrixView(input.slice(frame, frame + 1)).slice(0, rows * width)});
        Tensor out = Tensor::empty({1, rows, width, 24}, DType::F32, its.memory());
        packed.apply(its, read, rows, width, MatrixSpan(out));  // compiles
        on.stream().finish();
        const std::int64_t before = on.stream().submissions();
        packed.apply(its, read, rows, width, MatrixSpan(out));
        packed.apply(its, read, rows, width, MatrixSpan(out), {.addToOutput = true});
        on.stream().finish();
        const std::int64_t submissions = on.stream().submissions() - before;
        return std::pair(out.host(), submissions);
    };
    constexpr double all = 1e15;  // that of `work` follows the speed of what ran before
    const std::shared_ptr<GpuWork> unportioned = openWork(GpuPool::usualBlock, all);
    const auto [whole, once] = convolved(*unportioned, 18);
    EXPECT_EQ(once, 1);
    // A block of pixels is 1.66 MFLOP, and a frame has five.
    const auto [cut, often] = convolved(*openWork(GpuPool::usualBlock, 4e6), 18);
    EXPECT_GE(often, 5);
    EXPECT_EQ(std::memcmp(cut.raw(), whole.raw(), whole.bytes()), 0);
    // A part of the frame, whose borders see the same pixels.
    const Tensor part = convolved(*unportioned, 10).first;
    EXPECT_EQ(std::memcmp(part.raw(), whole.raw(), 9 * width * 24 * sizeof(float)), 0);
}

TEST_F(GpuPixels, AConvolutionInBFloat16HasTheSameBitsInAnyPart) {
    const auto packed =
        PackedConvolution::pack(testing::randomTensor({40, 32, 3, 3, 3}, 1), testing::randomTensor({40}, 3),
                                {.padBefore = 1, .padAfter = 1}, Arithmetic::BF16, execution.memory());
    const Tensor input = there(testing::randomTensor({3, 21, 19, 32}, 2).to(DType::BF16));
    const auto rowsFrom = [&](std::int64_t first, std::int64_t rows) {
        std::vector<ConvolutionFrame> read;
        for (std::int64_t frame = 0; frame < 3; ++frame)
            read.push_back(
                {.pixels = MatrixView(input.slice(frame, frame + 1)).slice(first * 19, rows * 19)});
        Tensor out = Tensor::empty({1, rows, 19, 40}, DType::BF16, execution.memory());
        packed.apply(execution, read, rows, 19, MatrixSpan(out));
        return out.host().reshaped({rows, 19, 40});
    };
    const Tensor whole = rowsFrom(0, 21);
    const Tensor part = rowsFrom(5, 11);
    // Without the rows at the part's borders, which see other pixels.
    const Tensor same = whole.slice(6, 15);
    EXPECT_EQ(std::memcmp(part.slice(1, 10).raw(), same.raw(), same.bytes()), 0);
}

/// In words with many and with few outputs, and gathered.
TEST_F(GpuPixels, EveryFormThatTheGpuOffersComputesAConvolution) {
    int forms = 0;
    for (const MatrixForm form :
         {MatrixForm::Scalar, MatrixForm::NvF16, MatrixForm::KhrF16, MatrixForm::KhrBf16}) {
        if (form != MatrixForm::Scalar &&
            candidatesOn(gpu->matrices(), {.form = std::string(enumName(form))}, convolutionVariants())
                .empty())
            continue;
        SCOPED_TRACE(enumName(form));
        GpuTuning tuning;
        tuning.restrict({.form = std::string(enumName(form))});
        GpuWork own(std::make_shared<const Gpu>(library, id), tuning);
        const Execution there{pool, {}, nullptr, &own};
        for (const auto& [outs, ins] : {std::pair{40, 32}, {3, 32}, {40, 20}}) {
            const Tensor weight = testing::randomTensor({outs, ins, 1, 3, 3}, 1);
            const Tensor bias = testing::randomTensor({outs}, 2);
            const Tensor input = testing::randomTensor({1, 5, 9, ins}, 3).to(DType::BF16);
            const auto convolved = [&, outs = outs](Memory* memory) {
                const auto packed = PackedConvolution::pack(weight, bias, {.padBefore = 1, .padAfter = 1},
                                                            Arithmetic::BF16, memory);
                const Tensor placed = input.in(memory);
                Tensor out = Tensor::empty({1, 5, 9, outs}, DType::F32, memory);
                packed.apply(there, std::vector{ConvolutionFrame{.pixels = MatrixView(placed)}}, 5, 9,
                             MatrixSpan(out));
                return out.host();
            };
            EXPECT_LE(differenceOf(convolved(&own.memory()), convolved(nullptr)), 1e-4) << outs << " " << ins;
        }
        ++forms;
    }
    EXPECT_GE(forms, 1);
}

TEST_F(GpuPixels, AStopTakesEffectBehindASubmission) {
    const auto small = openWork(GpuPool::usualBlock, 1e6);
    StopSource source;
    const Execution going{pool, {}, nullptr, &*small};
    const Execution stopping{pool, source.get_token(), nullptr, &*small};
    const auto packed =
        PackedConvolution::pack(testing::randomTensor({16, 16, 1, 3, 3}, 1), Tensor::zeros({16}),
                                {.padBefore = 1, .padAfter = 1}, Arithmetic::F32, going.memory());
    const Tensor input = testing::randomTensor({3, 20, 16, 16}, 2).in(going.memory());
    std::vector<ConvolutionFrame> read;
    for (std::int64_t frame = 0; frame < 3; ++frame)
        read.push_back({.pixels = MatrixView(input.slice(frame, frame + 1))});
    Tensor out = Tensor::empty({3, 20, 16, 16}, DType::F32, going.memory());
    packed.apply(going, read, 20, 16, MatrixSpan(out));  // compiles
    source.request_stop();
    const std::int64_t before = small->stream().submissions();
    EXPECT_THROW(packed.apply(stopping, read, 20, 16, MatrixSpan(out)), Error);
    // The first of 15 blocks of 0.3 MFLOP that filled a portion, not the last.
    EXPECT_EQ(small->stream().submissions() - before, 1);
    // The stream serves others.
    packed.apply(going, read, 20, 16, MatrixSpan(out));
    small->stream().finish();
}

TEST_F(GpuPixels, AWideHeadAttendsToAllPixels) {
    constexpr std::int64_t pixels = 150;
    constexpr std::int64_t channels = 200;
    const Tensor qkv = testing::randomTensor({pixels, 3 * channels}, 1);
    const Tensor rows = there(qkv);
    const MatrixView view(rows);
    const GpuWideAttention attention{.q = gpuMatrix(view.columns(0, channels)),
                                     .k = gpuMatrix(view.columns(channels, channels)),
                                     .v = gpuMatrix(view.columns(2 * channels, channels)),
                                     .scale = 1.0 / std::sqrt(200.0)};
    const Tensor scores = Tensor::empty({attention.scratch()}, DType::F32, execution.memory());
    const Tensor found = Tensor::empty({pixels, channels}, DType::F32, execution.memory());
    attend(work->stream(), prepareFrameAttention(work->pipelines()), attention,
           gpuMatrix(MatrixView(scores)).address, gpuMatrix(MatrixView(found)));
    Tensor expected = Tensor::empty({pixels, channels});
    const auto at = [&](std::int64_t pixel, std::int64_t channel) {
        return static_cast<double>(
            qkv.data<float>()[static_cast<std::size_t>(pixel * 3 * channels + channel)]);
    };
    for (std::int64_t query = 0; query < pixels; ++query) {
        std::vector<double> sums(channels, 0.0);
        double total = 0.0;
        for (std::int64_t key = 0; key < pixels; ++key) {
            double score = 0.0;
            for (std::int64_t i = 0; i < channels; ++i)
                score += at(query, i) * at(key, channels + i);
            const double weight = std::exp(score * attention.scale);
            total += weight;
            for (std::int64_t i = 0; i < channels; ++i)
                sums[static_cast<std::size_t>(i)] += weight * at(key, 2 * channels + i);
        }
        for (std::int64_t i = 0; i < channels; ++i)
            expected.data<float>()[static_cast<std::size_t>(query * channels + i)] =
                static_cast<float>(sums[static_cast<std::size_t>(i)] / total);
    }
    EXPECT_LE(differenceOf(found, expected), 1e-5);
}

TEST_F(GpuPixels, WhatAConvolutionThereCannotDoIsRefused) {
    const auto packed =
        PackedConvolution::pack(testing::randomTensor({8, 8, 1, 3, 3}, 1), Tensor::zeros({8}),
                                {.padBefore = 1, .padAfter = 1}, Arithmetic::F32, execution.memory());
    const Tensor host = testing::randomTensor({1, 4, 4, 8}, 2);
    const Tensor input = there(host);
    Tensor out = Tensor::empty({1, 4, 4, 8}, DType::F32, execution.memory());
    Tensor hostOut = Tensor::empty({1, 4, 4, 8});
    const std::vector<ConvolutionFrame> fromHost{{.pixels = MatrixView(host)}};
    const std::vector<ConvolutionFrame> strip{
        {.pixels = MatrixView(input), .left = MatrixView(input).slice(0, 4)}};
    const std::vector<ConvolutionFrame> whole{{.pixels = MatrixView(input)}};
    EXPECT_THROW(packed.apply(execution, fromHost, 4, 4, MatrixSpan(out)), Error);
    EXPECT_THROW(packed.apply(execution, strip, 4, 4, MatrixSpan(out)), Error);
    EXPECT_THROW(packed.apply(execution, whole, 4, 4, MatrixSpan(hostOut)), Error);
    EXPECT_NO_THROW(packed.apply(execution, whole, 4, 4, MatrixSpan(out)));
}

}  // namespace
}  // namespace meshreel

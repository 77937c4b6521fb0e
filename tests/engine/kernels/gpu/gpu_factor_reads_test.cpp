// SPDX-License-Identifier: GPL-3.0-or-later
// Shaders without matrix units give the same bits however they read their factors. A software driver takes
// the direct ones and a card those with shared memory, so both are asked for here.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/gpu/gpu_pipelines.h"
#include "engine/kernels/gpu/factor_reads.h"
#include "engine/kernels/gpu/gpu_convolution.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_linear_program.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

std::vector<std::byte> bytesOf(const Tensor& tensor) {
    return {tensor.raw(), tensor.raw() + tensor.bytes()};
}

class GpuFactorReads : public testing::GpuWorkTest {
  protected:
    void SetUp() override {
        testing::GpuWorkTest::SetUp();
        if (gpu && factorReadsOn(*gpu) != FactorReads::Direct)
            GTEST_SKIP() << "only devices in software with subgroups of eight read directly";
    }

    static GpuMatrix rowsIn(const GpuBuffer& buffer, const Tensor& tensor) {
        return {.address = buffer.address(),
                .type = tensor.dtype(),
                .layout = {.rows = tensor.extent(0), .width = tensor.extent(1), .stride = tensor.extent(1)}};
    }
};

TEST_F(GpuFactorReads, ALinearLayerHasTheSameBits) {
    struct Sizes {
        std::int64_t rows;
        std::int64_t ins;
        std::int64_t outs;
    };
    for (const Sizes& of : {Sizes{1, 1, 1}, Sizes{67, 35, 70}, Sizes{64, 64, 64}, Sizes{9, 130, 5}})
        for (const DType type : {DType::F32, DType::BF16}) {
            SCOPED_TRACE(::testing::Message()
                         << of.rows << " " << of.ins << " " << of.outs << " " << nameOf(type));
            const Tensor x = testing::randomTensor({of.rows, of.ins}, 1).to(type);
            const Tensor weight = testing::randomTensor({of.outs, of.ins}, 2).to(type);
            const Tensor bias = testing::randomTensor({of.outs}, 3);
            const Tensor before = testing::randomTensor({of.rows, of.outs}, 4).to(type);
            const auto gpuX = upload(x);
            const auto gpuWeight = upload(weight);
            const auto gpuBias = upload(bias);
            const auto computed = [&](FactorReads reads) {
                const auto y = upload(before);
                recordLinear(*stream, scalarLinear(work->pipelines(), reads),
                             {.weight = rowsIn(*gpuWeight, weight), .bias = gpuBias->address()},
                             rowsIn(*gpuX, x), rowsIn(*y, before),
                             {.activation = LinearActivation::Silu, .addToOutput = true});
                return bytesOf(download(*y, before));
            };
            EXPECT_EQ(computed(FactorReads::Direct), computed(FactorReads::Shared));
        }
}

TEST_F(GpuFactorReads, AConvolutionHasTheSameBits) {
    struct Kind {
        std::int64_t side;
        std::int64_t stride;
        std::int64_t upsample;
        std::int64_t ins;
        std::int64_t outs;
    };
    constexpr std::int64_t taps = 27;
    for (const Kind& of :
         {Kind{9, 1, 1, 19, 67}, Kind{8, 2, 1, 20, 33}, Kind{5, 1, 2, 4, 12}, Kind{11, 1, 1, 20, 3},
          Kind{3, 1, 1, 1, 128}, Kind{5, 1, 1, 8, 28}, Kind{4, 1, 1, 6, 66}, Kind{3, 1, 1, 4, 64}})
        for (const DType type : {DType::F32, DType::BF16}) {
            SCOPED_TRACE(::testing::Message()
                         << of.side << " " << of.ins << " " << of.outs << " " << nameOf(type));
            const std::int64_t outSide = of.side * of.upsample / of.stride;
            const Tensor frame = testing::randomTensor({of.side * of.side, of.ins}, 1).to(type);
            const Tensor weights = testing::randomTensor({taps * of.ins, of.outs}, 2).to(type);
            const Tensor bias = testing::randomTensor({of.outs}, 3);
            const Tensor before = testing::randomTensor({outSide * outSide, of.outs}, 4).to(type);
            const auto gpuFrame = upload(frame);
            const auto gpuWeights = upload(weights);
            const auto gpuBias = upload(bias);
            const GpuAddress pixels = gpuFrame->address();
            GpuConvolution convolution{.frames = {0, pixels, pixels},
                                       .like = rowsIn(*gpuFrame, frame),
                                       .height = of.side,
                                       .width = of.side,
                                       .kernelFrames = 3,
                                       .kernelHeight = 3,
                                       .kernelWidth = 3,
                                       .firstRow = -1,
                                       .firstColumn = -1,
                                       .spaceStride = of.stride,
                                       .upsample = of.upsample,
                                       .outHeight = outSide,
                                       .outWidth = outSide,
                                       .weights = rowsIn(*gpuWeights, weights),
                                       .bias = gpuBias->address(),
                                       .roundsFeatures = of.ins == 20,
                                       .addToOutput = true};
            const auto computed = [&](FactorReads reads) {
                const auto y = upload(before);
                const ConvolutionProgram program = scalarConvolution(work->pipelines(), reads);
                for (std::int64_t phase = 0; phase < of.upsample * of.upsample; ++phase) {
                    convolution.row = phase / of.upsample;
                    convolution.column = phase % of.upsample;
                    convolve(*stream, {.scalar = program, .ofWords = program, .ofAny = program}, convolution,
                             rowsIn(*y, before));
                }
                return bytesOf(download(*y, before));
            };
            EXPECT_EQ(computed(FactorReads::Direct), computed(FactorReads::Shared));
        }
}

}  // namespace
}  // namespace meshreel

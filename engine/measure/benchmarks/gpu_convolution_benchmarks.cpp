// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/gpu_convolution_benchmarks.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/convolution/convolution_operation.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

/// A convolution of 3 × 3 × 3 of the decoder of Wan 2.1 at 832×480.
struct GpuConvolutionCase {
    std::int64_t channels;
    std::int64_t height;
    std::int64_t width;
};
constexpr std::array convolutionCases{GpuConvolutionCase{384, 120, 208}, GpuConvolutionCase{192, 240, 416},
                                      GpuConvolutionCase{96, 480, 832}};
constexpr std::array quickConvolutionCases{GpuConvolutionCase{32, 8, 8}};

void measureConvolutionOnGpu(GpuBenchmarkRun& run, const GpuConvolutionCase& of) {
    constexpr std::int64_t kernel = 3;
    constexpr std::int64_t taps = kernel * kernel * kernel;
    const std::int64_t pixels = of.height * of.width;
    const double flops = 2.0 * real(taps * pixels) * real(of.channels * of.channels);
    if (run.isTooLong(flops, run.peak()))
        return;
    constexpr float deviation = 0.02F;
    const Tensor x = randomRows(run.execution(), {pixels, of.channels}, DType::BF16);
    const Tensor weight = randomRows(run.execution(), {of.channels, of.channels, kernel, kernel, kernel},
                                     DType::BF16, deviation, 1)
                              .toF32();
    const Tensor bias = randomRows(run.execution(), {of.channels}, DType::F32, 1.0F, 2);
    const auto packed = PackedConvolution::pack(weight, bias, {.padBefore = 1, .padAfter = 1},
                                                Arithmetic::BF16, &run.gpu().memory());
    const Tensor gpuX = x.in(&run.gpu().memory());
    const std::vector<ConvolutionFrame> frames(static_cast<std::size_t>(kernel),
                                               ConvolutionFrame{.pixels = MatrixView(gpuX)});
    Tensor y = Tensor::zeros({pixels, of.channels}, DType::BF16).in(&run.gpu().memory());
    const auto apply = [&] { packed.apply(run.execution(), frames, of.height, of.width, MatrixSpan(y)); };
    const Tensor features = x.toF32();
    const auto expected = [&](std::int64_t pixel, std::int64_t out) {
        double sum = static_cast<double>(bias.data<float>()[static_cast<std::size_t>(out)]);
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            const std::int64_t row = pixel / of.width - 1 + tap / kernel % kernel;
            const std::int64_t column = pixel % of.width - 1 + tap % kernel;
            if (row < 0 || row >= of.height || column < 0 || column >= of.width)
                continue;
            for (std::int64_t in = 0; in < of.channels; ++in)
                sum += static_cast<double>(features.data<float>()[static_cast<std::size_t>(
                           (row * of.width + column) * of.channels + in)]) *
                       static_cast<double>(weight.data<float>()[static_cast<std::size_t>(
                           (out * of.channels + in) * taps + tap)]);
        }
        return sum;
    };
    const std::string name = fmt::format("gpu.convolution.{}.{}x{}", of.channels, of.width, of.height);
    double error = 0;
    const MeasuredTime time = run.measureCompared(apply, [&] { error = run.errorOf(name, y, expected); });
    run.addRate(name, flops, time, run.peak(), {{"error", error}});
}

}  // namespace

void benchmarkGpuConvolution(GpuBenchmarkRun& run) {
    if (!run.wantsAny("gpu.convolution."))
        return;
    for (const GpuConvolutionCase& each :
         run.options().quick ? std::span<const GpuConvolutionCase>(quickConvolutionCases) : convolutionCases)
        measureConvolutionOnGpu(run, each);
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_convolution.h"

#include <algorithm>
#include <vector>

#include "convolution_scalar.spv.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/gpu/shader_check.h"
#include "engine/kernels/round_up.h"

namespace meshreel {
namespace {

/// As convolution_scalar.comp reads them.
struct ConvolutionConstants {
    std::array<GpuAddress, GpuConvolution::mostFrames> frames;
    GpuAddress weights, bias, y;
    std::uint32_t height, width, ins, xStride;
    std::uint32_t outHeight, outWidth, outs, weightStride, yStride;
    std::uint32_t kernel, place, upsample, firstPixel, flags;
};
static_assert(sizeof(ConvolutionConstants) <= 128);

constexpr std::uint32_t narrowFeatures = 1;
constexpr std::uint32_t narrowWeights = 2;
constexpr std::uint32_t narrowOutput = 4;
constexpr std::uint32_t roundsFeatures = 8;
constexpr std::uint32_t addsToOutput = 16;

constexpr std::int64_t convolutionTile = 64;  // pixels and outputs of a group
constexpr std::int64_t placeOffset = 128;     // source rows and columns may lie before the frame
constexpr std::int64_t byteLimit = 256;

std::uint32_t wordOf(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

std::uint32_t fourBytes(const std::array<std::int64_t, 4>& values) {
    std::uint32_t word = 0;
    for (std::size_t index = 0; index < values.size(); ++index)
        word |= wordOf(values[index]) << (8 * index);
    return word;
}

/// A kernel of three frames, of which the first is of zeros, over an enlarged and a strided input.
double checkConvolution(GpuPipelines& pipelines, GpuStream& stream) {
    constexpr std::int64_t side = 9;
    constexpr std::int64_t kernel = 3;
    constexpr std::int64_t ins = 19;
    constexpr std::int64_t outs = 67;
    const CheckedValues past(stream.gpu(), side * side, ins, 1);
    const CheckedValues now(stream.gpu(), side * side, ins, 2);
    const CheckedValues weights(stream.gpu(), kernel * kernel * kernel * ins, outs, 3);
    const CheckedValues bias(stream.gpu(), 1, outs, 4);
    const std::array<std::vector<float>, 2> frames{past.read(), now.read()};
    const std::vector<float> factors = weights.read();
    const std::vector<float> biases = bias.read();
    for (const std::int64_t stride : {1, 2}) {
        const std::int64_t upsample = stride == 1 ? 2 : 1;
        const std::int64_t outSide = (side * upsample + stride - 1) / stride;
        const CheckedValues y(stream.gpu(), outSide * outSide, outs, 5);
        for (std::int64_t phase = 0; phase < upsample * upsample; ++phase)
            convolve(pipelines, stream,
                     {.frames = {0, past.address(), now.address()},
                      .like = past.matrix(),
                      .height = side,
                      .width = side,
                      .kernelFrames = kernel,
                      .kernelHeight = kernel,
                      .kernelWidth = kernel,
                      .firstRow = -1,
                      .firstColumn = -1,
                      .spaceStride = stride,
                      .upsample = upsample,
                      .row = phase / upsample,
                      .column = phase % upsample,
                      .outHeight = outSide,
                      .outWidth = outSide,
                      .weights = weights.matrix(),
                      .bias = bias.address()},
                     y.matrix());
        stream.finish();
        const auto expected = [&](std::int64_t pixel, std::int64_t out) {
            const std::int64_t top = pixel / outSide / upsample * stride - 1;
            const std::int64_t left = pixel % outSide / upsample * stride - 1;
            auto sum = static_cast<double>(biases[static_cast<std::size_t>(out)]);
            for (std::int64_t tap = kernel * kernel; tap < kernel * kernel * kernel; ++tap) {
                const std::int64_t row = top + tap / kernel % kernel;
                const std::int64_t column = left + tap % kernel;
                if (row < 0 || row >= side || column < 0 || column >= side)
                    continue;
                const auto& frame = frames.at(static_cast<std::size_t>(tap / (kernel * kernel) - 1));
                for (std::int64_t in = 0; in < ins; ++in)
                    sum +=
                        static_cast<double>(
                            frame[static_cast<std::size_t>((row * side + column) * ins + in)]) *
                        static_cast<double>(factors[static_cast<std::size_t>((tap * ins + in) * outs + out)]);
            }
            return sum;
        };
        if (const double difference = y.difference(expected, 5e-5); !(difference <= 1.0))
            return difference;
    }
    return 0.0;
}

const GpuShader convolutionShader{.name = "convolution_scalar",
                                  .words = convolution_scalar_spirv,
                                  .constants = sizeof(ConvolutionConstants),
                                  .check = checkConvolution};

void requireFit(const GpuConvolution& convolution, const GpuMatrix& y) {
    for (const GpuMatrix* matrix : {&convolution.like, &convolution.weights, &y})
        requireGpuMatrix(*matrix);
    const std::int64_t taps = convolution.kernelFrames * convolution.kernelHeight * convolution.kernelWidth;
    const bool fits = convolution.kernelFrames <= std::ssize(convolution.frames) &&
                      convolution.like.layout.rows == convolution.height * convolution.width &&
                      convolution.weights.layout.rows == taps * convolution.like.layout.width &&
                      convolution.weights.layout.width == y.layout.width &&
                      y.layout.rows == convolution.outHeight * convolution.outWidth &&
                      y.layout.rows < (std::int64_t{1} << 31U);
    const bool small =
        std::ranges::all_of(
            std::array{convolution.kernelHeight, convolution.kernelWidth, convolution.spaceStride,
                       convolution.upsample, convolution.row, convolution.column,
                       convolution.firstRow + placeOffset, convolution.firstColumn + placeOffset},
            [](std::int64_t value) { return value >= 0 && value < byteLimit; }) &&
        convolution.upsample > 0;
    if (!fits || !small)
        throw Error(ErrorKind::Internal, "a convolution on a GPU does not fit its frames");
}

}  // namespace

void convolve(GpuPipelines& pipelines, GpuStream& stream, const GpuConvolution& convolution,
              const GpuMatrix& y) {
    requireFit(convolution, y);
    const GpuProgram& program = pipelines.program(convolutionShader);
    ConvolutionConstants constants{
        .frames = convolution.frames,
        .weights = convolution.weights.address,
        .bias = convolution.bias,
        .y = y.address,
        .height = wordOf(convolution.height),
        .width = wordOf(convolution.width),
        .ins = wordOf(convolution.like.layout.width),
        .xStride = wordOf(convolution.like.layout.stride),
        .outHeight = wordOf(convolution.outHeight),
        .outWidth = wordOf(convolution.outWidth),
        .outs = wordOf(y.layout.width),
        .weightStride = wordOf(convolution.weights.layout.stride),
        .yStride = wordOf(y.layout.stride),
        .kernel = fourBytes({convolution.kernelFrames, convolution.kernelHeight, convolution.kernelWidth,
                             convolution.spaceStride}),
        .place = fourBytes({convolution.firstRow + placeOffset, convolution.firstColumn + placeOffset,
                            convolution.row, convolution.column}),
        .upsample = wordOf(convolution.upsample),
        .firstPixel = 0,
        .flags = (convolution.like.isNarrow() ? narrowFeatures : 0U) |
                 (convolution.weights.isNarrow() ? narrowWeights : 0U) | (y.isNarrow() ? narrowOutput : 0U) |
                 (convolution.roundsFeatures ? roundsFeatures : 0U) |
                 (convolution.addToOutput ? addsToOutput : 0U)};
    const std::int64_t squares = ceilDivide(convolution.outHeight, convolution.upsample) *
                                 ceilDivide(convolution.outWidth, convolution.upsample);
    const std::int64_t tiles = ceilDivide(squares, convolutionTile);
    // Frames of zeros cost nothing.
    const auto frames =
        std::ranges::count_if(convolution.frames, [](GpuAddress frame) { return frame != 0; });
    const double workOfTile = 2.0 * real(convolutionTile) * real(y.layout.width) *
                              real(convolution.weights.layout.rows) * real(frames) /
                              real(convolution.kernelFrames);
    const std::int64_t portion = rowsOfDispatch(tiles, workOfTile, stream.portion());
    for (std::int64_t first = 0; first < tiles; first += portion) {
        const std::int64_t count = std::min(portion, tiles - first);
        constants.firstPixel = wordOf(first * convolutionTile);
        stream.dispatch(program, constantBytes(constants),
                        {.x = wordOf(ceilDivide(y.layout.width, convolutionTile)), .y = wordOf(count)},
                        workOfTile * real(count));
    }
}

}  // namespace meshreel

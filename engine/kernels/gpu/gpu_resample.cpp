// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_resample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/gpu/gpu.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/kernels/gpu/shader_check.h"
#include "resample.spv.h"

namespace meshreel {
namespace {

enum class ResampleOperation : std::uint32_t { Resize, Warp, Unfold, Blend };

/// Read by resample.comp.
struct ResampleConstants {
    GpuAddress from = 0, second = 0, weight = 0, into = 0;
    std::uint32_t fromHeight = 0, fromWidth = 0, fromStride = 0;
    std::uint32_t intoHeight = 0, intoWidth = 0, intoStride = 0, channels = 0;
    std::uint32_t secondStride = 0, weightStride = 0;
    std::uint32_t operation = 0;
    std::uint32_t firstLine = 0;
    float factor = 1.0F;
};

/// A picture as its matrix, height and width.
struct GpuPicture {
    GpuMatrix pixels;
    std::int64_t height = 0;
    std::int64_t width = 0;
};

constexpr std::int64_t resampleThreads = 128;
constexpr double resampleError = 1e-5;  // that the check allows

std::uint32_t resampleWord(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

/// Records an operation on pictures of f32 whose places 32 bits reach; `second` and `weight` may have no
/// rows.
void resample(GpuStream& stream, const GpuProgram& program, ResampleOperation operation,
              const GpuPicture& from, const GpuMatrix& second, const GpuMatrix& weight,
              const GpuPicture& into, float factor) {
    constexpr std::int64_t most = std::int64_t{1} << 31U;
    requireGpuMatrix(from.pixels);
    requireGpuMatrix(into.pixels);
    if (from.pixels.isNarrow() || into.pixels.isNarrow() || from.pixels.layout.rows >= most ||
        into.pixels.layout.rows >= most || into.width * into.pixels.layout.width >= most)
        throw Error(ErrorKind::Internal, "a GPU resamples pictures of f32 that 32 bits number");
    ResampleConstants constants{.from = from.pixels.address,
                                .second = second.address,
                                .weight = weight.address,
                                .into = into.pixels.address,
                                .fromHeight = resampleWord(from.height),
                                .fromWidth = resampleWord(from.width),
                                .fromStride = resampleWord(from.pixels.layout.stride),
                                .intoHeight = resampleWord(into.height),
                                .intoWidth = resampleWord(into.width),
                                .intoStride = resampleWord(into.pixels.layout.stride),
                                .channels = resampleWord(into.pixels.layout.width),
                                .secondStride = resampleWord(second.layout.stride),
                                .weightStride = resampleWord(weight.layout.stride),
                                .operation = static_cast<std::uint32_t>(operation),
                                .firstLine = 0,
                                .factor = factor};
    constexpr double workOfNumber = 12.0;
    const std::int64_t numbers = into.width * into.pixels.layout.width;
    const double workOfLine = workOfNumber * real(numbers);
    const std::int64_t portion = rowsOfDispatch(into.height, workOfLine, stream.portion());
    for (std::int64_t first = 0; first < into.height; first += portion) {
        const std::int64_t count = std::min(portion, into.height - first);
        constants.firstLine = resampleWord(first);
        stream.dispatch(program, constantBytes(constants),
                        {.x = resampleWord(ceilDivide(numbers, resampleThreads)), .y = resampleWord(count)},
                        workOfLine * real(count));
    }
}

/// Value of a small picture at a place that is not negative, in double.
double checkedBetween(const std::vector<float>& picture, std::int64_t height, std::int64_t width,
                      std::int64_t channels, double line, double column, std::int64_t channel) {
    const auto at = [&](std::int64_t y, std::int64_t x) {
        const std::int64_t pixel = std::min(y, height - 1) * width + std::min(x, width - 1);
        return static_cast<double>(picture[static_cast<std::size_t>(pixel * channels + channel)]);
    };
    const auto top = static_cast<std::int64_t>(line);
    const auto left = static_cast<std::int64_t>(column);
    const double down = line - real(top);
    const double along = column - real(left);
    return (at(top, left) * (1.0 - along) + at(top, left + 1) * along) * (1.0 - down) +
           (at(top + 1, left) * (1.0 - along) + at(top + 1, left + 1) * along) * down;
}

/// A picture of 4×5 with four channels is enlarged, warped, made into squares, and blended.
double checkResampling(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const GpuProgram& program = pipelines.program(shader);
    constexpr std::int64_t height = 4;
    constexpr std::int64_t width = 5;
    constexpr std::int64_t channels = 4;
    constexpr std::int64_t pixels = height * width;
    constexpr std::int64_t side = 2;
    constexpr float factor = 1.5F;
    const CheckedValues from(stream.gpu(), pixels, channels, 1);
    const CheckedValues other(stream.gpu(), pixels, channels, 2);
    const CheckedValues flow(stream.gpu(), pixels, 2, 3);
    const CheckedValues weight(stream.gpu(), pixels, 1, 4);
    const CheckedValues resized(stream.gpu(), pixels * side * side, channels, 5);
    const CheckedValues warped(stream.gpu(), pixels, channels, 6);
    const CheckedValues unfolded(stream.gpu(), pixels * side * side, 1, 7);
    const CheckedValues blended(stream.gpu(), pixels, channels, 8);
    std::vector<float> steps = flow.read();
    for (float& step : steps)
        step *= 2.0F;  // over the border, too
    flow.write(steps);
    const GpuPicture source{from.matrix(), height, width};
    resample(stream, program, ResampleOperation::Resize, source, {}, {},
             {resized.matrix(), height * side, width * side}, factor);
    resample(stream, program, ResampleOperation::Warp, source, flow.matrix(), {},
             {warped.matrix(), height, width}, 1.0F);
    resample(stream, program, ResampleOperation::Unfold, source, {}, {},
             {unfolded.matrix(), height * side, width * side}, static_cast<float>(side));
    resample(stream, program, ResampleOperation::Blend, source, other.matrix(), weight.matrix(),
             {blended.matrix(), height, width}, 1.0F);
    stream.finish();
    const std::vector<float> values = from.read();
    const std::vector<float> others = other.read();
    const std::vector<float> weights = weight.read();
    const auto number = [](const std::vector<float>& of, std::int64_t index) {
        return static_cast<double>(of[static_cast<std::size_t>(index)]);
    };
    const auto expectedResized = [&](std::int64_t pixel, std::int64_t channel) {
        const auto place = [](std::int64_t index) { return std::max((real(index) + 0.5) / 2.0 - 0.5, 0.0); };
        return static_cast<double>(factor) * checkedBetween(values, height, width, channels,
                                                            place(pixel / (width * side)),
                                                            place(pixel % (width * side)), channel);
    };
    const auto expectedWarped = [&](std::int64_t pixel, std::int64_t channel) {
        const double line = real(pixel / width) + number(steps, 2 * pixel + 1);
        const double column = real(pixel % width) + number(steps, 2 * pixel);
        return checkedBetween(values, height, width, channels, std::clamp(line, 0.0, real(height - 1)),
                              std::clamp(column, 0.0, real(width - 1)), channel);
    };
    const auto expectedUnfolded = [&](std::int64_t pixel, std::int64_t) {
        const std::int64_t line = pixel / (width * side);
        const std::int64_t column = pixel % (width * side);
        const std::int64_t square = line / side * width + column / side;
        return number(values, square * channels + line % side * side + column % side);
    };
    const auto expectedBlended = [&](std::int64_t pixel, std::int64_t channel) {
        const double part = 1.0 / (1.0 + std::exp(-number(weights, pixel)));
        const std::int64_t place = pixel * channels + channel;
        return number(values, place) * part + number(others, place) * (1.0 - part);
    };
    double difference = resized.difference(expectedResized, resampleError);
    if (difference <= 1.0)
        difference = warped.difference(expectedWarped, resampleError);
    if (difference <= 1.0)
        difference = unfolded.difference(expectedUnfolded, resampleError);
    return difference <= 1.0 ? blended.difference(expectedBlended, resampleError) : difference;
}

const GpuShader resampleShader{.name = "resample",
                               .words = resample_spirv,
                               .constants = sizeof(ResampleConstants),
                               .check = checkResampling};

GpuPicture gpuPicture(const PictureView& picture) {
    return {gpuMatrix(picture.pixels), picture.height, picture.width};
}

GpuPicture gpuPicture(const PictureSpan& picture) {
    return {gpuMatrix(picture.pixels), picture.height, picture.width};
}

}  // namespace

const GpuProgram& prepareResampling(GpuPipelines& pipelines) {
    return pipelines.program(resampleShader);
}

void resizePicture(const OnVulkan& on, const PictureView& from, const PictureSpan& into, float factor) {
    resample(on.stream(), resamplingOf(on.pipelines()), ResampleOperation::Resize, gpuPicture(from), {}, {},
             gpuPicture(into), factor);
}

void warpPicture(const OnVulkan& on, const PictureView& from, const MatrixView& flow,
                 const PictureSpan& into) {
    resample(on.stream(), resamplingOf(on.pipelines()), ResampleOperation::Warp, gpuPicture(from),
             gpuMatrix(flow), {}, gpuPicture(into), 1.0F);
}

void unfoldPixels(const OnVulkan& on, const PictureView& from, std::int64_t side, const PictureSpan& into) {
    resample(on.stream(), resamplingOf(on.pipelines()), ResampleOperation::Unfold, gpuPicture(from), {}, {},
             gpuPicture(into), static_cast<float>(side));
}

void blendBySigmoid(const OnVulkan& on, const MatrixView& one, const MatrixView& other,
                    const MatrixView& weight, const MatrixSpan& into) {
    // A picture of one column: the places of pixels do not matter.
    resample(on.stream(), resamplingOf(on.pipelines()), ResampleOperation::Blend,
             {gpuMatrix(one), one.rows(), 1}, gpuMatrix(other), gpuMatrix(weight),
             {gpuMatrix(into), into.rows(), 1}, 1.0F);
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_pixels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "channel_norm.spv.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/kernels/gpu/shader_check.h"
#include "engine/kernels/pixels/frame_bytes.h"
#include "engine/kernels/pixels/level_shortcut.h"
#include "engine/kernels/rows/channel_norm.h"
#include "engine/tensor/matrix_view.h"
#include "pixels.spv.h"
#include "shortcut.spv.h"

namespace meshreel {
namespace {

/// Read by channel_norm.comp.
struct ChannelNormConstants {
    GpuAddress x, gamma, y;
    std::uint32_t pixels, channels, xStride, yStride;
    std::uint32_t flags;
    std::uint32_t unused = 0;
};

/// Read by shortcut.comp.
struct ShortcutConstants {
    GpuAddress source = 0, sum = 0;
    std::uint32_t height = 0, width = 0, outs = 0, ins = 0;
    std::uint32_t time = 1, space = 1, shift = 0, group = 1;
    std::uint32_t firstRow = 0, flags = 0;
};

/// Read by pixels.comp.
struct BytesConstants {
    GpuAddress features, bytes;
    std::uint32_t height, width, colours, patch;
    std::uint32_t firstWord, words, count;
    std::uint32_t unused = 0;
};

constexpr std::int64_t normedPixels = 8;  // in a group
constexpr std::int64_t pixelThreads = 128;
constexpr std::int64_t bytesOfWord = 4;
constexpr double pixelError = 1e-5;  // that a check allows

std::uint32_t pixelWord(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

std::size_t placeOf(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

GpuFeatures featuresAt(const CheckedValues& values, std::int64_t frames, std::int64_t side,
                       std::int64_t channels) {
    return {
        .address = values.address(), .frames = frames, .height = side, .width = side, .channels = channels};
}

double checkChannelNorm(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const PreparedPixels by{.channelNorm = &pipelines.program(shader)};
    constexpr std::int64_t pixels = 11;
    constexpr std::int64_t channels = 37;
    const CheckedValues x(stream.gpu(), pixels, channels, 1);
    const CheckedValues gamma(stream.gpu(), 1, channels, 2);
    const CheckedValues y(stream.gpu(), pixels, channels, 3);
    channelNorm(stream, by, x.matrix(), gamma.address(), true, y.matrix());
    stream.finish();
    const std::vector<float> values = x.read();
    const std::vector<float> scales = gamma.read();
    const auto expected = [&](std::int64_t pixel, std::int64_t channel) {
        double squares = 0.0;
        for (std::int64_t i = 0; i < channels; ++i)
            squares += std::pow(static_cast<double>(values[placeOf(pixel * channels + i)]), 2);
        const double value = static_cast<double>(values[placeOf(pixel * channels + channel)]) *
                             std::sqrt(real(channels) / squares) *
                             static_cast<double>(scales[placeOf(channel)]);
        return value / (1.0 + std::exp(-value));
    };
    return y.difference(expected, pixelError);
}

/// Down from 2 frames of 4×4×3 to 1 of 2×2×4, whose first source frame is missing, and back up to 2 frames.
double checkShortcut(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const PreparedPixels by{.shortcut = &pipelines.program(shader)};
    constexpr std::int64_t side = 4;
    constexpr std::int64_t small = 2;
    constexpr std::int64_t ins = 3;
    constexpr std::int64_t outs = 4;
    constexpr GpuShortcut change{.time = 2, .space = 2};
    constexpr std::int64_t pixels = 8;
    constexpr std::int64_t group = ins * pixels / outs;
    const CheckedValues source(stream.gpu(), side * side, ins, 1);
    const CheckedValues mean(stream.gpu(), small * small, outs, 2);
    const CheckedValues repeated(stream.gpu(), 2 * side * side, ins - 1, 3);
    const std::vector<float> values = source.read();
    const std::vector<float> means = mean.read();
    const std::vector<float> sums = repeated.read();
    addRepeated(stream, by, change, featuresAt(mean, 1, small, outs), featuresAt(repeated, 2, side, ins - 1));
    addAveraged(stream, by, change, featuresAt(source, 1, side, ins), featuresAt(mean, 1, small, outs));
    stream.finish();
    const auto expectedRepeated = [&](std::int64_t place, std::int64_t channel) {
        const std::int64_t frame = place / (side * side);
        const std::int64_t row = place / side % side;
        const std::int64_t column = place % side;
        const std::int64_t part = (frame * 2 + row % 2) * 2 + column % 2;
        const std::int64_t from = (channel * pixels + part) / ((ins - 1) * pixels / outs);
        return static_cast<double>(sums[placeOf(place * (ins - 1) + channel)]) +
               static_cast<double>(means[placeOf((row / 2 * small + column / 2) * outs + from)]);
    };
    const auto expectedMean = [&](std::int64_t place, std::int64_t channel) {
        double total = 0.0;
        for (std::int64_t member = channel * group; member < (channel + 1) * group; ++member) {
            const std::int64_t part = member % pixels;
            if (part < pixels / 2)  // from the frame before the first
                continue;
            const std::int64_t row = place / small * 2 + part / 2 % 2;
            const std::int64_t column = place % small * 2 + part % 2;
            total += static_cast<double>(values[placeOf((row * side + column) * ins + member / pixels)]);
        }
        return static_cast<double>(means[placeOf(place * outs + channel)]) + total / real(group);
    };
    const double difference = mean.difference(expectedMean, pixelError);
    return difference <= 1.0 ? repeated.difference(expectedRepeated, pixelError) : difference;
}

/// Two frames of 3×3 squares of 2×2 pixels, three colours: the bytes, and none behind them.
double checkBytes(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const PreparedPixels by{.bytes = &pipelines.program(shader)};
    constexpr std::int64_t side = 3;
    constexpr std::int64_t patch = 2;
    constexpr std::int64_t colours = 3;
    constexpr std::int64_t frames = 2;
    constexpr std::int64_t channels = colours * patch * patch;
    constexpr std::int64_t count = frames * side * side * channels;
    const CheckedValues features(stream.gpu(), frames * side * side, channels, 1);
    const CheckedValues words(stream.gpu(), 1, count / bytesOfWord, 2);
    makeBytes(stream, by, featuresAt(features, frames, side, channels), patch, words.address());
    stream.finish();
    const std::vector<float> values = features.read();
    const std::vector<float> found = words.read();
    std::vector<std::uint8_t> bytes(placeOf(count));
    std::memcpy(bytes.data(), found.data(), bytes.size());
    double largest = 0.0;
    for (std::int64_t place = 0; place < count; ++place) {
        const std::int64_t column = place / colours % (side * patch);
        const std::int64_t line = place / colours / (side * patch);
        const std::int64_t square = line / patch * side + column / patch;
        const std::int64_t channel = (place % colours * patch + column % patch) * patch + line % patch;
        const float unit = values[placeOf(square * channels + channel)] / 2.0F + 0.5F;
        const auto expected = static_cast<int>(std::clamp(unit, 0.0F, 1.0F) * 255.0F);
        largest = std::max(largest, std::abs(static_cast<double>(bytes[placeOf(place)]) - expected) * 2.0);
    }
    return largest;
}

const GpuShader channelNormShader{.name = "channel_norm",
                                  .words = channel_norm_spirv,
                                  .constants = sizeof(ChannelNormConstants),
                                  .check = checkChannelNorm};
const GpuShader shortcutShader{.name = "shortcut",
                               .words = shortcut_spirv,
                               .constants = sizeof(ShortcutConstants),
                               .check = checkShortcut};
const GpuShader bytesShader{
    .name = "pixels", .words = pixels_spirv, .constants = sizeof(BytesConstants), .check = checkBytes};

GpuFeatures featuresIn(const Tensor& features) {
    return {.address = gpuMatrix(MatrixView(features)).address,
            .type = features.dtype(),
            .frames = features.extent(0),
            .height = features.extent(1),
            .width = features.extent(2),
            .channels = features.extent(3)};
}

void requireFit(bool fits, const char* what) {
    if (!fits)
        throw Error(ErrorKind::Internal, std::string(what) + " on a GPU does not fit its features");
}

/// Features that 32-bit places reach.
bool isReachable(const GpuFeatures& features) {
    constexpr std::int64_t most = std::int64_t{1} << 31U;
    return (features.type == DType::F32 || features.type == DType::BF16) &&
           features.frames * features.height * features.width < most &&
           features.width * features.channels < most;
}

void addShortcut(GpuStream& stream, const PreparedPixels& by, const GpuFeatures& source,
                 const GpuFeatures& sum, ShortcutConstants constants) {
    const GpuProgram& program = *by.shortcut;
    constants.source = source.address;
    constants.sum = sum.address;
    constants.height = pixelWord(sum.height);
    constants.width = pixelWord(sum.width);
    constants.outs = pixelWord(sum.channels);
    constants.ins = pixelWord(source.channels);
    constants.flags |= (source.type == DType::BF16 ? 1U : 0U) | (sum.type == DType::BF16 ? 2U : 0U);
    const std::int64_t rows = sum.frames * sum.height;
    const double workOfRow = real(sum.width * sum.channels) * (2.0 + real(constants.group));
    const std::int64_t portion = rowsOfDispatch(rows, workOfRow, stream.portion());
    for (std::int64_t first = 0; first < rows; first += portion) {
        const std::int64_t count = std::min(portion, rows - first);
        constants.firstRow = pixelWord(first);
        stream.dispatch(
            program, constantBytes(constants),
            {.x = pixelWord(ceilDivide(sum.width * sum.channels, pixelThreads)), .y = pixelWord(count)},
            workOfRow * real(count));
    }
}

}  // namespace

PreparedPixels preparePixels(GpuPipelines& pipelines) {
    return {.channelNorm = &pipelines.program(channelNormShader),
            .shortcut = &pipelines.program(shortcutShader),
            .bytes = &pipelines.program(bytesShader)};
}

void channelNorm(GpuStream& stream, const PreparedPixels& by, const GpuMatrix& x, GpuAddress gamma, bool silu,
                 const GpuMatrix& y) {
    requireGpuMatrix(x);
    requireGpuMatrix(y);
    requireFit(x.layout.rows == y.layout.rows && x.layout.width == y.layout.width && gamma != 0,
               "a channel norm");
    const GpuProgram& program = *by.channelNorm;
    const std::int64_t groups = ceilDivide(x.layout.rows, normedPixels);
    const double workOfGroup = 8.0 * real(normedPixels * x.layout.width);
    const std::int64_t portion = rowsOfDispatch(groups, workOfGroup, stream.portion());
    for (std::int64_t first = 0; first < groups; first += portion) {
        const std::int64_t count = std::min(portion, groups - first);
        const std::int64_t pixels = std::min(count * normedPixels, x.layout.rows - first * normedPixels);
        const ChannelNormConstants constants{
            .x = x.slice(first * normedPixels, pixels).address,
            .gamma = gamma,
            .y = y.slice(first * normedPixels, pixels).address,
            .pixels = pixelWord(pixels),
            .channels = pixelWord(x.layout.width),
            .xStride = pixelWord(x.layout.stride),
            .yStride = pixelWord(y.layout.stride),
            .flags = (x.isNarrow() ? 1U : 0U) | (y.isNarrow() ? 2U : 0U) | (silu ? 4U : 0U)};
        stream.dispatch(program, constantBytes(constants), {.x = pixelWord(count)},
                        workOfGroup * real(count));
    }
}

void addAveraged(GpuStream& stream, const PreparedPixels& by, const GpuShortcut& shortcut,
                 const GpuFeatures& source, const GpuFeatures& sum) {
    const std::int64_t pixels = shortcut.time * shortcut.space * shortcut.space;
    const std::int64_t missing = sum.frames * shortcut.time - source.frames;
    requireFit(isReachable(source) && isReachable(sum) && missing >= 0 && missing < shortcut.time &&
                   source.height == sum.height * shortcut.space &&
                   source.width == sum.width * shortcut.space && source.channels * pixels % sum.channels == 0,
               "a shortcut");
    addShortcut(stream, by, source, sum,
                {.time = pixelWord(shortcut.time),
                 .space = pixelWord(shortcut.space),
                 .shift = pixelWord(missing),
                 .group = pixelWord(source.channels * pixels / sum.channels),
                 .flags = 0});
}

void addRepeated(GpuStream& stream, const PreparedPixels& by, const GpuShortcut& shortcut,
                 const GpuFeatures& source, const GpuFeatures& sum) {
    const std::int64_t pixels = shortcut.time * shortcut.space * shortcut.space;
    const std::int64_t dropped = source.frames * shortcut.time - sum.frames;
    requireFit(isReachable(source) && isReachable(sum) && dropped >= 0 && dropped < shortcut.time &&
                   sum.height == source.height * shortcut.space &&
                   sum.width == source.width * shortcut.space && sum.channels * pixels % source.channels == 0,
               "a shortcut");
    addShortcut(stream, by, source, sum,
                {.time = pixelWord(shortcut.time),
                 .space = pixelWord(shortcut.space),
                 .shift = pixelWord(dropped),
                 .group = pixelWord(sum.channels * pixels / source.channels),
                 .flags = 4});
}

void makeBytes(GpuStream& stream, const PreparedPixels& by, const GpuFeatures& features, std::int64_t patch,
               GpuAddress bytes) {
    const std::int64_t count = features.frames * features.height * features.width * features.channels;
    requireFit(isReachable(features) && features.type == DType::F32 &&
                   features.channels % (patch * patch) == 0 && count < (std::int64_t{1} << 32U) &&
                   bytes % 4 == 0,
               "a frame of bytes");
    const GpuProgram& program = *by.bytes;
    const std::int64_t words = ceilDivide(count, bytesOfWord);
    const double workOfGroup = 4.0 * real(pixelThreads * bytesOfWord);
    const std::int64_t groups = ceilDivide(words, pixelThreads);
    const std::int64_t portion = rowsOfDispatch(groups, workOfGroup, stream.portion());
    for (std::int64_t first = 0; first < groups; first += portion) {
        const std::int64_t groupCount = std::min(portion, groups - first);
        const std::int64_t firstWord = first * pixelThreads;
        const BytesConstants constants{
            .features = features.address,
            .bytes = bytes,
            .height = pixelWord(features.height),
            .width = pixelWord(features.width),
            .colours = pixelWord(features.channels / (patch * patch)),
            .patch = pixelWord(patch),
            .firstWord = pixelWord(firstWord),
            .words = pixelWord(std::min(groupCount * pixelThreads, words - firstWord)),
            .count = pixelWord(count)};
        stream.dispatch(program, constantBytes(constants), {.x = pixelWord(groupCount)},
                        workOfGroup * real(groupCount));
    }
}

Tensor frameBytes(const OnVulkan& on, const Tensor& features, std::int64_t patch) {
    Tensor bytes = Tensor::empty({features.elements()}, DType::U8, &on.gpu.memory());
    makeBytes(on.stream(), pixelsOf(on.pipelines()), featuresIn(features), patch,
              reinterpret_cast<GpuAddress>(bytes.address()));
    return bytes.host().reshaped({features.extent(0), features.extent(1) * patch, features.extent(2) * patch,
                                  features.extent(3) / (patch * patch)});
}

void ChannelNorm::applyOn(const OnVulkan& on, const MatrixView& x, const MatrixSpan& y) const {
    const MatrixView gamma(m_gamma.reshaped({1, channels()}));
    channelNorm(on.stream(), pixelsOf(on.pipelines()), gpuMatrix(x), gpuMatrix(gamma).address,
                m_after == After::Silu, gpuMatrix(y));
}

void AveragingShortcut::addOn(const OnVulkan& on, const Tensor& source, Tensor& sum) const {
    addAveraged(on.stream(), pixelsOf(on.pipelines()), {.time = m_change.time, .space = m_change.space},
                featuresIn(source), featuresIn(sum));
}

void RepeatingShortcut::addOn(const OnVulkan& on, const Tensor& source, Tensor& sum) const {
    addRepeated(on.stream(), pixelsOf(on.pipelines()), {.time = m_change.time, .space = m_change.space},
                featuresIn(source), featuresIn(sum));
}

}  // namespace meshreel

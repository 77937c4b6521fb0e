// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "convolution_direct.spv.h"
#include "convolution_scalar.spv.h"
#include "convolution_tiles.variants.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/shader_check.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

/// Read by convolution.glsl.
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
constexpr std::uint32_t factorsInFours = 32;
constexpr std::uint32_t outputsInFours = 64;

constexpr std::int64_t placeOffset = 128;  // source rows and columns may lie before the frame
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

/// Whether every row begins at a multiple of so many numbers.
bool beginsAt(GpuAddress address, const GpuMatrix& matrix, std::int64_t numbers) {
    return matrix.layout.stride % numbers == 0 &&
           address % (static_cast<std::size_t>(numbers) * byteSize(matrix.type)) == 0;
}

/// Whether the weights of every feature begin at a multiple of so many numbers.
bool weightsBeginAt(const GpuMatrix& weights, std::int64_t numbers) {
    return beginsAt(weights.address, weights, numbers);
}

/// Whether the features of every pixel do. Frames of zeros have the address 0.
bool pixelsBeginAt(const GpuConvolution& convolution, std::int64_t numbers) {
    return std::ranges::all_of(convolution.frames,
                               [&](GpuAddress frame) { return beginsAt(frame, convolution.like, numbers); });
}

/// Frames of zeros are skipped.
std::int64_t framesRead(const GpuConvolution& convolution) {
    return std::ranges::count_if(convolution.frames, [](GpuAddress frame) { return frame != 0; });
}

void recordConvolution(GpuStream& stream, const ConvolutionProgram& by, const GpuConvolution& convolution,
                       const GpuMatrix& y) {
    constexpr std::int64_t four = 4;
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
                 (convolution.addToOutput ? addsToOutput : 0U) |
                 (weightsBeginAt(convolution.weights, four) && pixelsBeginAt(convolution, four) &&
                          convolution.like.layout.width % four == 0
                      ? factorsInFours
                      : 0U) |
                 (beginsAt(y.address, y, four) ? outputsInFours : 0U)};
    const std::int64_t squares = ceilDivide(convolution.outHeight, convolution.upsample) *
                                 ceilDivide(convolution.outWidth, convolution.upsample);
    const std::int64_t blocks = ceilDivide(squares, by.pixels);
    const double workOfBlock = 2.0 * real(by.pixels) * real(y.layout.width) *
                               real(convolution.weights.layout.rows) * real(framesRead(convolution)) /
                               real(convolution.kernelFrames) * by.workScale;
    const std::int64_t portion = rowsOfDispatch(blocks, workOfBlock, stream.portion());
    for (std::int64_t first = 0; first < blocks; first += portion) {
        const std::int64_t count = std::min(portion, blocks - first);
        constants.firstPixel = wordOf(first * by.pixels);
        stream.dispatch(*by.program, constantBytes(constants),
                        {.x = wordOf(ceilDivide(y.layout.width, by.outs)), .y = wordOf(count)},
                        workOfBlock * real(count));
    }
}

// ---- Checks ----

/// A convolution on small values.
struct CheckedConvolution {
    std::int64_t side = 0;  // of the source frames
    std::int64_t stride = 1;
    std::int64_t upsample = 1;
    std::int64_t ins = 0;
    std::int64_t outs = 0;
    std::array<bool, GpuConvolution::mostFrames> zeros = {};  // frames that are
    DType type = DType::F32;
};

using RecordConvolution = std::function<void(const GpuConvolution&, const GpuMatrix& y)>;

/// The largest error of `record` with a kernel of 3 × 3 × 3, in units of `allowed`.
double convolutionError(GpuStream& stream, const CheckedConvolution& of, double allowed,
                        const RecordConvolution& record) {
    constexpr std::int64_t kernel = 3;
    const std::int64_t side = of.side;
    const std::array<CheckedValues, kernel> sources{
        CheckedValues(stream.gpu(), side * side, of.ins, 1, of.type),
        CheckedValues(stream.gpu(), side * side, of.ins, 2, of.type),
        CheckedValues(stream.gpu(), side * side, of.ins, 3, of.type)};
    const CheckedValues weights(stream.gpu(), kernel * kernel * kernel * of.ins, of.outs, 4, of.type);
    const CheckedValues bias(stream.gpu(), 1, of.outs, 5);
    const std::int64_t outSide = ceilDivide(side * of.upsample, of.stride);
    const CheckedValues y(stream.gpu(), outSide * outSide, of.outs, 6);
    GpuConvolution convolution{.like = sources.front().matrix(),
                               .height = side,
                               .width = side,
                               .kernelFrames = kernel,
                               .kernelHeight = kernel,
                               .kernelWidth = kernel,
                               .firstRow = -1,
                               .firstColumn = -1,
                               .spaceStride = of.stride,
                               .upsample = of.upsample,
                               .outHeight = outSide,
                               .outWidth = outSide,
                               .weights = weights.matrix(),
                               .bias = bias.address()};
    for (std::size_t frame = 0; frame < sources.size(); ++frame)
        convolution.frames.at(frame) = of.zeros.at(frame) ? 0 : sources.at(frame).address();
    for (std::int64_t phase = 0; phase < of.upsample * of.upsample; ++phase) {
        convolution.row = phase / of.upsample;
        convolution.column = phase % of.upsample;
        record(convolution, y.matrix());
    }
    stream.finish();
    const std::vector<float> factors = weights.read();
    const std::vector<float> biases = bias.read();
    std::vector<double> sums;  // [pixel, out]
    const std::array<std::vector<float>, kernel> frames{sources[0].read(), sources[1].read(),
                                                        sources[2].read()};
    const auto outs = static_cast<std::size_t>(of.outs);
    for (std::int64_t pixel = 0; pixel < outSide * outSide; ++pixel) {
        const std::size_t begin = sums.size();
        sums.insert(sums.end(), biases.begin(), biases.end());
        for (std::int64_t tap = 0; tap < kernel * kernel * kernel; ++tap) {
            const std::int64_t row = pixel / outSide / of.upsample * of.stride - 1 + tap / kernel % kernel;
            const std::int64_t column = pixel % outSide / of.upsample * of.stride - 1 + tap % kernel;
            const auto frame = static_cast<std::size_t>(tap / (kernel * kernel));
            if (of.zeros.at(frame) || row < 0 || row >= side || column < 0 || column >= side)
                continue;
            for (std::int64_t in = 0; in < of.ins; ++in) {
                const auto value = static_cast<double>(
                    frames.at(frame)[static_cast<std::size_t>((row * side + column) * of.ins + in)]);
                const float* factor = factors.data() + (tap * of.ins + in) * of.outs;
                for (std::size_t out = 0; out < outs; ++out)
                    sums[begin + out] += value * static_cast<double>(factor[out]);
            }
        }
    }
    return y.difference(
        [&](std::int64_t pixel, std::int64_t out) {
            return sums[static_cast<std::size_t>(pixel * of.outs + out)];
        },
        allowed);
}

/// The first error that is too large, else 0.
double excessiveError(GpuStream& stream, std::span<const CheckedConvolution> kinds, double allowed,
                      const RecordConvolution& record) {
    for (const CheckedConvolution& kind : kinds)
        if (const double error = convolutionError(stream, kind, allowed, record); !(error <= 1.0))
            return error;  // also when it is not a number
    return 0.0;
}

// ---- Without matrix units ----

constexpr std::int64_t scalarSide = 64;  // pixels and outputs of a group

double checkScalarConvolution(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

const GpuShader sharedConvolutionShader{.name = "convolution_scalar",
                                        .words = convolution_scalar_spirv,
                                        .constants = sizeof(ConvolutionConstants),
                                        .check = checkScalarConvolution};
const GpuShader directConvolutionShader{.name = "convolution_direct",
                                        .words = convolution_direct_spirv,
                                        .constants = sizeof(ConvolutionConstants),
                                        .check = checkScalarConvolution};

ConvolutionProgram scalarConvolutionBy(GpuPipelines& pipelines, const GpuShader& shader) {
    return {.program = &pipelines.program(shader), .pixels = scalarSide, .outs = scalarSide};
}

ConvolutionProgram scalarConvolution(GpuPipelines& pipelines) {
    return scalarConvolution(pipelines, factorReadsOn(pipelines.gpu()));
}

/// Features and outputs one by one and in fours.
double checkScalarConvolution(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    constexpr std::array kinds{
        CheckedConvolution{.side = 9, .upsample = 2, .ins = 19, .outs = 67, .zeros = {true, false, false}},
        CheckedConvolution{.side = 9, .stride = 2, .ins = 20, .outs = 68, .zeros = {false, true, false}},
        CheckedConvolution{.side = 9, .ins = 20, .outs = 4}};
    return excessiveError(stream, kinds, 5e-5, [&](const GpuConvolution& convolution, const GpuMatrix& y) {
        recordConvolution(stream, scalarConvolutionBy(pipelines, shader), convolution, y);
    });
}

// ---- On matrix units ----

/// A variant with the block of a group.
struct ConvolutionTiles {
    MatrixVariant variant;
    std::int64_t pixels;
    std::int64_t outs;
    std::int64_t features;  // in a step
    bool gathers;           // features and weights of any type, number and begin
    VariantShaders shaders;
    // What stands in for products of the same extents: for any features, and for few outputs.
    const ConvolutionTiles* gathering = nullptr;
    const ConvolutionTiles* ofFewOuts = nullptr;

    /// For convolutions of no more outputs than one product has: others never replace it.
    [[nodiscard]] bool forFewOuts() const { return outs == variant.extents.n; }
};

double checkConvolutionTiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

/// A row of convolution_tiles.table.
struct ConvolutionTilesRow {
    std::uint32_t tileM, tileN, tileK, subgroup, blockPixels, blockOuts, blockFeatures, pixelParts, outParts,
        stages, gathered;
    VariantWords words;
};

// See convolution_tiles.comp for the memory.
ConvolutionTiles convolutionTiles(const ConvolutionTilesRow& row) {
    constexpr std::uint32_t wordBytes = 16;
    const MatrixVariant variant{
        .extents = {.m = row.tileM, .n = row.tileN, .k = row.tileK},
        .subgroup = row.subgroup,
        .threads = row.pixelParts * row.outParts * row.subgroup,
        .sharedBytes =
            row.stages *
            (row.blockPixels * (row.blockFeatures / 8 + 1) + row.blockFeatures * (row.blockOuts / 8 + 1)) *
            wordBytes,
        .block = fmt::format("{}x{}x{}.{}x{}x{}c.{}x{}.{}", row.tileM, row.tileN, row.tileK, row.blockPixels,
                             row.blockOuts, row.blockFeatures, row.pixelParts, row.outParts, row.stages),
        .words = row.words};
    const bool gathers = row.gathered == 1;
    return {.variant = variant,
            .pixels = row.blockPixels,
            .outs = row.blockOuts,
            .features = row.blockFeatures,
            .gathers = gathers,
            .shaders = {gathers ? "convolution_tiles gathered" : "convolution_tiles", variant,
                        sizeof(ConvolutionConstants), checkConvolutionTiles}};
}

const std::vector<ConvolutionTiles>& convolutionTable() {
    static const std::vector<ConvolutionTiles> table = [] {
        std::vector<ConvolutionTiles> all;
        for (const auto& row : std::to_array<ConvolutionTilesRow>({MESHREEL_CONVOLUTION_TILES_VARIANTS}))
            all.push_back(convolutionTiles(row));
        for (ConvolutionTiles& tiles : all)
            for (const ConvolutionTiles& other : all) {
                if (!(other.variant.extents == tiles.variant.extents))
                    continue;
                if (other.gathers && tiles.gathering == nullptr)
                    tiles.gathering = &other;
                if (!other.gathers && other.forFewOuts() && tiles.ofFewOuts == nullptr)
                    tiles.ofFewOuts = &other;
            }
        return all;
    }();
    return table;
}

ConvolutionProgram tilesConvolution(GpuPipelines& pipelines, const ConvolutionTiles& tiles,
                                    const GpuShader& shader) {
    return {.program = &pipelines.program(shader), .pixels = tiles.pixels, .outs = tiles.outs};
}

/// bf16 factors are exact in f16 too: these are below 1. Pixels and outputs fill a whole block and a part of
/// one.
double checkConvolutionTiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const ConvolutionTiles& tiles = rowOf(convolutionTable(), shader);
    const std::int64_t ins = tiles.gathers ? tiles.features + 3 : 2 * tiles.features;
    const std::int64_t outs = tiles.gathers ? tiles.outs + 3 : tiles.outs + 8;
    const std::array kinds{
        CheckedConvolution{
            .side = 12, .ins = ins, .outs = outs, .zeros = {false, true, false}, .type = DType::BF16},
        CheckedConvolution{.side = 4,
                           .upsample = 2,
                           .ins = ins,
                           .outs = outs,
                           .zeros = {true, false, false},
                           .type = DType::BF16},
        CheckedConvolution{.side = 5, .stride = 2, .ins = ins, .outs = outs, .type = DType::BF16}};
    return excessiveError(stream, kinds, 5e-4, [&](const GpuConvolution& convolution, const GpuMatrix& y) {
        recordConvolution(stream, tilesConvolution(pipelines, tiles, shader), convolution, y);
    });
}

/// Whether the factors that are multiplied are bf16.
bool hasNarrowFactors(const GpuConvolution& convolution) {
    return (convolution.like.isNarrow() || convolution.roundsFeatures) && convolution.weights.isNarrow();
}

/// What multiplies factors that lie as its shader reads them.
ConvolutionProgram convolutionBy(GpuPipelines& pipelines, const BoundVariant& by) {
    if (by.form == MatrixForm::Scalar)
        return scalarConvolution(pipelines);
    const ConvolutionTiles& tiles = convolutionTable()[by.row];
    return tilesConvolution(pipelines, tiles, tiles.shaders.in(by.form));
}

/// What stands in for a bound variant; `scalar` where there is nothing else, or the GPU refuses it.
ConvolutionProgram standIn(GpuPipelines& pipelines, const ConvolutionTiles* tiles, const BoundVariant& by,
                           const ConvolutionProgram& scalar) {
    if (tiles == nullptr)
        return scalar;
    try {
        return tilesConvolution(pipelines, *tiles, tiles->shaders.in(by.form));
    } catch (const Error& failure) {
        if (failure.kind() != ErrorKind::Device)
            throw;
        return scalar;
    }
}

constexpr std::int64_t wordNumbers = 8;  // bf16 numbers of what the shaders read at once

/// For weights and features that are read in words. No other variant computes few outputs.
ConvolutionProgram programOfWords(GpuPipelines& pipelines, const BoundVariant& by, std::int64_t outs,
                                  std::int64_t ins, const ConvolutionProgram& scalar) {
    const ConvolutionTiles& tiles = convolutionTable()[by.row];
    if (outs > static_cast<std::int64_t>(tiles.variant.extents.n))
        return convolutionBy(pipelines, by);
    const ConvolutionTiles* few = tiles.ofFewOuts;
    return standIn(pipelines, few != nullptr && ins % few->features == 0 ? few : nullptr, by, scalar);
}

/// Kernels of 3 × 3 × 3 for the trial, of rising size: what the decoder of Wan 2.1 has most of.
struct ConvolutionTrial {
    std::int64_t height;
    std::int64_t width;
    std::int64_t channels;  // of features and outputs
};
constexpr std::array convolutionTrials{ConvolutionTrial{16, 16, 96}, ConvolutionTrial{60, 104, 192},
                                       ConvolutionTrial{240, 416, 96}};

TrialProblem convolutionProblem(GpuPipelines& pipelines, std::size_t size) {
    constexpr std::int64_t taps = 27;
    const ConvolutionTrial& trial = convolutionTrials.at(size);
    const auto matrix = [&](std::int64_t rows, std::int64_t width) {
        auto buffer = std::make_shared<GpuBuffer>(
            pipelines.gpu(), static_cast<std::size_t>(rows * width) * byteSize(DType::BF16),
            GpuPlace::Device);
        return std::pair(buffer, GpuMatrix{.address = buffer->address(),
                                           .type = DType::BF16,
                                           .layout = {.rows = rows, .width = width, .stride = width}});
    };
    const std::int64_t pixels = trial.height * trial.width;
    const auto x = matrix(pixels, trial.channels);
    const auto weights = matrix(taps * trial.channels, trial.channels);
    const auto y = matrix(pixels, trial.channels);
    const GpuAddress frame = x.second.address;
    const GpuConvolution convolution{.frames = {frame, frame, frame},
                                     .like = x.second,
                                     .height = trial.height,
                                     .width = trial.width,
                                     .kernelFrames = 3,
                                     .kernelHeight = 3,
                                     .kernelWidth = 3,
                                     .firstRow = -1,
                                     .firstColumn = -1,
                                     .outHeight = trial.height,
                                     .outWidth = trial.width,
                                     .weights = weights.second};
    return {.flops = 2.0 * real(taps * pixels) * real(trial.channels * trial.channels),
            .record = [&pipelines, x, weights, y, convolution](const BoundVariant& by, GpuStream& stream) {
                recordConvolution(stream, convolutionBy(pipelines, by), convolution, y.second);
            }};
}

const std::string& convolutionRevision() {
    static const std::string revision =
        computeRevision(convolutionVariants(), {convolution_scalar_spirv, convolution_direct_spirv});
    return revision;
}

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

ConvolutionPrograms prepareConvolution(GpuPipelines& pipelines, const GpuMatrix& weights, std::int64_t ins,
                                       const std::optional<BoundVariant>& narrow) {
    ConvolutionPrograms programs{.scalar = scalarConvolution(pipelines)};
    if (!narrow)
        return programs;
    if (narrow->form == MatrixForm::Scalar) {
        programs.ofWords = programs.ofAny = programs.scalar;
        return programs;
    }
    const ConvolutionTiles& tiles = convolutionTable()[narrow->row];
    programs.ofAny = standIn(pipelines, tiles.gathering, *narrow, programs.scalar);
    programs.ofWords = weightsBeginAt(weights, wordNumbers) && ins % tiles.features == 0
                           ? programOfWords(pipelines, *narrow, weights.layout.width, ins, programs.scalar)
                           : programs.ofAny;
    for (ConvolutionProgram* program : {&programs.ofAny, &programs.ofWords})
        program->workScale = narrow->workScale;
    return programs;
}

void convolve(GpuStream& stream, const ConvolutionPrograms& by, const GpuConvolution& convolution,
              const GpuMatrix& y) {
    requireFit(convolution, y);
    const bool inWords = convolution.like.isNarrow() && pixelsBeginAt(convolution, wordNumbers);
    const ConvolutionProgram& ofNarrow = inWords ? by.ofWords : by.ofAny;
    const ConvolutionProgram& program =
        hasNarrowFactors(convolution) && framesRead(convolution) > 0 ? ofNarrow : by.scalar;
    if (program.program == nullptr)
        throw Error(ErrorKind::Internal, "a convolution on a GPU was not prepared for factors of bf16");
    recordConvolution(stream, program, convolution, y);
}

ConvolutionProgram scalarConvolution(GpuPipelines& pipelines, FactorReads reads) {
    return scalarConvolutionBy(
        pipelines, reads == FactorReads::Direct ? directConvolutionShader : sharedConvolutionShader);
}

// Variants that gather or have few outputs are represented by them.
const std::vector<MatrixVariant>& convolutionVariants() {
    static const std::vector<MatrixVariant> variants =
        selectVariants(convolutionTable(),
                       [](const ConvolutionTiles& tiles) { return !tiles.gathers && !tiles.forFewOuts(); });
    return variants;
}

KernelTrial convolutionTrial(GpuPipelines& pipelines) {
    return {
        .kernel = GpuKernel::Convolution,
        .variants = convolutionVariants(),
        .revision = convolutionRevision(),
        .build = [&pipelines](const BoundVariant& by) { static_cast<void>(convolutionBy(pipelines, by)); },
        .sizes = convolutionTrials.size(),
        .prepare = [&pipelines](std::size_t size) { return convolutionProblem(pipelines, size); }};
}

std::vector<std::string> convolutionBlocks() {
    std::vector<std::string> blocks;
    for (const MatrixVariant& variant : convolutionVariants())
        blocks.push_back(variant.block);
    return blocks;
}

bool hasConvolutionIn(MatrixForm form) {
    return form == MatrixForm::Scalar ||
           std::ranges::any_of(convolutionVariants(),
                               [&](const MatrixVariant& variant) { return variant.isIn(form); });
}

std::optional<MatrixForm> convolutionFormIn(const GpuTuning& tuning) {
    return fastestForm(tuning, GpuKernel::Convolution, convolutionRevision());
}

}  // namespace meshreel

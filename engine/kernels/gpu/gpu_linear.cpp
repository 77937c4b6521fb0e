// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/gpu/shader_check.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "linear_int8_dot.spv.h"
#include "linear_int8_scalar.spv.h"
#include "linear_int8_tiles.variants.h"
#include "linear_scalar.spv.h"
#include "linear_tiles.variants.h"
#include "round_rows.spv.h"

namespace meshreel {
namespace {

/// As linear_epilogue.glsl has them.
struct LinearConstants {
    GpuAddress x, weight, bias, gate, y;
    std::uint32_t rows, outs, ins, xStride, weightStride, yStride;
    std::uint32_t activation;
    std::uint32_t flags;
    GpuAddress rowScales, outScales;
};
static_assert(sizeof(LinearConstants) <= 128);

/// As round_rows.comp reads them.
struct RoundingConstants {
    GpuAddress x, values, scales;
    std::uint32_t width, stride, words, flags;
};

constexpr std::uint32_t narrowX = 1;
constexpr std::uint32_t narrowWeight = 2;
constexpr std::uint32_t narrowY = 4;
constexpr std::uint32_t withBias = 8;
constexpr std::uint32_t withGate = 16;
constexpr std::uint32_t addToY = 32;

constexpr std::uint32_t fourAtOnce = 64;

std::uint32_t word32(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

/// A shader with what it takes to record it.
struct LinearProgram {
    const GpuProgram& program;
    std::int64_t rows;       // of a group
    std::int64_t outs;       // of a group
    double workScale = 1.0;  // see TakenKernel
};

/// What products of int8 factors are multiplied by, f32; none for other factors.
struct LinearScales {
    GpuAddress rows = 0;
    GpuAddress outs = 0;
};

void recordLinear(GpuStream& stream, const LinearProgram& by, const GpuLinear& layer, const GpuMatrix& x,
                  const GpuMatrix& y, const GpuEpilogue& epilogue, const LinearScales& scales = {}) {
    const std::int64_t outs = y.layout.width;
    const double workOfRow = 2.0 * real(outs) * real(x.layout.width) * by.workScale;
    // Whole blocks, of which no dispatch has more than a submission should.
    const std::int64_t blocks = (y.layout.rows + by.rows - 1) / by.rows;
    const std::int64_t portion =
        rowsOfDispatch(blocks, workOfRow * real(by.rows), stream.portion()) * by.rows;
    constexpr std::size_t word = 16;
    const bool aligned = y.address % (4 * sizeOf(y.type)) == 0 && y.layout.stride % 4 == 0 &&
                         std::ranges::all_of(std::array{layer.bias, epilogue.gate, scales.outs},
                                             [](GpuAddress vector) { return vector % word == 0; });
    for (std::int64_t first = 0; first < y.layout.rows; first += portion) {
        const std::int64_t rows = std::min(portion, y.layout.rows - first);
        const LinearConstants constants{
            .x = x.slice(first, rows).address,
            .weight = layer.weight.address,
            .bias = layer.bias,
            .gate = epilogue.gate,
            .y = y.slice(first, rows).address,
            .rows = word32(rows),
            .outs = word32(outs),
            .ins = word32(x.layout.width),
            .xStride = word32(x.layout.stride),
            .weightStride = word32(layer.weight.layout.stride),
            .yStride = word32(y.layout.stride),
            .activation = static_cast<std::uint32_t>(epilogue.activation),
            .flags = (x.isNarrow() ? narrowX : 0U) | (layer.weight.isNarrow() ? narrowWeight : 0U) |
                     (y.isNarrow() ? narrowY : 0U) | (layer.bias != 0 ? withBias : 0U) |
                     (epilogue.gate != 0 ? withGate : 0U) | (epilogue.addToOutput ? addToY : 0U) |
                     (aligned ? fourAtOnce : 0U),
            .rowScales = scales.rows + static_cast<GpuAddress>(first) * sizeof(float),
            .outScales = scales.outs};
        stream.dispatch(
            by.program, constantBytes(constants),
            {.x = word32((outs + by.outs - 1) / by.outs), .y = word32((rows + by.rows - 1) / by.rows)},
            workOfRow * real(rows));
    }
}

// ---- Checks ----

/// The largest error of `record` on small values, in units of `allowed`. Rows and outputs are a whole block
/// and a part of one, in each direction.
double linearError(
    GpuStream& stream, std::int64_t rows, std::int64_t outs, std::int64_t ins, DType type, double allowed,
    const std::function<void(const GpuLinear&, const GpuMatrix& x, const GpuMatrix& y)>& record) {
    const CheckedValues x(stream.gpu(), rows, ins, 1, type);
    const CheckedValues weight(stream.gpu(), outs, ins, 2, type);
    const CheckedValues bias(stream.gpu(), 1, outs, 3);
    const CheckedValues y(stream.gpu(), rows, outs, 4);
    record({.weight = weight.matrix(), .bias = bias.address()}, x.matrix(), y.matrix());
    stream.finish();
    const std::vector<float> factors = x.read();
    const std::vector<float> weights = weight.read();
    const std::vector<float> biases = bias.read();
    const auto expected = [&](std::int64_t row, std::int64_t out) {
        auto sum = static_cast<double>(biases[static_cast<std::size_t>(out)]);
        for (std::int64_t k = 0; k < ins; ++k)
            sum += static_cast<double>(factors[static_cast<std::size_t>(row * ins + k)]) *
                   static_cast<double>(weights[static_cast<std::size_t>(out * ins + k)]);
        return sum;
    };
    return y.difference(expected, allowed);
}

// ---- Without matrix units ----

constexpr std::int64_t scalarBlock = 64;  // rows and outputs of a group

double checkScalar(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

const GpuShader linearShader{.name = "linear_scalar",
                             .words = linear_scalar_spirv,
                             .constants = sizeof(LinearConstants),
                             .check = checkScalar};

LinearProgram scalarProgram(GpuPipelines& pipelines) {
    return {.program = pipelines.program(linearShader), .rows = scalarBlock, .outs = scalarBlock};
}

double checkScalar(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& /*shader*/) {
    return linearError(stream, scalarBlock + 2, scalarBlock + 3, 19, DType::F32, 1e-5,
                       [&](const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
                           recordLinear(stream, scalarProgram(pipelines), layer, x, y, {});
                       });
}

// ---- On matrix units ----

/// A variant with the block of a group.
struct LinearTiles {
    MatrixVariant variant;
    std::int64_t rows;
    std::int64_t outs;
    std::int64_t inputs;  // of a step
    bool gathers;         // rows of any width and begin, and f32 weights
    VariantShaders shaders;
};

double checkTiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);
double checkInt8Tiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

/// See linear_tiles in engine/kernels/CMakeLists.txt for the numbers, linear_tiles.comp for the memory.
LinearTiles linearTiles(const MatrixExtents& extents, std::uint32_t subgroup,
                        const std::array<std::uint32_t, 3>& block, std::uint32_t rowParts,
                        std::uint32_t outParts, std::uint32_t stages, std::uint32_t gathered,
                        std::array<std::span<const std::uint32_t>, 5> words) {
    const auto [rows, outs, inputs] = block;
    const std::uint32_t factorBytes = words.front().empty() ? 1 : 2;  // int8
    constexpr std::uint32_t fourSums = 16;
    const std::uint32_t wordBytes = std::min(extents.k * factorBytes, fourSums);
    const std::uint32_t ofFactors = stages * (rows + outs) * (inputs * factorBytes + wordBytes);
    const std::uint32_t ofSums = rowParts * extents.m * (outs + outParts * 4) * 4;
    const MatrixVariant variant{
        .extents = extents,
        .subgroup = subgroup,
        .threads = rowParts * outParts * subgroup,
        .sharedBytes = std::max(ofFactors, ofSums),
        .block = fmt::format("{}x{}x{}.{}x{}x{}.{}x{}.{}", extents.m, extents.n, extents.k, rows, outs,
                             inputs, rowParts, outParts, stages),
        .words = words};
    const bool gathers = gathered == 1;
    return {.variant = variant,
            .rows = rows,
            .outs = outs,
            .inputs = inputs,
            .gathers = gathers,
            .shaders = {gathers ? "linear_tiles gathered" : "linear_tiles", variant, sizeof(LinearConstants),
                        factorBytes == 1 ? checkInt8Tiles : checkTiles}};
}

#define MESHREEL_LINEAR_INT8_TILES(m, n, k, subgroup, rows, outs, inputs, rowParts, outParts, stages, \
                                   gathered, int8)                                                    \
    linearTiles({m, n, k}, subgroup, {rows, outs, inputs}, rowParts, outParts, stages, gathered,      \
                {{{}, {}, {}, int8, {}}}),

#define MESHREEL_LINEAR_TILES(m, n, k, subgroup, rows, outs, inputs, rowParts, outParts, stages, gathered, \
                              nv, khr, khrNarrow)                                                          \
    linearTiles({m, n, k}, subgroup, {rows, outs, inputs}, rowParts, outParts, stages, gathered,           \
                {nv, khr, khrNarrow}),

std::span<const LinearTiles> linearTable() {
    static const std::array table{MESHREEL_LINEAR_TILES_VARIANTS(MESHREEL_LINEAR_TILES)};
    return table;
}

/// Those that are compared with each other; the gathering ones stand in for them.
const std::vector<MatrixVariant>& linearVariants() {
    static const std::vector<MatrixVariant> variants = [] {
        std::vector<MatrixVariant> all;
        for (std::size_t place = 0; place < linearTable().size(); ++place)
            if (!linearTable()[place].gathers) {
                all.push_back(linearTable()[place].variant);
                all.back().place = place;
            }
        return all;
    }();
    return variants;
}

LinearProgram tilesProgram(GpuPipelines& pipelines, const LinearTiles& tiles, const GpuShader& shader) {
    return {.program = pipelines.program(shader), .rows = tiles.rows, .outs = tiles.outs};
}

/// bf16 factors are exact in f16 too: these are below 1.
double checkTiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const LinearTiles& tiles = rowOf(linearTable(), shader);
    const std::int64_t ins = tiles.gathers ? 2 * tiles.inputs + 3 : 3 * tiles.inputs;
    return linearError(stream, tiles.rows + 2, tiles.outs + 3, ins, DType::BF16, 1e-4,
                       [&](const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
                           recordLinear(stream, tilesProgram(pipelines, tiles, shader), layer, x, y, {});
                       });
}

constexpr std::int64_t wordNumbers = 8;  // bf16 numbers of what the shader reads at once

bool isWordAligned(const GpuMatrix& matrix) {
    return matrix.isNarrow() && matrix.layout.stride % wordNumbers == 0 &&
           matrix.address % (static_cast<std::size_t>(wordNumbers) * sizeOf(DType::BF16)) == 0;
}

LinearProgram linearBy(GpuPipelines& pipelines, const GpuCandidate& candidate, const GpuLinear& layer,
                       const GpuMatrix& x) {
    if (candidate.variant == nullptr)
        return scalarProgram(pipelines);
    const LinearTiles& tiles = linearTable()[candidate.variant->place];
    if (isWordAligned(x) && isWordAligned(layer.weight) && x.layout.width % tiles.inputs == 0)
        return tilesProgram(pipelines, tiles, tiles.shaders.in(candidate.form));
    const auto gathering = std::ranges::find_if(linearTable(), [&](const LinearTiles& other) {
        return other.gathers && other.variant.extents == tiles.variant.extents;
    });
    return gathering == linearTable().end()
               ? scalarProgram(pipelines)
               : tilesProgram(pipelines, *gathering, gathering->shaders.in(candidate.form));
}

std::shared_ptr<const GpuBuffer> roomFor(const Gpu& gpu, std::int64_t elements, DType type) {
    return std::make_shared<GpuBuffer>(gpu, static_cast<std::size_t>(elements) * sizeOf(type),
                                       GpuPlace::Device);
}

GpuMatrix matrixAt(const GpuBuffer& buffer, std::int64_t rows, std::int64_t width) {
    return {.address = buffer.address(),
            .type = DType::BF16,
            .layout = {.rows = rows, .width = width, .stride = width}};
}

/// What the largest of some layers needs.
struct LayerRoom {
    std::int64_t x = 0;
    std::int64_t weight = 0;
    std::int64_t y = 0;
    double flops = 0;  // of all

    explicit LayerRoom(const std::vector<GpuLayerSize>& layers) {
        for (const GpuLayerSize& layer : layers) {
            x = std::max(x, layer.rows * layer.ins);
            weight = std::max(weight, layer.outs * layer.ins);
            y = std::max(y, layer.rows * layer.outs);
            flops += 2.0 * real(layer.rows) * real(layer.outs) * real(layer.ins) * real(layer.count);
        }
    }
};

/// Whatever the memory holds is multiplied.
TrialProblem prepareLinear(GpuPipelines& pipelines, const std::vector<GpuLayerSize>& layers) {
    const LayerRoom room(layers);
    const auto x = roomFor(pipelines.gpu(), room.x, DType::BF16);
    const auto weight = roomFor(pipelines.gpu(), room.weight, DType::BF16);
    const auto y = roomFor(pipelines.gpu(), room.y, DType::BF16);
    return {.flops = room.flops,
            .record = [&pipelines, layers, x, weight, y](const GpuCandidate& candidate, GpuStream& stream) {
                for (const GpuLayerSize& size : layers) {
                    const GpuLinear layer{.weight = matrixAt(*weight, size.outs, size.ins)};
                    const GpuMatrix rows = matrixAt(*x, size.rows, size.ins);
                    const LinearProgram program = linearBy(pipelines, candidate, layer, rows);
                    for (std::int64_t each = 0; each < size.count; ++each)
                        recordLinear(stream, program, layer, rows, matrixAt(*y, size.rows, size.outs), {});
                }
            }};
}

/// Layers of rising size.
constexpr std::array linearTrials{GpuLayerSize{.rows = 256, .outs = 256, .ins = 256},
                                  GpuLayerSize{.rows = 1024, .outs = 1024, .ins = 1024},
                                  GpuLayerSize{.rows = 4096, .outs = 3072, .ins = 3072}};

const std::string& linearRevision() {
    static const std::string revision = revisionOf(linearVariants());
    return revision;
}

KernelTrial linearTrial(GpuPipelines& pipelines) {
    return {.kernel = linearKernelName,
            .variants = linearVariants(),
            .revision = linearRevision(),
            .build =
                [&pipelines](const GpuCandidate& candidate) {
                    if (candidate.variant == nullptr)
                        return static_cast<void>(scalarProgram(pipelines));
                    const LinearTiles& tiles = linearTable()[candidate.variant->place];
                    static_cast<void>(pipelines.program(tiles.shaders.in(candidate.form)));
                },
            .sizes = linearTrials.size(),
            .prepare = [&pipelines](
                           std::size_t index) { return prepareLinear(pipelines, {linearTrials.at(index)}); }};
}

// ---- Of int8 weights ----

double checkInt8Scalar(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

const GpuShader roundShader{.name = "round_rows",
                            .words = round_rows_spirv,
                            .constants = sizeof(RoundingConstants),
                            .check = checkInt8Scalar};
const GpuShader int8Shader{.name = "linear_int8_scalar",
                           .words = linear_int8_scalar_spirv,
                           .constants = sizeof(LinearConstants),
                           .check = checkInt8Scalar};

/// Products of four bytes at once, which invocations of any subgroup make.
LinearTiles int8DotTiles() {
    constexpr std::uint32_t inputs = 64;
    const MatrixVariant variant{.extents = {.m = 1, .n = 1, .k = 4},
                                .threads = 64,
                                .sharedBytes = 2 * static_cast<std::uint32_t>(scalarBlock) * inputs,
                                .block = fmt::format("1x1x4.{0}x{0}x{1}", scalarBlock, inputs),
                                .words = {{{}, {}, {}, {}, linear_int8_dot_spirv}}};
    return {.variant = variant,
            .rows = scalarBlock,
            .outs = scalarBlock,
            .inputs = inputs,
            .gathers = false,
            .shaders = {"linear_tiles", variant, sizeof(LinearConstants), checkInt8Tiles}};
}

std::span<const LinearTiles> int8Table() {
    static const std::array table{int8DotTiles(),
                                  MESHREEL_LINEAR_INT8_TILES_VARIANTS(MESHREEL_LINEAR_INT8_TILES)};
    return table;
}

const std::vector<MatrixVariant>& int8Variants() {
    static const std::vector<MatrixVariant> variants = [] {
        std::vector<MatrixVariant> all;
        for (const LinearTiles& tiles : int8Table()) {
            all.push_back(tiles.variant);
            all.back().place = all.size() - 1;
        }
        return all;
    }();
    return variants;
}

const std::string& int8Revision() {
    static const std::string revision = revisionOf(int8Variants());
    return revision;
}

/// Rows that were rounded, or are to be, as the shaders of the products take them.
GpuMatrix roundedRows(GpuAddress values, std::int64_t rows, std::int64_t ins) {
    const std::int64_t width = int8RowWidth(ins);
    return {.address = values, .type = DType::U8, .layout = {.rows = rows, .width = width, .stride = width}};
}

void recordRounding(GpuPipelines& pipelines, GpuStream& stream, const GpuMatrix& x, const GpuInt8Room& room) {
    const GpuProgram& program = pipelines.program(roundShader);
    const std::int64_t width = int8RowWidth(x.layout.width);
    constexpr double operationsOfNumber = 4;
    const double workOfRow = operationsOfNumber * real(width);
    const std::int64_t portion = rowsOfDispatch(x.layout.rows, workOfRow, stream.portion());
    for (std::int64_t first = 0; first < x.layout.rows; first += portion) {
        const std::int64_t rows = std::min(portion, x.layout.rows - first);
        const RoundingConstants constants{
            .x = x.slice(first, rows).address,
            .values = roundedRows(room.values, x.layout.rows, x.layout.width).slice(first, rows).address,
            .scales = room.scales + static_cast<GpuAddress>(first) * sizeof(float),
            .width = word32(x.layout.width),
            .stride = word32(x.layout.stride),
            .words = word32(width / 4),
            .flags = x.isNarrow() ? narrowX : 0U};
        stream.dispatch(program, constantBytes(constants), {.x = word32(rows)}, workOfRow * real(rows));
    }
}

/// How products of rounded rows are checked and computed: by one program.
void recordInt8(GpuPipelines& pipelines, GpuStream& stream, const LinearProgram& by,
                const GpuInt8Linear& layer, const GpuMatrix& x, const GpuMatrix& y, const GpuInt8Room& room,
                const GpuEpilogue& epilogue) {
    const std::int64_t ins = x.layout.width;
    const GpuLinear rounded{.weight = roundedRows(layer.values, y.layout.width, ins), .bias = layer.bias};
    for (std::int64_t first = 0; first < x.layout.rows; first += int8RowsAtOnce) {
        const std::int64_t rows = std::min(int8RowsAtOnce, x.layout.rows - first);
        recordRounding(pipelines, stream, x.slice(first, rows), room);
        recordLinear(stream, by, rounded, roundedRows(room.values, rows, ins), y.slice(first, rows), epilogue,
                     {.rows = room.scales, .outs = layer.scales});
    }
}

/// Bytes that both CPU and GPU reach.
std::unique_ptr<GpuBuffer> sharedBytes(const Gpu& gpu, std::int64_t bytes) {
    return std::make_unique<GpuBuffer>(gpu, static_cast<std::size_t>(bytes), GpuPlace::Host);
}

/// As linearError(), of rounding and products together: sums of int8 numbers are exact, and a GPU may round a
/// number to the next one, a 127th away.
double int8Error(GpuPipelines& pipelines, GpuStream& stream, const LinearProgram& by) {
    const std::int64_t rows = by.rows + 2;
    const std::int64_t outs = by.outs + 3;
    constexpr std::int64_t ins = 3 * 128 - 5;
    const std::int64_t width = int8RowWidth(ins);
    // Freed behind the values below, which wait for the GPU.
    const auto roomValues = sharedBytes(stream.gpu(), rows * width);
    const auto weightValues = sharedBytes(stream.gpu(), outs * width);
    const CheckedValues x(stream.gpu(), rows, ins, 1);
    const CheckedValues weight(stream.gpu(), outs, ins, 2);
    const CheckedValues bias(stream.gpu(), 1, outs, 3);
    const CheckedValues y(stream.gpu(), rows, outs, 4);
    const CheckedValues rowScales(stream.gpu(), 1, rows, 5);
    const CheckedValues outScales(stream.gpu(), 1, outs, 6);
    const std::vector<float> weights = weight.read();
    const Int8Weight rounded = roundToInt8(Tensor::view(weights.data(), {outs, ins}, DType::F32, nullptr));
    std::ranges::fill(weightValues->mapped(), std::byte{0});
    for (std::int64_t row = 0; row < outs; ++row)
        std::ranges::copy(std::as_bytes(rounded.row(row)),
                          weightValues->mapped().begin() + static_cast<std::ptrdiff_t>(row * width));
    outScales.write(rounded.scales.data<float>());
    recordInt8(pipelines, stream, by,
               {.values = weightValues->address(), .scales = outScales.address(), .bias = bias.address()},
               x.matrix(), y.matrix(), {.values = roomValues->address(), .scales = rowScales.address()}, {});
    stream.finish();
    const std::vector<float> numbers = x.read();
    const std::vector<float> biases = bias.read();
    std::vector<std::int8_t> row(static_cast<std::size_t>(ins));
    float scale = 0;
    const auto expected = [&](std::int64_t at, std::int64_t out) {
        if (out == 0)
            scale =
                roundToInt8(std::span(numbers).subspan(static_cast<std::size_t>(at * ins), row.size()), row);
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < row.size(); ++i)
            sum += row[i] * rounded.row(out)[i];
        return static_cast<double>(sum) * static_cast<double>(scale) *
                   static_cast<double>(rounded.scales.data<float>()[static_cast<std::size_t>(out)]) +
               static_cast<double>(biases[static_cast<std::size_t>(out)]);
    };
    constexpr double twoSteps = 2.0 / 127.0;
    return y.difference(expected, twoSteps);
}

LinearProgram int8ScalarProgram(GpuPipelines& pipelines) {
    return {.program = pipelines.program(int8Shader), .rows = scalarBlock, .outs = scalarBlock};
}

LinearProgram int8Program(GpuPipelines& pipelines, const GpuCandidate& candidate) {
    if (candidate.variant == nullptr)
        return int8ScalarProgram(pipelines);
    const LinearTiles& tiles = int8Table()[candidate.variant->place];
    return tilesProgram(pipelines, tiles, tiles.shaders.in(candidate.form));
}

double checkInt8Tiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    return int8Error(pipelines, stream, tilesProgram(pipelines, rowOf(int8Table(), shader), shader));
}

/// Of rounding, too.
double checkInt8Scalar(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& /*shader*/) {
    return int8Error(pipelines, stream, int8ScalarProgram(pipelines));
}

/// Whatever the memory holds is multiplied.
TrialProblem prepareInt8(GpuPipelines& pipelines, const std::vector<GpuLayerSize>& layers) {
    LayerRoom room(layers);
    std::int64_t scales = 0;  // of rows or outputs
    for (const GpuLayerSize& layer : layers) {
        room.x = std::max(room.x, layer.rows * int8RowWidth(layer.ins));
        room.weight = std::max(room.weight, layer.outs * int8RowWidth(layer.ins));
        scales = std::max({scales, layer.rows, layer.outs});
    }
    const auto x = roomFor(pipelines.gpu(), room.x, DType::U8);
    const auto weight = roomFor(pipelines.gpu(), room.weight, DType::U8);
    const auto y = roomFor(pipelines.gpu(), room.y, DType::BF16);
    const auto factors = roomFor(pipelines.gpu(), scales, DType::F32);
    return {.flops = room.flops,
            .record = [&pipelines, layers, x, weight, y, factors](const GpuCandidate& candidate,
                                                                  GpuStream& stream) {
                const LinearProgram program = int8Program(pipelines, candidate);
                for (const GpuLayerSize& size : layers)
                    for (std::int64_t each = 0; each < size.count; ++each)
                        recordLinear(stream, program,
                                     {.weight = roundedRows(weight->address(), size.outs, size.ins)},
                                     roundedRows(x->address(), size.rows, size.ins),
                                     matrixAt(*y, size.rows, size.outs), {},
                                     {.rows = factors->address(), .outs = factors->address()});
            }};
}

KernelTrial int8Trial(GpuPipelines& pipelines) {
    return {
        .kernel = int8LinearKernelName,
        .variants = int8Variants(),
        .revision = int8Revision(),
        .build = [&pipelines](
                     const GpuCandidate& candidate) { static_cast<void>(int8Program(pipelines, candidate)); },
        .sizes = linearTrials.size(),
        .prepare =
            [&pipelines](std::size_t index) { return prepareInt8(pipelines, {linearTrials.at(index)}); }};
}

void requireFit(const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
    for (const GpuMatrix* matrix : {&layer.weight, &x, &y})
        requireGpuMatrix(*matrix);
    if (x.layout.rows != y.layout.rows || x.layout.width != layer.weight.layout.width ||
        y.layout.width != layer.weight.layout.rows)
        throw Error(ErrorKind::Internal, "a linear layer on a GPU does not fit its rows");
}

}  // namespace

void applyLinear(GpuPipelines& pipelines, GpuStream& stream, const GpuLinear& layer, const GpuMatrix& x,
                 const GpuMatrix& y, const GpuEpilogue& epilogue) {
    requireFit(layer, x, y);
    if (!x.isNarrow()) {
        recordLinear(stream, scalarProgram(pipelines), layer, x, y, epilogue);
        return;
    }
    const TakenKernel taken = takeFastest(pipelines, linearTrial(pipelines));
    LinearProgram program = linearBy(pipelines, taken.candidate, layer, x);
    program.workScale = taken.workScale;
    recordLinear(stream, program, layer, x, y, epilogue);
}

std::int64_t int8RowWidth(std::int64_t ins) {
    constexpr std::int64_t step = 128;
    return roundUp(ins, step);
}

void applyInt8Linear(GpuPipelines& pipelines, GpuStream& stream, const GpuInt8Linear& layer,
                     const GpuMatrix& x, const GpuMatrix& y, const GpuInt8Room& room,
                     const GpuEpilogue& epilogue) {
    for (const GpuMatrix* matrix : {&x, &y})
        requireGpuMatrix(*matrix);
    if (x.layout.rows != y.layout.rows)
        throw Error(ErrorKind::Internal, "a linear layer on a GPU does not fit its rows");
    const TakenKernel taken = takeFastest(pipelines, int8Trial(pipelines));
    LinearProgram program = int8Program(pipelines, taken.candidate);
    program.workScale = taken.workScale;
    recordInt8(pipelines, stream, program, layer, x, y, room, epilogue);
}

std::optional<MatrixForm> linearFormOn(GpuPipelines& pipelines, Arithmetic arithmetic) {
    const bool isInt8 = arithmetic == Arithmetic::Int8;
    const MeasuredKernel* known = pipelines.tuning().find(isInt8 ? int8LinearKernelName : linearKernelName,
                                                          isInt8 ? int8Revision() : linearRevision());
    const MeasuredVariant* fastest = known == nullptr ? nullptr : known->fastest();
    return fastest == nullptr ? std::nullopt : enumNamed<MatrixForm>(fastest->form);
}

GpuKernelSearch searchLinear(GpuWork& gpu, const std::vector<GpuLayerSize>& layers, Arithmetic arithmetic) {
    GpuPipelines& pipelines = gpu.pipelines();
    if (arithmetic == Arithmetic::Int8)
        return {gpu, int8Trial(pipelines), prepareInt8(pipelines, layers)};
    return {gpu, linearTrial(pipelines), prepareLinear(pipelines, layers)};
}

std::vector<MatrixForm> int8FormsOn(GpuPipelines& pipelines) {
    std::vector<MatrixForm> forms;
    for (const GpuCandidate& candidate : admittedCandidates(pipelines, int8Variants()))
        if (std::ranges::find(forms, candidate.form) == forms.end())
            forms.push_back(candidate.form);
    return forms;
}

std::vector<std::string> linearBlocks() {
    std::vector<std::string> blocks;
    for (const auto* variants : {&linearVariants(), &int8Variants()})
        for (const MatrixVariant& variant : *variants)
            if (std::ranges::find(blocks, variant.block) == blocks.end())
                blocks.push_back(variant.block);
    return blocks;
}

}  // namespace meshreel

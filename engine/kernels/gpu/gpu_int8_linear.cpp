// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_int8_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/gpu/gpu_linear_program.h"
#include "engine/kernels/gpu/linear_constants.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/gpu/shader_check.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "engine/kernels/ptx/ptx_linear.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"
#include "linear_int8_dot.spv.h"
#include "linear_int8_scalar.spv.h"
#include "linear_int8_tiles.variants.h"
#include "round_rows.spv.h"

namespace meshreel {
namespace {

/// Read by round_rows.comp.
struct RoundingConstants {
    GpuAddress x, values, scales;
    std::uint32_t width, stride, words, flags;
};

std::uint32_t roundingWord(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

double checkInt8Scalar(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

const GpuShader roundShader{.name = "round_rows",
                            .words = round_rows_spirv,
                            .constants = sizeof(RoundingConstants),
                            .check = checkInt8Scalar};
const GpuShader int8Shader{.name = "linear_int8_scalar",
                           .words = linear_int8_scalar_spirv,
                           .constants = sizeof(LinearConstants),
                           .check = checkInt8Scalar};

double checkInt8Tiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

/// Products of four bytes at once, which invocations of any subgroup make.
LinearTiles int8DotTiles() {
    constexpr std::uint32_t inputs = 64;
    const MatrixVariant variant{.extents = {.m = 1, .n = 1, .k = 4},
                                .threads = 64,
                                .sharedBytes = 2 * static_cast<std::uint32_t>(scalarLinearBlock) * inputs,
                                .block = fmt::format("1x1x4.{0}x{0}x{1}", scalarLinearBlock, inputs),
                                .words = {{{}, {}, {}, {}, linear_int8_dot_spirv}}};
    return {.variant = variant,
            .rows = scalarLinearBlock,
            .outs = scalarLinearBlock,
            .inputs = inputs,
            .gathers = false,
            .shaders = {"linear_tiles", variant, sizeof(LinearConstants), checkInt8Tiles}};
}

const std::vector<LinearTiles>& int8Table() {
    static const std::vector<LinearTiles> table = [] {
        std::vector<LinearTiles> all;
        all.push_back(int8DotTiles());
        for (const auto& row : std::to_array<LinearTilesRow>({MESHREEL_LINEAR_INT8_TILES_VARIANTS}))
            all.push_back(linearTiles(row, checkInt8Tiles));
        all.push_back(ptxLinearTiles(PtxFactors::Int8, checkInt8Tiles));
        all.push_back(hopperLinearTiles(PtxFactors::Int8, checkInt8Tiles));
        return all;
    }();
    return table;
}

void recordRounding(GpuStream& stream, const GpuProgram& program, const GpuMatrix& x,
                    const GpuInt8Room& room) {
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
            .width = roundingWord(x.layout.width),
            .stride = roundingWord(x.layout.stride),
            .words = roundingWord(width / 4),
            .flags = x.isNarrow() ? LinearFlag::narrowRowsOfX : 0U};
        stream.dispatch(program, constantBytes(constants), {.x = roundingWord(rows)}, workOfRow * real(rows));
    }
}

/// How products of rounded rows are checked and computed.
void recordInt8(GpuStream& stream, const PreparedInt8Linear& by, const GpuMatrix& x, const GpuMatrix& y,
                const GpuInt8Room& room, const GpuEpilogue& epilogue) {
    const std::int64_t ins = x.layout.width;
    const GpuLinear rounded{.weight = roundedRows(by.layer.values, y.layout.width, ins),
                            .bias = by.layer.bias};
    const LinearScales scales{.rows = room.scales, .outs = by.layer.scales};
    const bool takesFours = by.ofFours.program != nullptr && writesFours(rounded, y, epilogue, scales);
    const LinearProgram& products = takesFours ? by.ofFours : by.products;
    for (std::int64_t first = 0; first < x.layout.rows; first += int8RowsAtOnce) {
        const std::int64_t rows = std::min(int8RowsAtOnce, x.layout.rows - first);
        recordRounding(stream, *by.rounding, x.slice(first, rows), room);
        recordLinear(stream, products, rounded, roundedRows(room.values, rows, ins), y.slice(first, rows),
                     epilogue, scales);
    }
}

/// The largest error on small values, as of a float layer, of rounding and products together: sums of int8
/// numbers are exact, and a GPU may round a number to the next one, a 127th away.
double int8Error(GpuPipelines& pipelines, GpuStream& stream, const LinearProgram& by, std::int64_t outs) {
    const std::int64_t rows = by.rows + 2;
    constexpr std::int64_t ins = 3 * 128 - 5;
    const std::int64_t width = int8RowWidth(ins);
    const CheckedBytes roomValues(stream.gpu(), static_cast<std::size_t>(rows * width));
    const CheckedBytes weightValues(stream.gpu(), static_cast<std::size_t>(outs * width));
    const CheckedValues x(stream.gpu(), rows, ins, 1);
    const CheckedValues weight(stream.gpu(), outs, ins, 2);
    const CheckedValues bias(stream.gpu(), 1, outs, 3);
    const CheckedValues y(stream.gpu(), rows, outs, 4);
    const CheckedValues rowScales(stream.gpu(), 1, rows, 5);
    const CheckedValues outScales(stream.gpu(), 1, outs, 6);
    const std::vector<float> weights = weight.read();
    const Int8Weight rounded = roundToInt8(Tensor::view(weights.data(), {outs, ins}, DType::F32, nullptr));
    std::vector<std::byte> padded(static_cast<std::size_t>(outs * width));
    for (std::int64_t row = 0; row < outs; ++row)
        std::ranges::copy(std::as_bytes(rounded.row(row)),
                          padded.begin() + static_cast<std::ptrdiff_t>(row * width));
    weightValues.write(padded);
    outScales.write(rounded.scales.data<float>());
    recordInt8(
        stream,
        {.layer = {.values = weightValues.address(), .scales = outScales.address(), .bias = bias.address()},
         .rounding = &pipelines.program(roundShader),
         .products = by},
        x.matrix(), y.matrix(), {.values = roomValues.address(), .scales = rowScales.address()}, {});
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

LinearProgram scalarInt8Linear(GpuPipelines& pipelines) {
    return {.program = &pipelines.program(int8Shader), .rows = scalarLinearBlock, .outs = scalarLinearBlock};
}

double checkInt8Tiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const LinearTiles& tiles = rowOf(int8Table(), shader);
    return int8Error(pipelines, stream, programOf(pipelines, tiles, shader), checkedOuts(tiles));
}

/// Checks the rounding, too.
double checkInt8Scalar(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& /*shader*/) {
    const LinearProgram scalar = scalarInt8Linear(pipelines);
    return int8Error(pipelines, stream, scalar, scalar.outs + 3);
}

}  // namespace

const std::vector<MatrixVariant>& int8LinearVariants() {
    static const std::vector<MatrixVariant> variants =
        selectVariants(int8Table(), [](const LinearTiles&) { return true; });
    return variants;
}

const std::string& int8LinearRevision() {
    static const std::string revision = computeRevision(int8LinearVariants(), {linear_int8_scalar_spirv});
    return revision;
}

LinearProgram int8LinearProgram(GpuPipelines& pipelines, const BoundVariant& by) {
    if (by.form == MatrixForm::Scalar)
        return scalarInt8Linear(pipelines);
    const LinearTiles& tiles = int8Table()[by.row];
    LinearProgram program = programOf(pipelines, tiles, tiles.shaders.in(by.form));
    program.workScale = by.workScale;
    return program;
}

GpuMatrix roundedRows(GpuAddress values, std::int64_t rows, std::int64_t ins) {
    const std::int64_t width = int8RowWidth(ins);
    return {.address = values, .type = DType::U8, .layout = {.rows = rows, .width = width, .stride = width}};
}

std::int64_t int8RowWidth(std::int64_t ins) {
    constexpr std::int64_t step = 128;
    return roundUp(ins, step);
}

PreparedInt8Linear prepareInt8Linear(GpuPipelines& pipelines, const GpuInt8Linear& layer,
                                     const BoundKernel& by) {
    return {.layer = layer,
            .rounding = &pipelines.program(roundShader),
            .products = int8LinearProgram(pipelines, by.standIn),
            .ofFours = isOfPtx(by.fastest.form) ? int8LinearProgram(pipelines, by.fastest) : LinearProgram()};
}

void applyInt8Linear(GpuStream& stream, const PreparedInt8Linear& linear, const GpuMatrix& x,
                     const GpuMatrix& y, const GpuInt8Room& room, const GpuEpilogue& epilogue) {
    for (const GpuMatrix* matrix : {&x, &y})
        requireGpuMatrix(*matrix);
    if (x.layout.rows != y.layout.rows)
        throw Error(ErrorKind::Internal, "a linear layer on a GPU does not fit its rows");
    recordInt8(stream, linear, x, y, room, epilogue);
}

}  // namespace meshreel

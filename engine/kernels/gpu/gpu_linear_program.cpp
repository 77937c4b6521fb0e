// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_linear_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/numbers.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

// Flags of LinearConstants, beside narrowRowsOfX.
constexpr std::uint32_t narrowWeight = 2;
constexpr std::uint32_t narrowY = 4;
constexpr std::uint32_t withBias = 8;
constexpr std::uint32_t withGate = 16;
constexpr std::uint32_t addToY = 32;

constexpr std::uint32_t fourAtOnce = 64;

std::uint32_t linearWord(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

}  // namespace

void recordLinear(GpuStream& stream, const LinearProgram& by, const GpuLinear& layer, const GpuMatrix& x,
                  const GpuMatrix& y, const GpuEpilogue& epilogue, const LinearScales& scales) {
    const std::int64_t outs = y.layout.width;
    const double workOfRow = 2.0 * real(outs) * real(x.layout.width) * by.workScale;
    // Whole blocks, so that no dispatch has more than a submission should.
    const std::int64_t blocks = (y.layout.rows + by.rows - 1) / by.rows;
    const std::int64_t portion =
        rowsOfDispatch(blocks, workOfRow * real(by.rows), stream.portion()) * by.rows;
    constexpr std::size_t word = 16;
    const bool aligned = y.address % (4 * byteSize(y.type)) == 0 && y.layout.stride % 4 == 0 &&
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
            .rows = linearWord(rows),
            .outs = linearWord(outs),
            .ins = linearWord(x.layout.width),
            .xStride = linearWord(x.layout.stride),
            .weightStride = linearWord(layer.weight.layout.stride),
            .yStride = linearWord(y.layout.stride),
            .activation = static_cast<std::uint32_t>(epilogue.activation),
            .flags = (x.isNarrow() ? narrowRowsOfX : 0U) | (layer.weight.isNarrow() ? narrowWeight : 0U) |
                     (y.isNarrow() ? narrowY : 0U) | (layer.bias != 0 ? withBias : 0U) |
                     (epilogue.gate != 0 ? withGate : 0U) | (epilogue.addToOutput ? addToY : 0U) |
                     (aligned ? fourAtOnce : 0U),
            .rowScales = scales.rows + static_cast<GpuAddress>(first) * sizeof(float),
            .outScales = scales.outs};
        stream.dispatch(*by.program, constantBytes(constants),
                        {.x = linearWord((outs + by.outs - 1) / by.outs),
                         .y = linearWord((rows + by.rows - 1) / by.rows)},
                        workOfRow * real(rows));
    }
}

// See linear_tiles.comp for the memory.
LinearTiles linearTiles(const LinearTilesRow& row, VariantShaders::Check check) {
    const std::uint32_t factorBytes = row.words.front().empty() ? 1 : 2;  // int8
    constexpr std::uint32_t fourSums = 16;
    const std::uint32_t wordBytes = std::min(row.tileK * factorBytes, fourSums);
    const std::uint32_t ofFactors =
        row.stages * (row.blockRows + row.blockOuts) * (row.blockInputs * factorBytes + wordBytes);
    const std::uint32_t ofSums = row.rowParts * row.tileM * (row.blockOuts + row.outParts * 4) * 4;
    const MatrixVariant variant{
        .extents = {.m = row.tileM, .n = row.tileN, .k = row.tileK},
        .subgroup = row.subgroup,
        .threads = row.rowParts * row.outParts * row.subgroup,
        .sharedBytes = std::max(ofFactors, ofSums),
        .block = fmt::format("{}x{}x{}.{}x{}x{}.{}x{}.{}", row.tileM, row.tileN, row.tileK, row.blockRows,
                             row.blockOuts, row.blockInputs, row.rowParts, row.outParts, row.stages),
        .words = row.words};
    const bool gathers = row.gathered == 1;
    return {.variant = variant,
            .rows = row.blockRows,
            .outs = row.blockOuts,
            .inputs = row.blockInputs,
            .gathers = gathers,
            .shaders = {gathers ? "linear_tiles gathered" : "linear_tiles", variant, sizeof(LinearConstants),
                        check}};
}

LinearProgram programOf(GpuPipelines& pipelines, const LinearTiles& tiles, const GpuShader& shader) {
    return {.program = &pipelines.program(shader), .rows = tiles.rows, .outs = tiles.outs};
}

}  // namespace meshreel

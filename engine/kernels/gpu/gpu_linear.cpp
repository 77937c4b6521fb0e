// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_linear.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/gpu/gpu_linear_program.h"
#include "engine/kernels/gpu/linear_constants.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

std::uint32_t linearWord(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

constexpr std::int64_t linearWordNumbers = 8;  // bf16 numbers of what the shader reads at once

bool isReadInWords(const GpuMatrix& matrix) {
    return matrix.isNarrow() && matrix.layout.stride % linearWordNumbers == 0 &&
           matrix.address % (static_cast<std::size_t>(linearWordNumbers) * byteSize(DType::BF16)) == 0;
}

/// Whether four of y and of the vectors lie at multiples of 16 bytes.
bool liesInFours(const GpuLinear& layer, const GpuMatrix& y, const GpuEpilogue& epilogue,
                 const LinearScales& scales) {
    constexpr std::size_t word = 16;
    return y.address % (4 * byteSize(y.type)) == 0 && y.layout.stride % 4 == 0 &&
           std::ranges::all_of(std::array{layer.bias, epilogue.gate, scales.outs},
                               [](GpuAddress vector) { return vector % word == 0; });
}

void requireFit(const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
    for (const GpuMatrix* matrix : {&x, &y})
        requireGpuMatrix(*matrix);
    if (x.layout.rows != y.layout.rows || x.layout.width != layer.weight.layout.width ||
        y.layout.width != layer.weight.layout.rows)
        throw Error(ErrorKind::Internal, "a linear layer on a GPU does not fit its rows");
}

}  // namespace

BoundKernel boundTo(const BoundVariant& variant) {
    return {.fastest = variant, .standIn = isOfPtx(variant.form) ? BoundVariant() : variant};
}

PreparedLinear prepareLinear(GpuPipelines& pipelines, const GpuLinear& layer,
                             const std::optional<BoundKernel>& narrow) {
    requireGpuMatrix(layer.weight);
    PreparedLinear prepared{.layer = layer, .ofF32 = scalarLinear(pipelines)};
    if (!narrow)
        return prepared;
    const auto readsWeight = [&](const BoundVariant& by) {
        return layer.weight.layout.width % linearInputsOfStep(by) == 0 && isReadInWords(layer.weight);
    };
    if (isOfPtx(narrow->fastest.form) && readsWeight(narrow->fastest))
        prepared.ofFours = linearProgram(pipelines, narrow->fastest);
    const BoundVariant& shader = narrow->standIn;
    if (shader.form == MatrixForm::Scalar) {
        prepared.ofWords = prepared.ofAnyRows = prepared.ofF32;
        return prepared;
    }
    prepared.ofAnyRows = gatheringLinear(pipelines, shader, prepared.ofF32);
    prepared.ofWords = readsWeight(shader) ? linearProgram(pipelines, shader) : prepared.ofAnyRows;
    return prepared;
}

bool writesFours(const GpuLinear& layer, const GpuMatrix& y, const GpuEpilogue& epilogue,
                 const LinearScales& scales) {
    return y.layout.width % 4 == 0 && liesInFours(layer, y, epilogue, scales);
}

void applyLinear(GpuStream& stream, const PreparedLinear& linear, const GpuMatrix& x, const GpuMatrix& y,
                 const GpuEpilogue& epilogue) {
    requireFit(linear.layer, x, y);
    const bool takesFours = linear.ofFours.program != nullptr && writesFours(linear.layer, y, epilogue);
    const LinearProgram& ofWords = takesFours ? linear.ofFours : linear.ofWords;
    const LinearProgram& ofNarrow = isReadInWords(x) ? ofWords : linear.ofAnyRows;
    const LinearProgram& program = x.isNarrow() ? ofNarrow : linear.ofF32;
    if (program.program == nullptr)
        throw Error(ErrorKind::Internal, "a linear layer on a GPU was not prepared for rows of bf16");
    recordLinear(stream, program, linear.layer, x, y, epilogue);
}

void recordLinear(GpuStream& stream, const LinearProgram& by, const GpuLinear& layer, const GpuMatrix& x,
                  const GpuMatrix& y, const GpuEpilogue& epilogue, const LinearScales& scales) {
    const std::int64_t outs = y.layout.width;
    const double workOfRow = 2.0 * real(outs) * real(x.layout.width) * by.workScale;
    // Whole blocks, so that no dispatch has more than a submission should.
    const std::int64_t blocks = (y.layout.rows + by.rows - 1) / by.rows;
    const std::int64_t portion =
        rowsOfDispatch(blocks, workOfRow * real(by.rows), stream.portion()) * by.rows;
    const bool aligned = liesInFours(layer, y, epilogue, scales);
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
            .flags =
                (x.isNarrow() ? LinearFlag::narrowRowsOfX : 0U) |
                (layer.weight.isNarrow() ? LinearFlag::narrowWeight : 0U) |
                (y.isNarrow() ? LinearFlag::narrowY : 0U) | (layer.bias != 0 ? LinearFlag::withBias : 0U) |
                (epilogue.gate != 0 ? LinearFlag::withGate : 0U) |
                (epilogue.addToOutput ? LinearFlag::addToY : 0U) | (aligned ? LinearFlag::fourAtOnce : 0U),
            .rowScales = scales.rows == 0 ? 0 : scales.rows + static_cast<GpuAddress>(first) * sizeof(float),
            .outScales = scales.outs};
        const std::int64_t across = (outs + by.outs - 1) / by.outs;
        const std::int64_t down = (rows + by.rows - 1) / by.rows;
        const bool takesTurns = by.mostGroups > 0 && across * down > by.mostGroups;
        stream.dispatch(*by.program, constantBytes(constants),
                        takesTurns ? GroupCounts{.x = linearWord(by.mostGroups)}
                                   : GroupCounts{.x = linearWord(across), .y = linearWord(down)},
                        workOfRow * real(rows));
    }
}

}  // namespace meshreel

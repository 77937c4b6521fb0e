// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_linear.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/gpu/factor_reads.h"
#include "engine/kernels/gpu/gpu_linear_program.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/gpu/shader_check.h"
#include "engine/tensor/dtype.h"
#include "linear_direct.spv.h"
#include "linear_scalar.spv.h"
#include "linear_tiles.variants.h"

namespace meshreel {
namespace {

/// Returns the largest error of `record` on small values, in units of `allowed`. Rows and outputs fill a
/// whole block and a part of one, in each direction.
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

double checkScalarLinear(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

const GpuShader sharedLinearShader{.name = "linear_scalar",
                                   .words = linear_scalar_spirv,
                                   .constants = sizeof(LinearConstants),
                                   .check = checkScalarLinear};
const GpuShader directLinearShader{.name = "linear_direct",
                                   .words = linear_direct_spirv,
                                   .constants = sizeof(LinearConstants),
                                   .check = checkScalarLinear};

LinearProgram scalarLinearBy(GpuPipelines& pipelines, const GpuShader& shader) {
    return {.program = &pipelines.program(shader), .rows = scalarLinearBlock, .outs = scalarLinearBlock};
}

LinearProgram scalarLinear(GpuPipelines& pipelines) {
    return scalarLinear(pipelines, factorReadsOn(pipelines.gpu()));
}

double checkScalarLinear(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    return linearError(stream, scalarLinearBlock + 2, scalarLinearBlock + 3, 19, DType::F32, 1e-5,
                       [&](const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
                           recordLinear(stream, scalarLinearBy(pipelines, shader), layer, x, y, {});
                       });
}

// ---- On matrix units ----

double checkLinearTiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

const std::vector<LinearTiles>& linearTable() {
    static const std::vector<LinearTiles> table = [] {
        std::vector<LinearTiles> all;
        for (const auto& row : std::to_array<LinearTilesRow>({MESHREEL_LINEAR_TILES_VARIANTS}))
            all.push_back(linearTiles(row, checkLinearTiles));
        for (LinearTiles& tiles : all)
            for (const LinearTiles& other : all)
                if (other.gathers && tiles.gathering == nullptr &&
                    other.variant.extents == tiles.variant.extents)
                    tiles.gathering = &other;
        return all;
    }();
    return table;
}

/// bf16 factors are exact in f16 too: these are below 1.
double checkLinearTiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const LinearTiles& tiles = rowOf(linearTable(), shader);
    const std::int64_t ins = tiles.gathers ? 2 * tiles.inputs + 3 : 3 * tiles.inputs;
    return linearError(stream, tiles.rows + 2, tiles.outs + 3, ins, DType::BF16, 1e-4,
                       [&](const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
                           recordLinear(stream, programOf(pipelines, tiles, shader), layer, x, y, {});
                       });
}

constexpr std::int64_t linearWordNumbers = 8;  // bf16 numbers of what the shader reads at once

bool isReadInWords(const GpuMatrix& matrix) {
    return matrix.isNarrow() && matrix.layout.stride % linearWordNumbers == 0 &&
           matrix.address % (static_cast<std::size_t>(linearWordNumbers) * byteSize(DType::BF16)) == 0;
}

void requireFit(const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
    for (const GpuMatrix* matrix : {&x, &y})
        requireGpuMatrix(*matrix);
    if (x.layout.rows != y.layout.rows || x.layout.width != layer.weight.layout.width ||
        y.layout.width != layer.weight.layout.rows)
        throw Error(ErrorKind::Internal, "a linear layer on a GPU does not fit its rows");
}

/// What gathers rows or weights that a variant does not read in words; `scalar` where nothing else can.
LinearProgram gatheringProgram(GpuPipelines& pipelines, const LinearTiles& tiles, const BoundVariant& by,
                               const LinearProgram& scalar) {
    LinearProgram program = scalar;
    try {
        if (tiles.gathering != nullptr)
            program = programOf(pipelines, *tiles.gathering, tiles.gathering->shaders.in(by.form));
    } catch (const Error& failure) {
        if (failure.kind() != ErrorKind::Device)
            throw;
    }
    program.workScale = by.workScale;
    return program;
}

}  // namespace

LinearProgram scalarLinear(GpuPipelines& pipelines, FactorReads reads) {
    return scalarLinearBy(pipelines, reads == FactorReads::Direct ? directLinearShader : sharedLinearShader);
}

const std::vector<MatrixVariant>& linearVariants() {
    static const std::vector<MatrixVariant> variants =
        selectVariants(linearTable(), [](const LinearTiles& tiles) { return !tiles.gathers; });
    return variants;
}

const std::string& linearRevision() {
    static const std::string revision =
        computeRevision(linearVariants(), {linear_scalar_spirv, linear_direct_spirv});
    return revision;
}

LinearProgram linearProgram(GpuPipelines& pipelines, const BoundVariant& by) {
    if (by.form == MatrixForm::Scalar)
        return scalarLinear(pipelines);
    const LinearTiles& tiles = linearTable()[by.row];
    LinearProgram program = programOf(pipelines, tiles, tiles.shaders.in(by.form));
    program.workScale = by.workScale;
    return program;
}

PreparedLinear prepareLinear(GpuPipelines& pipelines, const GpuLinear& layer,
                             const std::optional<BoundVariant>& narrow) {
    requireGpuMatrix(layer.weight);
    PreparedLinear prepared{.layer = layer, .ofF32 = scalarLinear(pipelines)};
    if (!narrow)
        return prepared;
    if (narrow->form == MatrixForm::Scalar) {
        prepared.ofWords = prepared.ofAnyRows = prepared.ofF32;
        return prepared;
    }
    const LinearTiles& tiles = linearTable()[narrow->row];
    prepared.ofAnyRows = gatheringProgram(pipelines, tiles, *narrow, prepared.ofF32);
    prepared.ofWords = isReadInWords(layer.weight) && layer.weight.layout.width % tiles.inputs == 0
                           ? linearProgram(pipelines, *narrow)
                           : prepared.ofAnyRows;
    return prepared;
}

void applyLinear(GpuStream& stream, const PreparedLinear& linear, const GpuMatrix& x, const GpuMatrix& y,
                 const GpuEpilogue& epilogue) {
    requireFit(linear.layer, x, y);
    const LinearProgram& ofNarrow = isReadInWords(x) ? linear.ofWords : linear.ofAnyRows;
    const LinearProgram& program = x.isNarrow() ? ofNarrow : linear.ofF32;
    if (program.program == nullptr)
        throw Error(ErrorKind::Internal, "a linear layer on a GPU was not prepared for rows of bf16");
    recordLinear(stream, program, linear.layer, x, y, epilogue);
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_linear_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/gpu/factor_reads.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/gpu/shader_check.h"
#include "engine/kernels/ptx/hopper_linear.h"
#include "engine/kernels/ptx/warp_roles.h"
#include "engine/tensor/dtype.h"
#include "linear_direct.spv.h"
#include "linear_scalar.spv.h"
#include "linear_tiles.variants.h"

namespace meshreel {

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

LinearTiles ptxLinearTiles(PtxFactors factors, VariantShaders::Check check) {
    const bool isInt8 = factors == PtxFactors::Int8;
    constexpr std::uint32_t threads = 128;
    const std::uint32_t inputs = ptxLinearStepBytes / (isInt8 ? 1 : 2);
    // Its shared memory is what every card gives a block of PTX, whatever Vulkan's limit is.
    const MatrixVariant variant{
        .extents = {.m = 16, .n = 8, .k = isInt8 ? 32U : 16U},
        .threads = threads,
        .block = fmt::format("16x8x{}.{}x{}x{}", isInt8 ? 32 : 16, ptxLinearBlock, ptxLinearBlock, inputs),
        .ptx = {.form = isInt8 ? MatrixForm::PtxInt8 : MatrixForm::PtxBf16,
                .write = [factors] { return ptxLinear(factors); }}};
    return {.variant = variant,
            .rows = ptxLinearBlock,
            .outs = ptxLinearBlock,
            .inputs = inputs,
            .gathers = false,
            .shaders = {"linear", variant, sizeof(LinearConstants), check, linearAddresses}};
}

LinearTiles hopperLinearTiles(PtxFactors factors, VariantShaders::Check check) {
    const bool isInt8 = factors == PtxFactors::Int8;
    const std::uint32_t inputs = hopperLinearStepBytes / (isInt8 ? 1 : 2);
    const MatrixVariant variant{.extents = {.m = 64, .n = 8, .k = isInt8 ? 32U : 16U},
                                .threads = threadsOfRoles,
                                .block = fmt::format("64x8x{}.{}x{}x{}", isInt8 ? 32 : 16, hopperLinearRows,
                                                     hopperLinearOuts, inputs),
                                .ptx = {.form = isInt8 ? MatrixForm::PtxInt8 : MatrixForm::PtxBf16,
                                        .write = [factors] { return hopperLinear(factors); }}};
    return {.variant = variant,
            .rows = hopperLinearRows,
            .outs = hopperLinearOuts,
            .inputs = inputs,
            .gathers = false,
            .shaders = {"linear", variant, sizeof(LinearConstants), check, linearAddresses},
            .takesTurns = true};
}

std::int64_t checkedOuts(const LinearTiles& tiles) {
    return tiles.outs + (tiles.variant.isPtx() ? ptxLinearOuts : 3);
}

LinearProgram programOf(GpuPipelines& pipelines, const LinearTiles& tiles, const GpuShader& shader) {
    return {.program = &pipelines.program(shader),
            .rows = tiles.rows,
            .outs = tiles.outs,
            .mostGroups = tiles.takesTurns ? pipelines.gpu().matrices().processors : 0};
}

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
        all.push_back(ptxLinearTiles(PtxFactors::Bf16, checkLinearTiles));
        all.push_back(hopperLinearTiles(PtxFactors::Bf16, checkLinearTiles));
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
    return linearError(stream, tiles.rows + 2, checkedOuts(tiles), ins, DType::BF16, 1e-4,
                       [&](const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
                           recordLinear(stream, programOf(pipelines, tiles, shader), layer, x, y, {});
                       });
}

}  // namespace

LinearProgram scalarLinear(GpuPipelines& pipelines, FactorReads reads) {
    return scalarLinearBy(pipelines, reads == FactorReads::Direct ? directLinearShader : sharedLinearShader);
}

LinearProgram scalarLinear(GpuPipelines& pipelines) {
    return scalarLinear(pipelines, factorReadsOn(pipelines.gpu()));
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

LinearProgram gatheringLinear(GpuPipelines& pipelines, const BoundVariant& by, const LinearProgram& scalar) {
    const LinearTiles& tiles = linearTable()[by.row];
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

std::int64_t linearInputsOfStep(const BoundVariant& by) {
    return linearTable()[by.row].inputs;
}

}  // namespace meshreel

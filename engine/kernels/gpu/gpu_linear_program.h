// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/kernels/gpu/factor_reads.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/gpu/linear_constants.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/ptx/ptx_linear.h"

namespace meshreel {

/// Rows and outputs of a group of the scalar shaders.
inline constexpr std::int64_t scalarLinearBlock = 64;

/// Returns what multiplies rows and weights of any floating type without matrix units.
LinearProgram scalarLinear(GpuPipelines& pipelines, FactorReads reads);
/// Returns the same, by the quicker way of reading on this GPU.
LinearProgram scalarLinear(GpuPipelines& pipelines);

/// A variant with the block of a group.
struct LinearTiles {
    MatrixVariant variant;
    std::int64_t rows;
    std::int64_t outs;
    std::int64_t inputs;  // inputs of a step
    bool gathers;         // rows of any width and begin, and f32 weights
    VariantShaders shaders;
    const LinearTiles* gathering = nullptr;  // what gathers for products of the same extents
    bool takesTurns = false;  // its groups compute several blocks each: LinearProgram::mostGroups
};

/// A row of linear_tiles.table or linear_int8_tiles.table.
struct LinearTilesRow {
    std::uint32_t tileM, tileN, tileK, subgroup, blockRows, blockOuts, blockInputs, rowParts, outParts,
        stages, gathered;
    VariantWords words;
};

LinearTiles linearTiles(const LinearTilesRow& row, VariantShaders::Check check);

/// The kernels of PTX that multiply such factors, as rows of the same table: of mma.sync, and of wgmma.
LinearTiles ptxLinearTiles(PtxFactors factors, VariantShaders::Check check);
LinearTiles hopperLinearTiles(PtxFactors factors, VariantShaders::Check check);

/// Returns the outputs that the check of a variant computes: a whole block, and as much of a second one as it
/// writes at least.
std::int64_t checkedOuts(const LinearTiles& tiles);

LinearProgram programOf(GpuPipelines& pipelines, const LinearTiles& tiles, const GpuShader& shader);

/// Returns the variants that are compared with each other; the gathering ones are represented by them.
const std::vector<MatrixVariant>& linearVariants();
const std::vector<MatrixVariant>& int8LinearVariants();

/// Returns computeRevision() of those and of the scalar shaders.
const std::string& linearRevision();
const std::string& int8LinearRevision();

/// Returns what multiplies rows and weights of bf16 that lie as its shader reads them.
LinearProgram linearProgram(GpuPipelines& pipelines, const BoundVariant& by);
/// Returns what gathers rows or weights that the variant's shader does not read in words; `scalar` where
/// nothing else can.
LinearProgram gatheringLinear(GpuPipelines& pipelines, const BoundVariant& by, const LinearProgram& scalar);
/// Returns the inputs that the variant's shader multiplies in a step: it reads in words what is as wide as a
/// multiple of them.
std::int64_t linearInputsOfStep(const BoundVariant& by);
/// Returns what multiplies rounded rows by int8 weights.
LinearProgram int8LinearProgram(GpuPipelines& pipelines, const BoundVariant& by);

/// Returns rows that were rounded, or are to be, as the shaders of the products take them.
GpuMatrix roundedRows(GpuAddress values, std::int64_t rows, std::int64_t ins);

}  // namespace meshreel

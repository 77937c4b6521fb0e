// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/linear/linear_kernel.h"

namespace meshreel {

/// What a GPU does with the products of a linear layer: LinearEpilogue with the gate in its memory.
struct GpuEpilogue {
    LinearActivation activation = LinearActivation::None;
    GpuAddress gate = 0;  ///< f32 [out]; 0: none
    bool addToOutput = false;
};

/// A linear layer in a GPU's memory, as a checkpoint stores it: nothing is packed.
struct GpuLinear {
    GpuMatrix weight;     ///< [out, in]
    GpuAddress bias = 0;  ///< f32 [out]; 0: none
};

/// A shader of linear layers with what it takes to record it.
struct LinearProgram {
    const GpuProgram* program = nullptr;
    std::int64_t rows = 0;   ///< rows of a group
    std::int64_t outs = 0;   ///< outputs of a group
    double workScale = 1.0;  ///< see BoundVariant
    /// Groups of a dispatch at most, which then take the others' rows and outputs by turns; 0: each has its
    /// own.
    std::int64_t mostGroups = 0;
};

/// Returns how a kernel is bound that computes by one of its variants alone.
BoundKernel boundTo(const BoundVariant& variant);

/// A linear layer with the shaders that multiply rows by its weight: chosen once, then read.
struct PreparedLinear {
    GpuLinear layer;
    LinearProgram ofF32 = {};      ///< for rows of f32
    LinearProgram ofFours = {};    ///< a kernel of PTX: for rows as ofWords, into outputs as writesFours()
    LinearProgram ofWords = {};    ///< for rows of bf16 that each begin at a multiple of 16 bytes
    LinearProgram ofAnyRows = {};  ///< for other rows of bf16
};

/// What products of int8 factors are multiplied by, f32; none for other factors.
struct LinearScales {
    GpuAddress rows = 0;
    GpuAddress outs = 0;
};

/// Chooses the shaders of a layer. Rows of bf16 are multiplied as `narrow` says, by matrix units if they are
/// faster, or by a stand-in where the layer is not as its shader reads it; without `narrow` the layer takes
/// rows of f32 only. Throws Error{Internal} for weights that no kernel reads, Error{Device} when the GPU
/// refuses the shaders.
PreparedLinear prepareLinear(GpuPipelines& pipelines, const GpuLinear& layer,
                             const std::optional<BoundKernel>& narrow);

/// y [rows, out] = [y +] gate · activation(x [rows, in] · weightᵀ + bias), sums in f32: what
/// PackedMatrix::apply() computes. f32 rows are multiplied in f32. x and y must not overlap. Recorded, not
/// awaited. Throws Error{Internal} when the shapes do not fit, or the layer was not prepared for rows of this
/// type.
void applyLinear(GpuStream& stream, const PreparedLinear& linear, const GpuMatrix& x, const GpuMatrix& y,
                 const GpuEpilogue& epilogue = {});

/// Returns whether outputs are a multiple of four, and four of y, the layer's bias, the gate and the scales
/// lie at multiples of 16 bytes: what kernels of PTX need (LinearFlag::fourAtOnce, and whole fours).
bool writesFours(const GpuLinear& layer, const GpuMatrix& y, const GpuEpilogue& epilogue,
                 const LinearScales& scales = {});

/// y = [y +] gate · activation(x · weightᵀ + bias), in dispatches of a portion each. Shapes fit.
void recordLinear(GpuStream& stream, const LinearProgram& by, const GpuLinear& layer, const GpuMatrix& x,
                  const GpuMatrix& y, const GpuEpilogue& epilogue, const LinearScales& scales = {});

}  // namespace meshreel

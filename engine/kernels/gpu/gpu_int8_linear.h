// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_matrix.h"

namespace meshreel {

/// A linear layer of weights that roundToInt8() rounded, in a GPU's memory.
struct GpuInt8Linear {
    GpuAddress values = 0;  ///< int8 [out, int8RowWidth(in)], zeros after the inputs
    GpuAddress scales = 0;  ///< f32 [out]
    GpuAddress bias = 0;    ///< f32 [out]; 0: none
};

/// Returns the width of a row of int8 numbers as the shaders read it: a multiple of 128.
std::int64_t int8RowWidth(std::int64_t ins);

/// How many rows of x are rounded at once, at most.
inline constexpr std::int64_t int8RowsAtOnce = 8192;

/// Holds rounded rows for a while.
struct GpuInt8Room {
    GpuAddress values = 0;  ///< int8 [rows, int8RowWidth(in)]
    GpuAddress scales = 0;  ///< f32 [rows]
};

/// A layer of int8 weights with the shaders that compute it: chosen once, then read.
struct PreparedInt8Linear {
    GpuInt8Linear layer;
    const GpuProgram* rounding = nullptr;  ///< of rows
    LinearProgram products;
    LinearProgram ofFours = {};  ///< a kernel of PTX: into outputs as writesFours()
};

/// Prepares a layer whose products are computed as `by` says. Throws Error{Device} when the GPU refuses the
/// shaders.
PreparedInt8Linear prepareInt8Linear(GpuPipelines& pipelines, const GpuInt8Linear& layer,
                                     const BoundKernel& by);

/// Applies a layer of int8 weights as applyLinear() does: rounds x row by row as roundToInt8() does, sums
/// products exactly and scales them in f32. `room` has as many rows as x, int8RowsAtOnce at most.
void applyInt8Linear(GpuStream& stream, const PreparedInt8Linear& linear, const GpuMatrix& x,
                     const GpuMatrix& y, const GpuInt8Room& room, const GpuEpilogue& epilogue = {});

}  // namespace meshreel

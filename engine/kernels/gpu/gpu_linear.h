// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
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

/// y [rows, out] = [y +] gate · activation(x [rows, in] · weightᵀ + bias), sums in f32: what
/// PackedMatrix::apply() computes. Where x is bf16, the GPU's matrix units multiply if they are faster
/// (GpuKernel::Linear); f32 rows are multiplied in f32. x and y must not overlap. Recorded, not awaited.
/// Throws Error{Internal} when the shapes do not fit.
void applyLinear(GpuPipelines& pipelines, GpuStream& stream, const GpuLinear& layer, const GpuMatrix& x,
                 const GpuMatrix& y, const GpuEpilogue& epilogue = {});

}  // namespace meshreel

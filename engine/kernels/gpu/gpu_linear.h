// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gpu/gpu_pipelines.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_kernel.h"

namespace meshreel {

/// What a GPU does with the products of a linear layer: LinearEpilogue with the gate in its memory.
struct GpuEpilogue {
    LinearActivation activation = LinearActivation::None;
    GpuAddress gate = 0;  ///< f32 [out]; 0: none
    bool addToOutput = false;
};

/// A linear layer in a GPU's memory, as a checkpoint has it: nothing is packed.
struct GpuLinear {
    GpuMatrix weight;     ///< [out, in]
    GpuAddress bias = 0;  ///< f32 [out]; 0: none
};

/// A linear layer of weights that roundToInt8() rounded, in a GPU's memory.
struct GpuInt8Linear {
    GpuAddress values = 0;  ///< int8 [out, int8RowWidth(in)], zeros behind the inputs
    GpuAddress scales = 0;  ///< f32 [out]
    GpuAddress bias = 0;    ///< f32 [out]; 0: none
};

/// Of a row of int8 numbers as the shaders read it: a multiple of 128.
std::int64_t int8RowWidth(std::int64_t ins);

/// So many rows of x are rounded at once, at most.
inline constexpr std::int64_t int8RowsAtOnce = 8192;

/// Where rounded rows lie for a while.
struct GpuInt8Room {
    GpuAddress values = 0;  ///< int8 [rows, int8RowWidth(in)]
    GpuAddress scales = 0;  ///< f32 [rows]
};

/// Names of kernels among the measurements of a GPU (GpuTuning).
inline constexpr std::string_view linearKernelName = "linear";
inline constexpr std::string_view int8LinearKernelName = "linear int8";

/// Every way in which matrix units may cut a layer: values of VariantFilter::block.
std::vector<std::string> linearBlocks();

/// The form in which the GPU multiplies rows of bf16 by such weights; nothing when it has not been asked to,
/// or has no choice.
std::optional<MatrixForm> linearFormOn(GpuPipelines& pipelines, Arithmetic arithmetic);

/// The forms in which the GPU can multiply by int8 weights, as far as its tuning's filter admits them.
std::vector<MatrixForm> int8FormsOn(GpuPipelines& pipelines);

/// Layers of one size that are computed one after the other.
struct GpuLayerSize {
    std::int64_t rows = 0;
    std::int64_t outs = 0;
    std::int64_t ins = 0;
    std::int64_t count = 1;
};

/// The candidates for these layers together, on rows of bf16, or on rounded ones for int8. Throws
/// Error{Device} or Error{Resources} when the largest rows and weights do not fit the GPU's memory.
GpuKernelSearch searchLinear(GpuWork& gpu, const std::vector<GpuLayerSize>& layers, Arithmetic arithmetic);

/// y [rows, out] = [y +] gate · activation(x [rows, in] · weightᵀ + bias), sums in f32: what
/// PackedMatrix::apply() computes. Where x is bf16, the GPU's matrix units multiply if they are faster
/// (matrix_variants.h); f32 rows are multiplied in f32. x and y must not overlap. Recorded, not awaited.
/// Throws Error{Internal} when the shapes do not fit.
void applyLinear(GpuPipelines& pipelines, GpuStream& stream, const GpuLinear& layer, const GpuMatrix& x,
                 const GpuMatrix& y, const GpuEpilogue& epilogue = {});

/// The same of int8 weights: x is rounded row by row as roundToInt8() does, products are summed exactly and
/// scaled in f32. `room` has as many rows as x, int8RowsAtOnce at most.
void applyInt8Linear(GpuPipelines& pipelines, GpuStream& stream, const GpuInt8Linear& layer,
                     const GpuMatrix& x, const GpuMatrix& y, const GpuInt8Room& room,
                     const GpuEpilogue& epilogue = {});

}  // namespace meshreel

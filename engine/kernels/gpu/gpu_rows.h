// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/int8_rows.h"
#include "engine/kernels/rows/norms.h"
#include "engine/kernels/rows/rope.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

// Work on rows in a GPU's memory, sums in f32. Each is recorded, not awaited, and throws Error{Internal} when
// the shapes do not fit.

/// The programs that work on rows.
struct PreparedRows {
    const GpuProgram* layerNorm = nullptr;
    const GpuProgram* headNorm = nullptr;
    const GpuProgram* elementwise = nullptr;
    const GpuProgram* finite = nullptr;
};

/// Throws Error{Device} when the GPU refuses one of them.
PreparedRows prepareRows(GpuPipelines& pipelines);

/// Scale and shift of a norm, f32 [width]; 0: none. Both or neither.
struct GpuAffine {
    GpuAddress gamma = 0;
    GpuAddress beta = 0;
};

/// y = (x - mean)/√(variance + epsilon) · gamma + beta for each f32 row of x: what layerNorm() computes. y is
/// f32 or bf16, and may be x.
void layerNorm(GpuStream& stream, const PreparedRows& by, const GpuMatrix& x, double epsilon,
               const GpuAffine& affine, const GpuMatrix& y);

/// y = x/√(mean(x²) + epsilon) · gamma for each f32 row of x: what rmsNorm() computes. y as of layerNorm().
void rmsNorm(GpuStream& stream, const PreparedRows& by, const GpuMatrix& x, double epsilon, GpuAddress gamma,
             const GpuMatrix& y);

/// HeadNorm in a GPU's memory, for whole rows.
struct GpuHeadNorm {
    std::int64_t headDim = 0;
    GpuAddress gamma = 0;  ///< f32 [width]; 0: no norm
    double epsilon = 0;
    GpuAddress cosines = 0;   ///< f32 [tokens, headDim / 2]; 0: not rotated
    GpuAddress sines = 0;     ///< shaped as cosines
    std::int64_t tokens = 0;  ///< row i is token i mod tokens
};

/// Computes normaliseHeads() in place on x [batch · tokens, heads · headDim], f32 or bf16.
void normaliseHeads(GpuStream& stream, const PreparedRows& by, const GpuMatrix& x, const GpuHeadNorm& norm);

/// Computes into += values, of one size, each f32 or bf16.
void addRows(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values);

/// Computes into = values - into, each f32 or bf16.
void subtractFrom(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values);

/// Computes into *= values, each f32 or bf16.
void multiplyRows(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values);

/// Computes into += values · gate, each f32 or bf16; gate f32 [width].
void addGated(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values,
              GpuAddress gate);

/// Computes into = max(into + values, 0), each f32 or bf16.
void addAndRectify(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values);

/// Computes into = max(into, 0), f32 or bf16.
void rectify(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into);

/// Computes into = 3·tanh(values / 3), of one size, each f32 or bf16.
void boundTo3(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values);

/// Computes into = 2·into - 1: maps [0, 1] to [-1, 1].
void centre(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into);

/// Computes into = leakyRectify() of into, of into + values, and of into with a slope for each column, which
/// `slopes` holds as f32 [width]: each f32 or bf16.
void leakyRectify(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, float slope);
void addAndLeakyRectify(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into,
                        const GpuMatrix& values, float slope);
void leakyRectify(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, GpuAddress slopes);

/// Computes into = factor · into + values, of one size, each f32 or bf16.
void scaleAndAdd(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values,
                 float factor);

/// Computes into = values, of one size, each f32 or bf16.
void copyRows(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values);

/// How a GELU is computed: by tanh, by the error function, or as x/(1 + e^-1.702x).
enum class GeluForm : std::uint8_t { Tanh, Erf, Quick };

/// Replaces `into` by its GELU, f32 or bf16: what geluTanh(), geluErf() and geluQuick() compute.
void applyGelu(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, GeluForm form);

/// Computes into = values · scale, f32 or bf16: `values` int8 numbers of rows side by side, whose width is a
/// multiple of 4, `scales` f32 [rows].
void unpackInt8Rows(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, GpuAddress values,
                    GpuAddress scales);

/// Sets a bit of the 32-bit word `found` when a number of x, f32, is NaN or infinite.
void findNonFinite(GpuStream& stream, const PreparedRows& by, const GpuMatrix& x, GpuAddress found);

// The operations of rows/norms.h, rope.h, elementwise.h and int8_rows.h: dispatch() has checked that operands
// are in the GPU's memory.
void layerNorm(const OnVulkan& on, const MatrixView& x, double epsilon, const NormWeights& weights,
               const MatrixSpan& y);
void layerNorm(const OnVulkan& on, const MatrixView& x, double epsilon, std::span<const float> scale,
               std::span<const float> shift, const MatrixSpan& y);
void rmsNorm(const OnVulkan& on, const MatrixView& x, double epsilon, const MatrixView& gamma,
             const MatrixSpan& y);
void normaliseHeads(const OnVulkan& on, const MatrixSpan& x, const HeadNorm& norm,
                    std::span<const float> squares);
void activate(const OnVulkan& on, Activation& activation, const MatrixSpan& values);
void addRows(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values);
void subtractFrom(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values);
void multiplyRows(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values);
void addGated(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values,
              std::span<const float> gate);
void rectify(const OnVulkan& on, const MatrixSpan& into);
void addAndRectify(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values);
void boundTo3(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values);
void centre(const OnVulkan& on, const MatrixSpan& into);
void leakyRectify(const OnVulkan& on, const MatrixSpan& into, float slope);
void addAndLeakyRectify(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values, float slope);
void leakyRectify(const OnVulkan& on, const MatrixSpan& into, std::span<const float> slopes);
void scaleAndAdd(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values, float factor);
void copyRows(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values);
void unpackInt8Rows(const OnVulkan& on, const Int8Rows& packed, const MatrixSpan& into);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/kernels/attention/wide_attention.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_convolution.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Attention of one head that is wider than GpuAttentionInputs::widestHead, as within a frame of the VAE.
/// Holds the f32 scores of some of the queries at a time.
struct GpuWideAttention {
    GpuMatrix q = {};  ///< [queries, width], f32
    GpuMatrix k = {};  ///< [keys, width]
    GpuMatrix v = {};  ///< [keys, width]
    double scale = 1.0;

    /// Queries whose scores are computed together.
    [[nodiscard]] std::int64_t queriesAtOnce() const;
    /// Numbers, f32, that they need.
    [[nodiscard]] std::int64_t scratch() const { return queriesAtOnce() * k.layout.rows; }
};

/// The shaders of such an attention: chosen once, then read.
struct PreparedFrameAttention {
    LinearProgram scores;
    const GpuProgram* softmax;
    ConvolutionPrograms values;  ///< for the product with the values
};

/// Throws Error{Device} when the GPU refuses the shaders.
PreparedFrameAttention prepareFrameAttention(GpuPipelines& pipelines);

/// y [queries, width] = softmax(scale · q·kᵀ) · v, f32 or bf16, sums in f32; q is f32. `scores` has
/// attention.scratch() numbers. Recorded, not awaited. Throws Error{Internal} when the shapes do not fit.
void attend(GpuStream& stream, const PreparedFrameAttention& by, const GpuWideAttention& attention,
            GpuAddress scores, const GpuMatrix& y);

/// The operation of attention/wide_attention.h on a GPU.
void attendWidely(const OnVulkan& on, const WideAttention& attention, const MatrixSpan& y);

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_pixels.h"
#include "engine/kernels/gpu/gpu_rows.h"
#include "engine/kernels/gpu/gpu_wide_attention.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// The operations of a GPU that belong to no layer of a model: prepared for all models that use it
/// (prepareKernels), then read.
struct GpuOperations final : PreparedOperations {
    std::optional<PreparedAttention> narrowAttention = {};  ///< for GpuKernel::NarrowAttention
    std::optional<PreparedAttention> wideAttention = {};    ///< for GpuKernel::WideAttention
    std::optional<PreparedFrameAttention> frameAttention = {};
    std::optional<PreparedRows> rows = {};
    std::optional<PreparedPixels> pixels = {};
    const GpuProgram* attentionGuidance = nullptr;
    const GpuProgram* resampling = nullptr;
    std::vector<float> keyMarks = {};  ///< memory of the host for the mask that is sent next
};

/// Returns those of the GPU.
GpuOperations& operationsOf(GpuPipelines& pipelines);

/// Returns the programs that work on rows and on pixels, which layers of every kind need: prepared with the
/// first layer, or where none was, at the first call.
const PreparedRows& rowsOf(GpuPipelines& pipelines);
const PreparedPixels& pixelsOf(GpuPipelines& pipelines);

/// Returns the program of guided attention, prepared at the first call: few runs have it.
const GpuProgram& attentionGuidanceOf(GpuPipelines& pipelines);

/// Returns the program that resamples pictures, prepared at the first call.
const GpuProgram& resamplingOf(GpuPipelines& pipelines);

/// Prepares attention over heads of this width and type. Binds the kernel that bf16 needs first.
void prepareHeads(GpuPipelines& pipelines, std::int64_t headDim, DType type);

/// Returns how the GPU attends over heads of this width. Throws Error{Internal} when it was not prepared.
const PreparedAttention& attentionOf(GpuPipelines& pipelines, std::int64_t headDim);

}  // namespace meshreel

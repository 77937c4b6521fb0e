// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_operations.h"

#include <memory>

#include "engine/base/error.h"
#include "engine/kernels/gpu/gpu_attention_guidance.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_resample.h"

namespace meshreel {
namespace {

std::optional<PreparedAttention>& attentionIn(GpuOperations& operations, std::int64_t headDim) {
    return attentionKernel(headDim) == GpuKernel::NarrowAttention ? operations.narrowAttention
                                                                  : operations.wideAttention;
}

}  // namespace

GpuOperations& operationsOf(GpuPipelines& pipelines) {
    if (pipelines.prepared() == nullptr)
        pipelines.setPrepared(std::make_unique<GpuOperations>());
    return static_cast<GpuOperations&>(*pipelines.prepared());
}

const PreparedRows& rowsOf(GpuPipelines& pipelines) {
    std::optional<PreparedRows>& rows = operationsOf(pipelines).rows;
    if (!rows)
        rows = prepareRows(pipelines);
    return *rows;
}

const PreparedPixels& pixelsOf(GpuPipelines& pipelines) {
    std::optional<PreparedPixels>& pixels = operationsOf(pipelines).pixels;
    if (!pixels)
        pixels = preparePixels(pipelines);
    return *pixels;
}

const GpuProgram& attentionGuidanceOf(GpuPipelines& pipelines) {
    GpuOperations& operations = operationsOf(pipelines);
    if (operations.attentionGuidance == nullptr)
        operations.attentionGuidance = &prepareAttentionGuidance(pipelines);
    return *operations.attentionGuidance;
}

const GpuProgram& resamplingOf(GpuPipelines& pipelines) {
    GpuOperations& operations = operationsOf(pipelines);
    if (operations.resampling == nullptr)
        operations.resampling = &prepareResampling(pipelines);
    return *operations.resampling;
}

void prepareHeads(GpuPipelines& pipelines, std::int64_t headDim, DType type) {
    std::optional<PreparedAttention>& attention = attentionIn(operationsOf(pipelines), headDim);
    if (type == DType::BF16)
        attention = prepareAttention(pipelines, bindKernel(pipelines, attentionKernel(headDim)),
                                     attentionKernel(headDim));
    else if (!attention)
        attention = prepareAttention(pipelines, {}, attentionKernel(headDim));
}

const PreparedAttention& attentionOf(GpuPipelines& pipelines, std::int64_t headDim) {
    const std::optional<PreparedAttention>& attention = attentionIn(operationsOf(pipelines), headDim);
    if (!attention)
        throw Error(ErrorKind::Internal, "an attention on a GPU was not prepared for its heads");
    return *attention;
}

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/rows/attention_guidance.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Throws Error{Device} when the GPU refuses it.
const GpuProgram& prepareAttentionGuidance(GpuPipelines& pipelines);

/// guideAttention() of whole rows in a GPU's memory, sums in f32; recorded, not awaited. Throws
/// Error{Internal} for `norms`: no GPU holds a part of a row.
void guideAttention(const OnVulkan& on, const MatrixSpan& prompt, const MatrixView& negative,
                    const AttentionGuidance& guidance, std::span<const float> norms);

}  // namespace meshreel

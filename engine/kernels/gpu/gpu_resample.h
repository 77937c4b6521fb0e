// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/pixels/resample.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Returns the program of resample.comp. Throws Error{Device} when the GPU refuses it.
const GpuProgram& prepareResampling(GpuPipelines& pipelines);

// The operations of pixels/resample.h: dispatch() has checked that operands are in the GPU's memory. Each is
// recorded, not awaited.
void resizePicture(const OnVulkan& on, const PictureView& from, const PictureSpan& into, float factor);
void warpPicture(const OnVulkan& on, const PictureView& from, const MatrixView& flow,
                 const PictureSpan& into);
void unfoldPixels(const OnVulkan& on, const PictureView& from, std::int64_t side, const PictureSpan& into);
void blendBySigmoid(const OnVulkan& on, const MatrixView& one, const MatrixView& other,
                    const MatrixView& weight, const MatrixSpan& into);

}  // namespace meshreel

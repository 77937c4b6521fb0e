// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

// Work on the pixels of channel-last features in a GPU's memory. Each is recorded, not awaited, and throws
// Error{Internal} when the shapes do not fit.

/// The programs that work on pixels.
struct PreparedPixels {
    const GpuProgram* channelNorm = nullptr;
    const GpuProgram* shortcut = nullptr;
    const GpuProgram* bytes = nullptr;
};

/// Throws Error{Device} when the GPU refuses one of them.
PreparedPixels preparePixels(GpuPipelines& pipelines);

/// What ChannelNorm::apply() computes: y = x / max(‖x‖₂, 1e-12) · √C · gamma for each pixel of x [pixels, C],
/// then SiLU if `silu`. gamma: f32 [C]. x and y are f32 or bf16 each; y may be x.
void channelNorm(GpuStream& stream, const PreparedPixels& by, const GpuMatrix& x, GpuAddress gamma, bool silu,
                 const GpuMatrix& y);

/// Features [frames, height, width, channels] of f32 or bf16, side by side.
struct GpuFeatures {
    GpuAddress address = 0;
    DType type = DType::F32;
    std::int64_t frames = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 0;
};

/// Pixels that become one, or that one becomes, along each axis of a shortcut.
struct GpuShortcut {
    std::int64_t time = 1;
    std::int64_t space = 1;
};

/// What AveragingShortcut::addTo() and RepeatingShortcut::addTo() compute.
void addAveraged(GpuStream& stream, const PreparedPixels& by, const GpuShortcut& shortcut,
                 const GpuFeatures& source, const GpuFeatures& sum);
void addRepeated(GpuStream& stream, const PreparedPixels& by, const GpuShortcut& shortcut,
                 const GpuFeatures& source, const GpuFeatures& sum);

/// f32 features in [-1, 1], each pixel a square of patch × patch (see frameBytes()), as the bytes of
/// frames [frames, height · patch, width · patch, channels / patch²]: what toByte() computes. Whole
/// words are written: the memory at `bytes` begins and ends at multiples of 4.
void makeBytes(GpuStream& stream, const PreparedPixels& by, const GpuFeatures& features, std::int64_t patch,
               GpuAddress bytes);

/// Returns the operation of pixels/frame_bytes.h on a GPU. Waits for the bytes.
Tensor frameBytes(const OnVulkan& on, const Tensor& features, std::int64_t patch);

}  // namespace meshreel

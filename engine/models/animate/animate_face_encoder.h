// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/models/animate/animate_config.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// A causal convolution over frames; what is before the first frame is like it.
class FaceConvolution {
  public:
    /// Tensors NAME.weight [out, in, taps] and NAME.bias.
    FaceConvolution(const LayerTensors& tensors, const std::string& name, std::int64_t stride);

    /// f32 [(frames - 1) / stride + 1, out] of x f32 [frames, in].
    [[nodiscard]] Tensor apply(const Execution& execution, const Tensor& x) const;

  private:
    std::int64_t m_taps;
    std::int64_t m_stride;
    PackedMatrix m_matrix;  // [out, in · taps]
};

/// The motion of faces, frame by frame, to tokens of the transformer's width for each latent frame: some
/// heads of convolutions over time, and a learned token.
class FaceEncoder {
  public:
    /// `tensors` of layer "faces".
    FaceEncoder(const AnimateConfig& config, const LayerTensors& tensors);

    /// f32 [batch, latent frames - 1, faceTokens, innerDim] of motion f32 [batch, frames, motionDim].
    [[nodiscard]] Tensor encode(const Execution& execution, const Tensor& motion) const;

  private:
    [[nodiscard]] Tensor encodeVideo(const Execution& execution, const Tensor& motion) const;
    void normAndActivate(const Execution& execution, Tensor& x) const;

    AnimateConfig m_config;
    FaceConvolution m_heads;
    FaceConvolution m_second;
    FaceConvolution m_third;
    PackedMatrix m_out;
    Tensor m_learned;  // [1, 1, 1, innerDim]
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/layers/time_convolution.h"
#include "engine/models/probe.h"
#include "engine/models/wan/wan_config.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Encodes the motion in a face: convolutions that halve the image (StyleGAN's discriminator), a linear
/// network to coordinates along some directions, and their sum along an orthonormal basis of these.
class MotionEncoder {
  public:
    /// `tensors` of layer "faces".
    MotionEncoder(const AnimateConfig& config, const LayerTensors& tensors);

    /// f32 [frames, motionDim] of faces f32 [frames, 3, faceSide, faceSide]. Throws Error{Cancelled}. Probe:
    /// motion.conv_in, motion.resN, motion.conv_out [frames, channels, rows, columns], motion_Q.
    [[nodiscard]] Tensor encode(const Execution& execution, const Tensor& faces, const Probe& probe) const;

  private:
    class Image;
    class Intermediates;
    struct ResBlock {
        PackedConvolution first;
        PackedConvolution second;
        PackedConvolution skip;
    };

    [[nodiscard]] Image runBlock(const Execution& execution, const ResBlock& block, const Image& x) const;
    [[nodiscard]] Tensor features(const Execution& execution, const Tensor& face, Intermediates& seen) const;

    AnimateConfig m_config;
    PackedConvolution m_in;
    std::vector<ResBlock> m_blocks;
    PackedConvolution m_out;
    std::vector<PackedMatrix> m_network;
    Tensor m_basis;      // f32 [motionDim, directions]
    PackedMatrix m_sum;  // the same sum as a matrix product
};

/// Returns the orthonormal factor [rows, columns] of the reduced QR decomposition of f32 matrix [rows,
/// columns] + 1e-8, rows >= columns: Householder's, with LAPACK's signs (an element of R's diagonal has the
/// sign opposite to that of the column's element that it stands for). Computed in double.
Tensor orthonormalBasis(const Tensor& matrix);

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
    TimeConvolution m_heads;
    TimeConvolution m_second;
    TimeConvolution m_third;
    PackedMatrix m_out;
    Tensor m_learned;  // [1, 1, 1, innerDim]
};

}  // namespace meshreel

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/rows/channel_norm.h"
#include "engine/models/vae/vae_options.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// A VAE's checkpoint, read in a precision. Calls throw Error{Input} as Checkpoint::get.
class VaeWeights {
  public:
    VaeWeights(const Checkpoint& checkpoint, const VaePrecision& precision)
        : m_checkpoint(checkpoint), m_precision(precision) {}

    /// NAME.weight of this shape and NAME.bias, packed.
    [[nodiscard]] PackedConvolution convolution(const std::string& name, const Shape& weight,
                                                const ConvolutionGeometry& geometry = {}) const;

    /// NAME.gamma of this shape.
    [[nodiscard]] ChannelNorm norm(const std::string& name, const Shape& gamma,
                                   ChannelNorm::After after) const;

  private:
    [[nodiscard]] Tensor get(const std::string& name, const Shape& shape) const;

    const Checkpoint& m_checkpoint;
    VaePrecision m_precision;
};

}  // namespace meshreel

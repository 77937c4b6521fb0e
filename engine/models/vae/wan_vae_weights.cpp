// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_weights.h"

#include <utility>

namespace meshreel {

Tensor VaeWeights::get(const std::string& name, const Shape& shape) const {
    Tensor values = m_checkpoint.get(name, shape).toF32();
    if (m_precision.weights != DType::BF16)
        return values;
    Tensor rounded = Tensor::empty(shape, DType::BF16);
    convert(std::as_const(values).data<float>(), rounded.data<BFloat16>());
    return rounded.toF32();
}

PackedConvolution VaeWeights::convolution(const std::string& name, const Shape& weight,
                                          const ConvolutionGeometry& geometry) const {
    const Tensor values = get(name + ".weight", weight);
    return PackedConvolution::pack(values, get(name + ".bias", {weight[0]}), geometry,
                                   m_precision.products());
}

ChannelNorm VaeWeights::norm(const std::string& name, const Shape& gamma, ChannelNorm::After after) const {
    return ChannelNorm(get(name + ".gamma", gamma), after);
}

}  // namespace meshreel

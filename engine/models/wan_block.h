// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/attention/sharded_attention.h"
#include "engine/kernels/packed_matrix.h"
#include "engine/kernels/rope.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/layer_weights.h"
#include "engine/models/modulation.h"
#include "engine/models/probe.h"
#include "engine/models/residual_sum.h"
#include "engine/models/row_parallel_linear.h"
#include "engine/models/wan_attention_layer.h"
#include "engine/models/wan_precision.h"
#include "engine/models/wan_transformer_config.h"
#include "engine/models/wan_workspace.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Cross-attention keys and values of one block on one device.
struct TextKeyValue {
    Tensor key;    ///< [batch, this device's text tokens, heads / tensorDevices, headDim], normalised, of the
                   ///< activations' type
    Tensor value;  ///< as key
};

/// What a block gets besides the hidden states.
struct WanBlockInputs {
    const AttentionSettings& selfAttention;
    const AttentionSettings& crossAttention;
    const RotaryTable& rotary;         ///< of this device's tokens
    const Tensor& timestepProjection;  ///< [batch, 6, innerDim]
    const TextKeyValue& text;          ///< this block's
    std::int64_t tokens = 0;           ///< of the whole sequence
    std::int64_t textTokens = 0;       ///< of the whole text
    bool textSharded = false;          ///< over the context axis; every device holds all of it otherwise
    std::int64_t lastTextCount = 1;    ///< equal text tokens that the last one stands for
    const Probe& probe;
};

/// One transformer block: self-attention and feed-forward, scaled, shifted and gated by the timestep, with
/// cross-attention to the text between them. A device computes its tokens (of the context axis) and its heads
/// and feed-forward features (of the tensor axis).
class WanBlock {
  public:
    /// `tensors` of layer "block INDEX", whose memory is shared.
    WanBlock(const WanTransformerConfig& config, const WanPrecision& precision, const LayerTensors& tensors,
             std::int64_t index, const Device& device);

    /// Cross-attention keys and values of text [batch, tokens, innerDim].
    [[nodiscard]] TextKeyValue textKeyValue(Device& device, const Tensor& text) const;

    /// Updates work.hidden by what does not depend on the text. Probe: blockN.attn1_out, before its gate.
    void selfAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const;

    /// Updates work.hidden by the rest. Probe: blockN.attn2_out, .ffn_out (before its gate), .out.
    void finish(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const;

  private:
    void crossAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const;
    void feedForward(Device& device, const WanBlockInputs& inputs, const Modulation& modulation,
                     WanWorkspace& work) const;
    void report(const Probe& probe, std::string_view name, const Tensor& value) const;
    [[nodiscard]] ResidualSum residualSum(Device& device, const WanBlockInputs& inputs,
                                          const ResidualGate& gate, WanWorkspace& work,
                                          std::string_view name) const;

    WanTransformerConfig m_config;
    WanPrecision m_precision;
    std::string m_name;  // "block3"
    WanAttentionLayer m_self;
    WanAttentionLayer m_cross;
    Tensor m_crossNormWeight;  // [innerDim], or no elements
    Tensor m_crossNormBias;
    PackedMatrix m_up;
    RowParallelLinear m_down;
    Tensor m_scaleShift;  // [1, 6, innerDim]
};

}  // namespace meshreel

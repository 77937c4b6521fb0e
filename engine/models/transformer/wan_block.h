// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/attention/sharded_attention.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/transformer/modulation.h"
#include "engine/models/transformer/residual_sum.h"
#include "engine/models/transformer/row_parallel_linear.h"
#include "engine/models/transformer/wan_attention_layer.h"
#include "engine/models/transformer/wan_context.h"
#include "engine/models/transformer/wan_precision.h"
#include "engine/models/transformer/wan_transformer_config.h"
#include "engine/models/transformer/wan_workspace.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Keys that no step changes, and how they are attended to.
struct CrossAttention {
    AttentionSettings settings;
    CrossTokens tokens;
};

/// What a block gets besides the hidden states.
struct WanBlockInputs {
    const AttentionSettings& selfAttention;
    const CrossAttention& text;
    const CrossAttention& image;       ///< of models with an image
    bool crossSharded = false;         ///< text and image over the context axis; every device holds all of
                                       ///< them otherwise
    const RotaryTable& rotary;         ///< of this device's tokens
    const Tensor& timestepProjection;  ///< [times, 6 · innerDim]
    const TokenTimes& times;           ///< of this device's tokens
    const BlockContext& context;       ///< this block's
    std::int64_t tokens = 0;           ///< of the whole sequence
    const Probe& probe;
};

/// One transformer block: self-attention and feed-forward, scaled, shifted and gated by the timestep, with
/// cross-attention to the text (and the image) between them. A device computes its tokens (of the context
/// axis) and its heads and feed-forward features (of the tensor axis).
class WanBlock {
  public:
    /// `tensors` of the block's layer, whose memory is shared; `name` is what a probe is told: "block3".
    WanBlock(const WanTransformerConfig& config, const WanPrecision& precision, const LayerTensors& tensors,
             std::string name, const Device& device);

    /// Cross-attention keys and values of text and, where the model has one, image [batch, tokens, innerDim].
    [[nodiscard]] BlockContext contextOf(Device& device, const Tensor& text,
                                         const std::optional<Tensor>& image) const;

    /// Updates work.hidden by what does not depend on the context. Probe: NAME.attn1_out, before its gate.
    void selfAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const;

    /// Updates work.hidden by the rest. Probe: NAME.attn2_out, .ffn_out (before its gate), .out.
    void finish(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const;

  private:
    [[nodiscard]] CrossKeyValue emptyKeyValue(Device& device, const Tensor& tokens) const;
    void crossAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const;
    void feedForward(Device& device, const WanBlockInputs& inputs, const Modulation& modulation,
                     WanWorkspace& work) const;
    void addImageAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const;
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

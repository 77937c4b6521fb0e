// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/attention/attention.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/matmul.h"
#include "engine/kernels/rope.h"
#include "engine/models/modulation.h"
#include "engine/models/probe.h"
#include "engine/models/wan_transformer_config.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// Buffers of one forward pass, made once and used by every block.
struct WanWorkspace {
    WanWorkspace(const WanTransformerConfig& config, std::int64_t batch, std::int64_t tokens);

    [[nodiscard]] std::int64_t batch() const { return hidden.extent(0); }
    [[nodiscard]] std::int64_t tokens() const { return hidden.extent(1); }
    [[nodiscard]] std::int64_t rows() const { return batch() * tokens(); }

    Tensor hidden;       ///< [batch, tokens, innerDim]: the residual stream
    Tensor normed;       ///< as hidden
    Tensor query;        ///< as hidden
    Tensor key;          ///< as hidden
    Tensor value;        ///< as hidden
    Tensor attended;     ///< as hidden
    Tensor projected;    ///< as hidden: what a sub-layer adds
    Tensor feedForward;  ///< [batch, tokens, ffnDim]
};

/// Projections of one attention, and the norms of its queries and keys where the model has them.
class WanAttentionWeights {
  public:
    /// Tensors PREFIX.to_q … PREFIX.norm_k. Upstream makes the norms whatever qk_norm says, so that with
    /// qk_norm null they are used when the checkpoint holds them.
    WanAttentionWeights(const WanTransformerConfig& config, const Checkpoint& checkpoint,
                        const std::string& prefix);

    /// Each [rows, innerDim] from x [rows, innerDim].
    void query(const Execution& execution, std::span<const float> x, std::span<float> out) const;
    void key(const Execution& execution, std::span<const float> x, std::span<float> out) const;
    void value(const Execution& execution, std::span<const float> x, std::span<float> out) const;
    void output(const Execution& execution, std::span<const float> x, std::span<float> out) const;

  private:
    void project(const Execution& execution, const PackedMatrix& matrix, const std::optional<Tensor>& norm,
                 std::span<const float> x, std::span<float> out) const;

    double m_epsilon;
    PackedMatrix m_query;
    PackedMatrix m_key;
    PackedMatrix m_value;
    PackedMatrix m_output;
    std::optional<Tensor> m_queryNorm;  // [innerDim]
    std::optional<Tensor> m_keyNorm;    // [innerDim]
};

/// What a block gets besides the hidden states.
struct WanBlockInputs {
    const AttentionSettings& attention;
    const RotaryTable& rotary;
    const Tensor& timestepProjection;  ///< [batch, 6, innerDim]
    const Tensor& textKeys;            ///< [batch, textTokens, innerDim], this block's
    const Tensor& textValues;          ///< as textKeys
    const Probe& probe;
};

/// One transformer block: self-attention and feed-forward, scaled, shifted and gated by the timestep, with
/// cross-attention to the text between them.
class WanBlock {
  public:
    WanBlock(const WanTransformerConfig& config, const Checkpoint& checkpoint, std::int64_t index);

    /// Cross-attention keys and values of text [batch, tokens, innerDim].
    [[nodiscard]] Tensor textKeys(const Execution& execution, const Tensor& text) const;
    [[nodiscard]] Tensor textValues(const Execution& execution, const Tensor& text) const;

    /// Updates work.hidden. Probe: blockN.attn1_out, .attn2_out, .ffn_out (before gates), .out.
    void forward(const Execution& execution, const WanBlockInputs& inputs, WanWorkspace& work) const;

  private:
    WanBlock(const WanTransformerConfig& config, const Checkpoint& checkpoint, std::int64_t index,
             const std::string& prefix);

    void selfAttention(const Execution& execution, const WanBlockInputs& inputs, const Modulation& modulation,
                       WanWorkspace& work) const;
    void crossAttention(const Execution& execution, const WanBlockInputs& inputs, WanWorkspace& work) const;
    void feedForward(const Execution& execution, const WanBlockInputs& inputs, const Modulation& modulation,
                     WanWorkspace& work) const;
    void attendHeads(const Execution& execution, const AttentionSettings& settings, const Tensor& key,
                     const Tensor& value, WanWorkspace& work) const;
    void report(const Probe& probe, std::string_view name, const Tensor& value) const;

    WanTransformerConfig m_config;
    std::string m_name;  // "block3"
    WanAttentionWeights m_self;
    WanAttentionWeights m_cross;
    Tensor m_crossNormWeight;  // [innerDim], or no elements
    Tensor m_crossNormBias;
    PackedMatrix m_up;
    PackedMatrix m_down;
    Tensor m_scaleShift;  // [1, 6, innerDim]
};

}  // namespace meshreel

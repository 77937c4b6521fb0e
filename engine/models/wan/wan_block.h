// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/attention/attention_plan.h"
#include "engine/attention/fixed_m_log.h"
#include "engine/attention/paired_keys.h"
#include "engine/attention/sharded_attention.h"
#include "engine/attention/sparse_log.h"
#include "engine/attention/sparse_tokens.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/attention_guidance.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/wan/modulation.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_workspace.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The projections of one attention, and the norms of its queries and keys if the model has them: where they
/// are in a layer's tensors, and how they are applied. `weights` are those of the pass. A device computes the
/// heads of its part of the tensor axis: "width" is their features together. Matrices are f32 or bf16.
class WanAttentionLayer {
  public:
    /// Tensors PREFIX.to_q … PREFIX.norm_k, and PREFIX.add_k_proj … PREFIX.norm_added_k where `withAdded`.
    WanAttentionLayer(const WanTransformerConfig& config, const LayerSlots& slots, const std::string& prefix,
                      bool withAdded = false);

    /// Queries, keys and values [rows, width] of x [rows, innerDim]; queries and keys turned by `rotary`.
    void project(Device& device, const LayerTensors& weights, const MatrixView& x, const RotaryTable& rotary,
                 const MatrixSpan& query, const MatrixSpan& key, const MatrixSpan& value) const;

    /// Queries [rows, width] of x [rows, innerDim].
    void projectQuery(Device& device, const LayerTensors& weights, const MatrixView& x,
                      const MatrixSpan& query) const;

    /// Keys and values [rows, width] of x [rows, innerDim].
    void projectKeyValue(Device& device, const LayerTensors& weights, const MatrixView& x,
                         const MatrixSpan& key, const MatrixSpan& value) const;

    /// Projects with the model's projections for images (PREFIX.add_k_proj, .add_v_proj).
    void projectAddedKeyValue(Device& device, const LayerTensors& weights, const MatrixView& x,
                              const MatrixSpan& key, const MatrixSpan& value) const;

    /// Projects attention results [rows, width] to [rows, innerDim], to be summed over the tensor axis.
    [[nodiscard]] const PackedMatrix& output(const LayerTensors& weights) const {
        return weights.matrix(m_output);
    }

  private:
    using Slot = std::size_t;
    struct Normed {
        MatrixSpan values;          // [rows, width]
        std::optional<Slot> gamma;  // [width]
    };
    void normalise(Device& device, const LayerTensors& weights, std::span<const Normed> all,
                   const RotaryTable* rotary) const;
    [[nodiscard]] HeadNorm toNorm(const LayerTensors& weights, const Normed& normed,
                                  const RotaryTable* rotary) const;

    std::int64_t m_innerDim;
    std::int64_t m_headDim;
    double m_epsilon;
    Slot m_query;
    Slot m_key;
    Slot m_value;
    Slot m_output;
    std::optional<Slot> m_queryNorm;
    std::optional<Slot> m_keyNorm;
    std::optional<Slot> m_addedKey;
    std::optional<Slot> m_addedValue;
    std::optional<Slot> m_addedKeyNorm;
};

/// What a block gets besides its weights and the hidden states.
struct WanBlockInputs {
    const AttentionPlans& attention;
    const AttentionPlan& self;   ///< of this block in this pass
    const SparseTokens* sparse;  ///< where `self` leaves blocks out
    bool checksSparse = false;   ///< this block compares with dense attention
    const CrossTokens& text;
    const CrossTokens& image;     ///< for models with an image
    const CrossTokens& negative;  ///< of context.negative
    const AttentionGuidance& guidance;
    const RotaryTable& rotary;          ///< for this device's tokens
    const Tensor& timestepProjection;   ///< [times, 6 · innerDim]
    const TokenTimes& times;            ///< for this device's tokens
    const BlockContext& context;        ///< this block's
    std::int64_t tokens = 0;            ///< in the whole sequence
    std::span<const BiasedKeys> timed;  ///< of the text
    std::int64_t tokensPerFrame = 1;
    FixedMLog& fixedM;  ///< for self-attention
    SparseLog& left;    ///< likewise: what it leaves out
    const Probe& probe;
    std::span<const BiasedKeys> biasedSelf = {};  ///< in self-attention
    const PairedKeys* paired = nullptr;  ///< that self-attention sees beside the sequence's; null: none
};

/// What a block is called.
struct WanBlockNames {
    std::string probe;  ///< "block3"
    std::string trace;  ///< "transformer_block 3"
    std::string error;  ///< "block 3", of a NonFiniteError
};

/// One transformer block: self-attention and feed-forward, scaled, shifted and gated by the timestep, with
/// cross-attention to the text (and the image) between them. It is made once for a transformer and knows
/// where its tensors stand; `weights`, the tensors themselves, come with each pass, because they may have
/// been read or gathered for it. A device computes its tokens (of the context axis) and its heads and
/// feed-forward features (of the tensor axis).
class WanBlock {
  public:
    /// `slots` of the block's layer.
    WanBlock(const WanTransformerConfig& config, const WanPrecision& precision, const LayerSlots& slots,
             WanBlockNames names);
    WanBlock(const WanBlock&) = delete;
    WanBlock& operator=(const WanBlock&) = delete;
    WanBlock(WanBlock&&) noexcept = default;
    WanBlock& operator=(WanBlock&&) noexcept = default;
    ~WanBlock() = default;

    [[nodiscard]] const WanBlockNames& names() const { return m_names; }

    /// Cross-attention keys and values of text and, if they are given, image and negative text [batch,
    /// tokens, innerDim], in the memory in which the device computes.
    [[nodiscard]] BlockContext makeContext(Device& device, const LayerTensors& weights, const Tensor& text,
                                           const std::optional<Tensor>& image,
                                           const std::optional<Tensor>& negative = {}) const;

    /// Sets what the timestep makes of the block's scales, shifts and gates.
    void modulate(const LayerTensors& weights, const WanBlockInputs& inputs, Modulation& modulation) const;

    // Both follow modulate() of work.modulation.
    /// Updates work.hidden by what does not depend on the context. Probe: NAME.attn1_out, before its gate.
    void selfAttention(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                       WanWorkspace& work) const;
    // selfAttention() in two: the queries, keys and values of the tokens, into `work`, and what is done with
    // them, which may overwrite them.
    void project(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                 WanWorkspace& work) const;
    void attend(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                WanWorkspace& work) const;

    /// Updates work.hidden by the rest. Probe: NAME.attn2_out, .ffn_out (before its gate), .out; with an
    /// image .attn2.z_img, with attention guidance .attn2.z_pos, .z_neg and .guided [batch, tokens, this
    /// device's features].
    void finish(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                WanWorkspace& work) const;

  private:
    using Slot = std::size_t;

    [[nodiscard]] CrossKeyValue emptyKeyValue(Device& device, const Tensor& tokens) const;
    void crossAttention(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                        WanWorkspace& work) const;
    [[nodiscard]] CrossKeyValue textKeyValue(Device& device, const LayerTensors& weights,
                                             const Tensor& text) const;
    void guideTextAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const;
    void addImageAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const;
    void feedForward(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                     WanWorkspace& work) const;
    void report(const Probe& probe, std::string_view name, const Tensor& value) const;
    /// `heads` [batch, tokens, heads, headDim], as rows.
    void reportHeads(const Probe& probe, std::string_view name, const Tensor& heads) const;
    [[nodiscard]] ResidualSum residualSum(Device& device, const WanBlockInputs& inputs,
                                          const ResidualGate& gate, WanWorkspace& work,
                                          std::string_view name) const;

    std::int64_t m_heads;
    std::int64_t m_headDim;
    double m_epsilon;
    DType m_activations;
    WanBlockNames m_names;
    WanAttentionLayer m_self;
    WanAttentionLayer m_cross;
    std::optional<Slot> m_crossNormWeight;  // [innerDim]
    std::optional<Slot> m_crossNormBias;
    Slot m_up;
    Slot m_down;
    Slot m_scaleShift;  // [1, 6, innerDim]
};

}  // namespace meshreel

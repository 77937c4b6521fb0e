// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/attention/sharded_attention.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/head_norm.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/wan/modulation.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What a device computes of a pass.
struct WanPassShape {
    std::int64_t batch = 1;
    std::int64_t tokens = 0;  ///< of this device
    int exchangedShards = 0;  ///< of queries, that attention between devices takes as scratch
    int tensorDevices = 1;    ///< heads and feed-forward features are shared out to them
    bool summed = false;      ///< somebody looks at what sub-layers add, or it is summed over devices
};

/// One device's buffers of a forward pass, made once and used by every block. `normed` and `feedForward` lie
/// side by side in one allocation, which attention gets as scratch: neither holds anything while it runs.
class WanWorkspace {
  public:
    /// Tokens whose feed-forward features are held at once.
    static constexpr std::int64_t feedForwardTokens = 2048;

    WanWorkspace(const WanTransformerConfig& config, const WanPrecision& precision,
                 const WanPassShape& shape);

    [[nodiscard]] std::int64_t batch() const { return hidden.extent(0); }
    [[nodiscard]] std::int64_t tokens() const { return hidden.extent(1); }

  private:
    Tensor m_shared;  // bytes: normed, then feedForward

  public:
    Tensor hidden;         ///< f32 [batch, tokens, innerDim]: the residual stream
    Tensor normed;         ///< [batch, tokens, innerDim] of the activations' type: input of a sub-layer
    Tensor feedForward;    ///< [at most feedForwardTokens, ffnDim / tensorDevices], as normed
    Tensor query;          ///< [batch, tokens, heads / tensorDevices, headDim], as normed
    Tensor key;            ///< as query
    Tensor value;          ///< as query
    Tensor attended;       ///< as query
    Tensor sum;            ///< f32 as hidden, where needed: what a sub-layer adds; may be normed's memory
    ScratchArena scratch;  ///< over normed and feedForward
};

/// A linear layer of which this device has a range of the input features: what it computes is part of a sum
/// over the devices of the tensor axis.
class RowParallelLinear {
  public:
    /// NAME.weight [out, in / tensorDevices], NAME.bias [out], which the first device adds.
    RowParallelLinear(const LayerTensors& tensors, const std::string& name, Arithmetic arithmetic,
                      const Device& device)
        : m_matrix(device.at().tensor == 0 ? tensors.linear(name, arithmetic)
                                           : tensors.linearWithoutBias(name, arithmetic)) {}

    /// Multiplies x [rows, in / tensorDevices]; the products are to be summed over the axis.
    [[nodiscard]] const PackedMatrix& part() const { return m_matrix; }

  private:
    PackedMatrix m_matrix;
};

/// Which vector gates what is added: one of a modulation, or one for all tokens; neither: nothing does.
struct ResidualGate {
    const Modulation* modulation = nullptr;
    std::int64_t index = 0;
    std::span<const float> constant = {};  ///< [innerDim]
};

/// Adds what a sub-layer's last product makes, gated, to the residual stream: within the product itself where
/// nothing has to see the sum first, else by way of the workspace's `sum`.
class ResidualSum {
  public:
    /// `seen` gets the sum before the gate; empty: nobody wants it.
    ResidualSum(Device& device, WanWorkspace& work, const ResidualGate& gate,
                std::function<void(const Tensor&)> seen);

    /// The product of x, of the tokens from `first` on of one video.
    void add(const RowParallelLinear& linear, std::int64_t video, std::int64_t first, const MatrixView& x);

    /// Once every token of every video was given.
    void finish();

  private:
    void addDirectly(const RowParallelLinear& linear, std::int64_t video, std::int64_t first,
                     const MatrixView& x);

    Device& m_device;
    WanWorkspace& m_work;
    ResidualGate m_gate;
    std::function<void(const Tensor&)> m_seen;
    bool m_direct;
};

/// Projections of one attention, and the norms of its queries and keys where the model has them. Of the
/// model's heads a device computes those of its part of the tensor axis: "width" is their features together.
/// Matrices are f32 or bf16.
class WanAttentionLayer {
  public:
    /// Tensors PREFIX.to_q … PREFIX.norm_k, and PREFIX.add_k_proj … PREFIX.norm_added_k where `withAdded`.
    WanAttentionLayer(const WanTransformerConfig& config, const WanPrecision& precision,
                      const LayerTensors& tensors, const std::string& prefix, const Device& device,
                      bool withAdded = false);

    /// Queries, keys and values [rows, width] of x [rows, innerDim]; queries and keys turned by `rotary`.
    void project(Device& device, const MatrixView& x, const RotaryTable& rotary, const MatrixSpan& query,
                 const MatrixSpan& key, const MatrixSpan& value) const;

    /// Queries [rows, width] of x [rows, innerDim].
    void projectQuery(Device& device, const MatrixView& x, const MatrixSpan& query) const;

    /// Keys and values [rows, width] of x [rows, innerDim].
    void projectKeyValue(Device& device, const MatrixView& x, const MatrixSpan& key,
                         const MatrixSpan& value) const;

    /// The same by the projections that a model has for images (PREFIX.add_k_proj, .add_v_proj).
    void projectAddedKeyValue(Device& device, const MatrixView& x, const MatrixSpan& key,
                              const MatrixSpan& value) const;

    /// To [rows, innerDim] of what was attended [rows, width].
    [[nodiscard]] const RowParallelLinear& output() const { return m_output; }

  private:
    struct Normed {
        MatrixSpan values;                   // [rows, width]
        const std::optional<Tensor>& gamma;  // [width]
    };
    void normalise(Device& device, std::span<const Normed> all, const RotaryTable* rotary) const;
    [[nodiscard]] HeadNorm normOf(const Normed& normed, const RotaryTable* rotary) const;

    std::int64_t m_innerDim;
    std::int64_t m_headDim;
    double m_epsilon;
    PackedMatrix m_query;
    PackedMatrix m_key;
    PackedMatrix m_value;
    RowParallelLinear m_output;
    std::optional<Tensor> m_queryNorm;
    std::optional<Tensor> m_keyNorm;
    std::optional<PackedMatrix> m_addedKey;
    std::optional<PackedMatrix> m_addedValue;
    std::optional<Tensor> m_addedKeyNorm;
};

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

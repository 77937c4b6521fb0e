// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/kernels/packed_matrix.h"
#include "engine/models/probe.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// Hugging Face's UMT5EncoderModel config.json.
struct Umt5Config {
    std::int64_t vocabSize = 0;      ///< vocab_size
    std::int64_t dModel = 0;         ///< d_model
    std::int64_t dKv = 0;            ///< d_kv, of one head; dKv · heads need not be dModel
    std::int64_t dFf = 0;            ///< d_ff
    std::int64_t layers = 0;         ///< num_layers
    std::int64_t heads = 0;          ///< num_heads
    std::int64_t buckets = 32;       ///< relative_attention_num_buckets
    std::int64_t maxDistance = 128;  ///< relative_attention_max_distance
    double epsilon = 1e-6;           ///< layer_norm_epsilon

    /// Throws Error{Input} at `where` naming the key that is missing, out of range or not supported.
    static Umt5Config fromJson(const nlohmann::json& json, const std::string& where);
};

/// Bucket of relativePosition = key position - query position, bidirectional, computed in f32 as upstream
/// does: half of the buckets for later keys; within a half the first half counts exactly, the rest
/// logarithmically up to maxDistance.
std::int64_t relativePositionBucket(std::int64_t relativePosition, std::int64_t buckets,
                                    std::int64_t maxDistance);

/// The UMT5 text encoder: pre-norm layers of self-attention (unscaled scores, relative bias of its own in
/// every layer) and a feed-forward gated by gelu-tanh.
class Umt5Encoder {
  public:
    /// Throws Error{Input} for missing tensors and wrong shapes.
    Umt5Encoder(const Umt5Config& config, const Checkpoint& checkpoint);

    [[nodiscard]] const Umt5Config& config() const { return m_config; }

    /// Hidden states f32 [B, L, dModel] for ids I64 [B, L] and mask I64 [B, L] (1 = token, 0 = padding;
    /// padded rows are computed like the others). Throws Error{Input} for an id outside the vocabulary,
    /// NonFiniteError, Error{Cancelled}. Probe: embed, blockN.pos_bias [1, heads, L, L], blockN.attn,
    /// blockN.out, last_hidden_state.
    [[nodiscard]] Tensor encode(const Execution& execution, const Tensor& ids, const Tensor& mask,
                                const Probe& probe = {}) const;

  private:
    struct Layer {
        Tensor attentionNorm;  // [dModel]
        PackedMatrix query, key, value, output;
        Tensor relativeBias;  // [buckets, heads]
        Tensor feedForwardNorm;
        PackedMatrix gate, up, down;
    };
    struct Workspace;

    static Layer loadLayer(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index);
    void embed(const Tensor& ids, Tensor& hidden) const;
    void fillPositionBias(const Execution& execution, const Layer& layer, Workspace& work) const;
    void attention(const Execution& execution, const Layer& layer,
                   Workspace& work) const;  // hidden -> projected
    void feedForward(const Execution& execution, const Layer& layer,
                     Workspace& work) const;  // hidden -> projected

    Umt5Config m_config;
    Tensor m_embedding;  // [vocabSize, dModel], as stored
    std::vector<Layer> m_layers;
    Tensor m_finalNorm;
};

/// A copy of hidden [B, L, D] whose rows with mask 0 are zeros, as every Wan pipeline gives them to the
/// transformer.
Tensor maskPadding(const Tensor& hidden, const Tensor& mask);

}  // namespace meshreel

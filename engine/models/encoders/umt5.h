// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/models/encoders/encoder_weights.h"
#include "engine/models/probe.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// Hugging Face's UMT5EncoderModel config.json.
struct Umt5Config {
    std::int64_t vocabSize = 0;      ///< vocab_size
    std::int64_t dModel = 0;         ///< d_model
    std::int64_t dKv = 0;            ///< d_kv, for one head; dKv · heads need not be dModel
    std::int64_t dFf = 0;            ///< d_ff
    std::int64_t layers = 0;         ///< num_layers
    std::int64_t heads = 0;          ///< num_heads
    std::int64_t buckets = 32;       ///< relative_attention_num_buckets
    std::int64_t maxDistance = 128;  ///< relative_attention_max_distance
    double epsilon = 1e-6;           ///< layer_norm_epsilon

    /// Throws Error{Input} at `where` naming the key that is missing, out of range or not supported.
    static Umt5Config fromJson(const nlohmann::json& json, const std::string& where);
};

/// Returns the memory that a layer's tensors take which are converted when they are read.
std::size_t umt5LayerBytes(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index,
                           Arithmetic arithmetic = Arithmetic::F32);

/// Bucket of relativePosition = key position - query position, bidirectional, computed in f32 as upstream
/// does: half of the buckets for later keys; within a half the first half counts exactly, the rest
/// logarithmically up to maxDistance.
std::int64_t relativePositionBucket(std::int64_t relativePosition, std::int64_t buckets,
                                    std::int64_t maxDistance);

/// Token ids I64 [B, L] and their mask I64 [B, L] (1 = token, 0 = padding), or no mask: all are tokens.
struct Umt5Input {
    Tensor ids;
    Tensor mask;
};

/// The UMT5 text encoder: pre-norm layers of self-attention (unscaled scores, relative bias of its own in
/// every layer) and a feed-forward gated by gelu-tanh. Its weights stay in the checkpoint's map: each call
/// brings one layer after the other into memory, for all inputs, and lets it go again. The embedding's rows
/// are looked up on the host.
class Umt5Encoder {
  public:
    /// Computes on the GPU of `memory`, or on the workers. Throws Error{Input} for missing tensors and wrong
    /// shapes.
    Umt5Encoder(const Umt5Config& config, const Checkpoint& checkpoint,
                Arithmetic arithmetic = Arithmetic::F32, Memory* memory = nullptr);

    /// Returns how the checkpoint holds the layers' matrices: see storedLinearType().
    static DType storedType(const Umt5Config& config, const Checkpoint& checkpoint);

    /// Returns the bytes of a GPU's memory for encoding texts of so many tokens together, with weights stored
    /// as storedType() says: a layer, the workspace of one text, and the states of all. Without texts, those
    /// of a layer.
    static std::size_t gpuBytes(const Umt5Config& config, DType stored, Arithmetic arithmetic,
                                std::span<const std::int64_t> lengths);

    [[nodiscard]] const Umt5Config& config() const { return m_config; }
    [[nodiscard]] const Checkpoint& checkpoint() const { return m_checkpoint; }

    /// Returns how its linear layers multiply; all else is f32.
    [[nodiscard]] Arithmetic arithmetic() const { return m_place.arithmetic; }

    /// Returns whether a GPU computes.
    [[nodiscard]] bool isOnGpu() const { return m_place.memory != nullptr; }

    /// Hidden states f32 [B, L, dModel] of each input, whose bits do not depend on the other inputs; padded
    /// rows are computed like the others. Throws Error{Input} for an id outside the vocabulary,
    /// NonFiniteError, Error{Cancelled}. Probe, once for each input: embed, blockN.pos_bias [1, heads, L, L],
    /// blockN.attn, blockN.out, last_hidden_state.
    [[nodiscard]] std::vector<Tensor> encode(const Execution& execution, std::span<const Umt5Input> inputs,
                                             const Probe& probe = {}) const;

    /// Encodes one input.
    [[nodiscard]] Tensor encode(const Execution& execution, const Tensor& ids, const Tensor& mask,
                                const Probe& probe = {}) const;

  private:
    struct Layer;
    struct Sequence;
    struct Workspace;

    [[nodiscard]] Sequence begin(const Umt5Input& input, const Probe& probe) const;
    [[nodiscard]] Tensor embed(const Tensor& ids) const;
    void runLayers(const Execution& execution, std::vector<Sequence>& sequences, const Probe& probe) const;
    void runLayer(const Execution& execution, const Layer& layer, const std::string& name, Workspace& work,
                  const Probe& probe) const;
    void fillBias(const Layer& layer, Sequence& sequence) const;
    // hidden -> projected
    void attention(const Execution& execution, const Layer& layer, Workspace& work) const;
    void feedForward(const Execution& execution, const Layer& layer, Workspace& work) const;

    Umt5Config m_config;
    Checkpoint m_checkpoint;
    EncoderPlace m_place;
    Tensor m_embedding;  // [vocabSize, dModel], as stored
    Tensor m_finalNorm;
};

/// Returns a copy of hidden [B, L, D] whose rows with mask 0 are zeros, as every Wan pipeline gives them to
/// the transformer.
Tensor maskPadding(const Tensor& hidden, const Tensor& mask);

}  // namespace meshreel

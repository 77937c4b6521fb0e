// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/transformer/wan_transformer_config.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// CLIP's hidden states to tokens of the transformer's width: norm, feed-forward, norm. A model for first and
/// last frames takes two images as one sequence and adds learned positions to it.
class WanImageEmbedding {
  public:
    /// `tensors` of layer "embeddings", whose memory is shared.
    WanImageEmbedding(const WanTransformerConfig& config, const LayerTensors& tensors);

    /// [batch, tokens, imageDim] of an image as WanConditions has it, for `batch` videos. Throws Error{Input}
    /// for another shape.
    static Tensor sequence(const WanTransformerConfig& config, const Tensor& image, std::int64_t batch);

    /// f32 [batch, tokens.size(), innerDim] of these tokens of a sequence.
    [[nodiscard]] Tensor embed(const Execution& execution, const Tensor& sequence, ShardRange tokens) const;

  private:
    struct Norm {
        Tensor weight;
        Tensor bias;
        void apply(const Execution& execution, Tensor& x) const;
    };

    std::optional<Tensor> m_positions;  // [1, tokens, imageDim]
    Norm m_before;
    PackedMatrix m_up;
    PackedMatrix m_down;
    Norm m_after;
};

}  // namespace meshreel

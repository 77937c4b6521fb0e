// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/models/transformer/wan_precision.h"
#include "engine/models/transformer/wan_transformer_config.h"
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

}  // namespace meshreel

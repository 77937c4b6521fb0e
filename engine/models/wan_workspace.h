// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/models/wan_transformer_config.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// One device's buffers of a forward pass, made once and used by every block. `normed` and `feedForward` lie
/// side by side in one allocation, which attention gets as scratch: neither holds anything while it runs.
class WanWorkspace {
  public:
    /// `tokens` of this device; heads and feed-forward features are shared out to `tensorDevices`.
    WanWorkspace(const WanTransformerConfig& config, int tensorDevices, std::int64_t batch,
                 std::int64_t tokens);

    [[nodiscard]] std::int64_t batch() const { return hidden.extent(0); }
    [[nodiscard]] std::int64_t tokens() const { return hidden.extent(1); }
    [[nodiscard]] std::int64_t rows() const { return batch() * tokens(); }

  private:
    Tensor m_shared;  // normed, then feedForward

  public:
    Tensor hidden;         ///< [batch, tokens, innerDim]: the residual stream
    Tensor normed;         ///< as hidden: the input of a sub-layer, then what the sub-layer adds
    Tensor feedForward;    ///< [batch, tokens, ffnDim / tensorDevices]
    Tensor query;          ///< [batch, tokens, heads / tensorDevices, headDim]
    Tensor key;            ///< as query
    Tensor value;          ///< as query
    Tensor attended;       ///< as query
    ScratchArena scratch;  ///< over normed and feedForward
};

}  // namespace meshreel

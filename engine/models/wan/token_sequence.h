// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/wan/wan_embeddings.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The tokens of a pass in their order: the video's, then those of each group.
class TokenSequence {
  public:
    /// Of latents [B, inChannels, F, H, W]. Throws as WanPatches::grid(), Error{Internal} for a group with a
    /// place between two patches.
    TokenSequence(const WanPatches& patches, const Shape& latents, const std::vector<TokenGroup>& groups);

    [[nodiscard]] const TokenGrid& video() const { return m_grids.front(); }
    [[nodiscard]] std::int64_t tokens() const { return m_tokens; }

    /// Returns the rotary embedding of these tokens.
    [[nodiscard]] RotaryTable rotary(std::int64_t headDim, ShardRange own) const;

    /// Returns f32 [B, own.size(), inChannels · patch]: what of the inputs' latents is under these tokens.
    /// The inputs are of this sequence, `patches` of its model.
    [[nodiscard]] Tensor cut(const Execution& execution, const WanPatches& patches, const WanInputs& inputs,
                             ShardRange own) const;

  private:
    std::vector<TokenGrid> m_grids;
    std::int64_t m_tokens = 0;
};

}  // namespace meshreel

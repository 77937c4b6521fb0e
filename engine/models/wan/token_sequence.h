// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
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

/// Patches that another layer than the video's makes tokens of.
struct ReferencePatches {
    std::int64_t first = 0;  ///< place of their first token among a device's own
    Tensor patches;          ///< f32 [B, tokens, referenceChannels · patch]
};

/// The tokens of a pass in their order: the video's, then those of each group.
class TokenSequence {
  public:
    /// Of latents [B, inChannels, F, H, W]. Positions in time are counted from the first frame of all: a
    /// group before the video moves it on. Throws as WanPatches::grid(), Error{Internal} for a group with a
    /// place between two patches, and for one behind that of Motion.
    TokenSequence(const WanPatches& patches, const Shape& latents, const std::vector<TokenGroup>& groups);

    [[nodiscard]] const TokenGrid& video() const { return m_grids.front(); }
    [[nodiscard]] std::int64_t tokens() const { return m_tokens; }

    /// Returns how many of them, the first ones, are not of Motion; the others are.
    [[nodiscard]] std::int64_t patchTokens() const { return m_patchTokens; }

    /// Returns the rotary embedding of these tokens.
    [[nodiscard]] RotaryTable rotary(std::int64_t headDim, ShardRange own) const;

    /// Returns f32 [B, tokens, inChannels · patch]: what of the inputs' latents is under those of these
    /// tokens that are not of Motion, and zeros where another layer makes them. The inputs are of this
    /// sequence, `patches` of its model.
    [[nodiscard]] Tensor cut(const Execution& execution, const WanPatches& patches, const WanInputs& inputs,
                             ShardRange own) const;

    /// Returns what is under those of these tokens that ref_conv makes.
    [[nodiscard]] std::vector<ReferencePatches> cutReferences(const Execution& execution,
                                                              const WanPatches& patches,
                                                              const WanInputs& inputs, ShardRange own) const;

  private:
    /// Returns the part of `own` that is of a grid, counted from the grid's first token; empty where none is.
    [[nodiscard]] ShardRange partOf(std::size_t grid, ShardRange own) const;
    [[nodiscard]] std::int64_t tokensBefore(std::size_t grid) const;

    std::vector<TokenGrid> m_grids;     // of all but Motion
    std::vector<TokenPlaces> m_places;  // of all
    std::int64_t m_patchTokens = 0;
    std::int64_t m_tokens = 0;
};

}  // namespace meshreel

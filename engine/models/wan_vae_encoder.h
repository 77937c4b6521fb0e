// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "engine/models/wan_vae_config.h"
#include "engine/models/wan_vae_layers.h"
#include "engine/models/wan_vae_resample.h"

namespace meshreel {

/// The encoder and quant_conv, chunk by chunk. The blocks before the first that shortens time hold the
/// largest features and know no other frames than those of the past: they take frames one by one.
class WanVaeEncoder {
  public:
    WanVaeEncoder(const WanVaeConfig& config, const VaeWeights& weights);

    /// Pixels [T, H, W, in] of one chunk, f32, to latent moments [T', H', W', 2z], f32, mean before logvar.
    /// `frames` is the past of the blocks that take frames one by one.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& pixels) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    using DownBlock = std::variant<ResidualBlock, Downsampler>;

    [[nodiscard]] Tensor applyBlock(const ChunkContext& chunk, std::size_t index, Tensor x) const;

    CausalConvolution m_convIn;
    std::vector<DownBlock> m_downBlocks;
    std::optional<std::size_t> m_firstOfChunks;  // block: it and those behind take a chunk's frames together
    MidBlock m_mid;
    OutputHead m_head;
    PackedConvolution m_quant;
};

}  // namespace meshreel

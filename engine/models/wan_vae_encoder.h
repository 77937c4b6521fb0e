// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "engine/models/wan_vae_config.h"
#include "engine/models/wan_vae_layers.h"
#include "engine/models/wan_vae_resample.h"

namespace meshreel {

/// The encoder and quant_conv, chunk by chunk.
class WanVaeEncoder {
  public:
    WanVaeEncoder(const WanVaeConfig& config, const Checkpoint& checkpoint);

    /// Pixels [T, H, W, in] of one chunk to latent moments [T', H', W', 2z], mean before logvar.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const Tensor& pixels) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    using DownBlock = std::variant<ResidualBlock, Downsampler>;

    CausalConvolution m_convIn;
    std::vector<DownBlock> m_downBlocks;
    MidBlock m_mid;
    OutputHead m_head;
    PackedConvolution m_quant;
};

}  // namespace meshreel

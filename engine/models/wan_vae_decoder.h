// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/models/wan_vae_config.h"
#include "engine/models/wan_vae_layers.h"
#include "engine/models/wan_vae_resample.h"

namespace meshreel {

/// post_quant_conv and the decoder, chunk by chunk.
class WanVaeDecoder {
  public:
    WanVaeDecoder(const WanVaeConfig& config, const Checkpoint& checkpoint);

    /// Latents [T', H', W', z] of one chunk to pixels [T, H, W, out], not clamped.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, const Tensor& latents) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct UpBlock {
        std::vector<ResidualBlock> residuals;
        std::optional<Upsampler> upsampler;
    };

    PackedConvolution m_postQuant;
    CausalConvolution m_convIn;
    MidBlock m_mid;
    std::vector<UpBlock> m_upBlocks;
    OutputHead m_head;
};

}  // namespace meshreel

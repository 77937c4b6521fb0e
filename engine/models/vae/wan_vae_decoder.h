// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/vae/wan_vae_layers.h"
#include "engine/models/vae/wan_vae_resample.h"
#include "engine/models/vae/wan_vae_shortcut.h"

namespace meshreel {

/// post_quant_conv and the decoder, chunk by chunk. The levels behind the last that lengthens time hold the
/// largest features and know no other frames than those of the past: they take frames one by one.
class WanVaeDecoder {
  public:
    WanVaeDecoder(const WanVaeConfig& config, const VaeWeights& weights);

    /// Latents [T', H', W', z] of one chunk, f32, to patches of pixels [T, H, W, out], f32, not clamped.
    /// `frames` is the past of the levels that take frames one by one.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& latents) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct UpBlock {
        std::vector<ResidualBlock> residuals;
        std::optional<Upsampler> upsampler;
        std::optional<RepeatingShortcut> shortcut;
    };

    [[nodiscard]] Tensor applyBlock(const ChunkContext& chunk, std::size_t index, Tensor x) const;

    PackedConvolution m_postQuant;
    CausalConvolution m_convIn;
    MidBlock m_mid;
    std::vector<UpBlock> m_upBlocks;
    std::size_t m_firstOfFrames = 0;  // block: it and those behind take frames one by one
    OutputHead m_head;
};

}  // namespace meshreel

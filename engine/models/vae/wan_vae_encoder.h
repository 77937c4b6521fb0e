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

/// The encoder and quant_conv, chunk by chunk. What comes before the first resampling that shortens time
/// holds the largest features and knows no other frames than those of the past: it takes frames one by one.
class WanVaeEncoder {
  public:
    WanVaeEncoder(const WanVaeConfig& config, const VaeWeights& weights);

    /// Patches of pixels [T, H, W, in] of one chunk, f32, to latent moments [T', H', W', 2z], f32, mean
    /// before logvar. `frames` is the past of the layers that take frames one by one.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& pixels) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Level {
        std::vector<ResidualBlock> residuals;
        std::optional<Downsampler> downsampler;
        std::optional<AveragingShortcut> shortcut;
        std::size_t probe;  // number of its first probe: a level with a shortcut has one, others one a layer
    };

    [[nodiscard]] static Tensor applyLevel(const ChunkContext& chunk, const Level& level, Tensor x);
    [[nodiscard]] static Tensor applyResiduals(const ChunkContext& chunk, const Level& level, Tensor x);
    [[nodiscard]] static Tensor leaveLevel(const ChunkContext& chunk, const Level& level,
                                           const Tensor& source, Tensor x);

    CausalConvolution m_convIn;
    std::vector<Level> m_levels;
    std::size_t m_firstOfChunks;  // level whose resampling is the first to take a chunk's frames together
    MidBlock m_mid;
    OutputHead m_head;
    PackedConvolution m_quant;
};

}  // namespace meshreel
